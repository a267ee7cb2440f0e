(** The checker: does a DFST act as an expert does, in every state that the expert can be in?

    It pairs states of the expert with hidden vectors, from the start on, and asks of every pair and every
    symbol the expert has a rule for: do the weights decide for the same, whatever the order of their sums? What
    holds for pairs holds for runs: where the expert ends well, so does the DFST. *)
From Coq Require Import List ZArith Bool Lia Arith Permutation Floats.SpecFloat.
From dfst Require Import Definitions Runs.
Import ListNotations.
Open Scope Z_scope.

(** * Sums that do not depend on their order: at most one term is not 0 *)
Definition is_zero (x : float) : bool := match x with S754_zero false => true | _ => false end.
Definition join (x y : option float) : option float :=
  match x, y with
  | Some u, Some v => if is_zero u then y else if is_zero v then x else None
  | _, _ => None
  end.
Definition term (x : float) : option float := match x with S754_zero true => None | _ => Some x end.   (* 0 + -0 is 0 *)
Definition total (l : list float) : option float := fold_right (fun x => join (term x)) (Some zero) l.

Lemma is_zero_eq x : is_zero x = true -> x = zero.
Proof. destruct x as [[]| | |]; simpl; intros H; try discriminate; reflexivity. Qed.
Ltac by_zero := repeat match goal with
  | |- context [is_zero ?u] => let E := fresh in destruct (is_zero u) eqn:E; simpl;
    [apply is_zero_eq in E; subst|]; simpl
  end; try congruence.
Lemma join_comm x y : join x y = join y x.
Proof. destruct x, y; simpl; auto. by_zero; auto. Qed.
Lemma join_assoc x y z : join x (join y z) = join (join x y) z.
Proof.
  destruct x as [x|]; [|reflexivity]. destruct y as [y|]; [|reflexivity].
  destruct z as [z|]; [|simpl; destruct (is_zero x), (is_zero y); reflexivity].
  simpl. destruct (is_zero x) eqn:Ex, (is_zero y) eqn:Ey, (is_zero z) eqn:Ez; simpl; rewrite ?Ex, ?Ey, ?Ez;
    reflexivity.
Qed.
Lemma join_zero x : join (Some zero) x = x.
Proof. destruct x; reflexivity. Qed.
Lemma total_app l l' : total (l ++ l') = join (total l) (total l').
Proof. induction l as [|x l IH]; simpl app; [symmetry; apply join_zero|]. cbn. unfold total in *. rewrite IH.
apply join_assoc. Qed.
Lemma total_permutation l l' : Permutation l l' -> total l = total l'.
Proof. induction 1; simpl; try congruence. rewrite !join_assoc. f_equal. apply join_comm. Qed.

(** A total is never -0, and so 0 may be added to it. *)
Lemma total_term l x : total l = Some x -> x <> S754_zero true.
Proof.
  revert x. induction l as [|y l IH]; simpl; intros x H; [inversion H; discriminate|].
  destruct (term y) as [u|] eqn:T; [|discriminate]. destruct (total l) as [v|]; [|discriminate]. simpl in H.
  assert (u <> S754_zero true) by (destruct y as [[]| | |]; simpl in T; congruence).
  destruct (is_zero u); [injection H as <-; auto|]. destruct (is_zero v); congruence.
Qed.
Lemma total_sound f l y : sum_of f l y -> forall x, total l = Some x -> y = x.
Proof.
  induction 1 as [|x|l l1 l2 y1 y2 P _ IH1 _ IH2]; intros x0 H.
  - simpl in H. congruence.
  - destruct x as [[]| | |]; simpl in H; unfold zero in H; congruence.
  - rewrite (total_permutation _ _ P), total_app in H.
    assert (N1 := total_term l1). assert (N2 := total_term l2).
    destruct (total l1) as [u|]; [|discriminate]. destruct (total l2) as [v|]; [|discriminate].
    rewrite (IH1 u), (IH2 v) by reflexivity. specialize (N1 u eq_refl). specialize (N2 v eq_refl). simpl in H.
    destruct (is_zero u) eqn:Eu; [|destruct (is_zero v) eqn:Ev; [|discriminate]]; injection H as <-.
    + apply is_zero_eq in Eu. subst. destruct v as [[]| | |]; try reflexivity. congruence.
    + apply is_zero_eq in Ev. subst. destruct u as [[]| | |]; try reflexivity. congruence.
Qed.
Lemma sum_exists f l : exists y, sum_of f l y.
Proof.
  induction l as [|x l (y & H)]; [eexists; constructor|]. exists (add f x y).
  apply (sum_two f _ [x] l); [apply Permutation_refl|constructor|exact H].
Qed.

(** * Products, and what the weights decide *)
Fixpoint all {X} (l : list (option X)) : option (list X) :=
  match l with
  | [] => Some []
  | x :: t => match x, all t with Some u, Some v => Some (u :: v) | _, _ => None end
  end.
Definition times (f : format) (m : matrix) (h : vector) : option vector :=
  all (map (fun row => total (map (fun p => mul f (fst p) (snd p)) (combine row h))) m).
Lemma times_sound f m h v : product f m h v -> forall u, times f m h = Some u -> v = u.
Proof.
  unfold times. induction 1 as [|row y m v H _ IH]; simpl; intros u E; [congruence|].
  destruct (total _) as [z|] eqn:T; [|discriminate]. destruct (all _) as [t|]; [|discriminate].
  injection E as <-. f_equal; auto. eapply total_sound; eauto.
Qed.
Lemma product_exists f m h : exists v, product f m h v.
Proof.
  induction m as [|row m (v & H)]; [exists []; constructor|].
  destruct (sum_exists f (map (fun p => mul f (fst p) (snd p)) (combine row h))) as (y & Hy). exists (y :: v).
  constructor; auto.
Qed.

Definition decides (w : dfst) (h : vector) (s : nat) : option (nat * option (motion * vector)) :=
  match times (form w) (nth s (B w) []) h, times (form w) (nth s (C w) []) h, times (form w) (nth s (A w) []) h with
  | Some b, Some c, Some h' =>
    Some (argmax b, match nth (argmax c) (motions w) None with None => None | Some m => Some (m, h') end)
  | _, _, _ => None
  end.
Lemma decides_sound w h x y g s next t : decides w h (g x y) = Some (s, next) -> step w (Running h x y g) t ->
  t = match next with
      | None => Halted (write g x y s)
      | Some (m, h') => Running h' (x + dx m) (y + dy m) (write g x y s)
      end.
Proof.
  unfold decides. intros E H. inversion H as [|h1 x1 y1 g1 b c h' Hb Hc Hh]; subst; clear H.
  destruct (times _ _ _) as [b'|] eqn:Tb in E; [|discriminate]. destruct (times _ _ _) as [c'|] eqn:Tc in E;
    [|discriminate].
  destruct (times _ _ _) as [a'|] eqn:Ta in E; [|discriminate].
  rewrite <- (times_sound _ _ _ _ Hb _ Tb), <- (times_sound _ _ _ _ Hc _ Tc), <- (times_sound _ _ _ _ Hh _ Ta) in E.
  injection E as <- <-. destruct (nth (argmax c) (motions w) None); reflexivity.
Qed.
Lemma step_exists w s : exists t, step w s t.
Proof.
  destruct s as [g|h x y g]; [eexists; constructor|].
  destruct (product_exists (form w) (nth (g x y) (B w) []) h) as (b & Hb).
  destruct (product_exists (form w) (nth (g x y) (C w) []) h) as (c & Hc).
  destruct (product_exists (form w) (nth (g x y) (A w) []) h) as (h' & Hh). eexists. eapply acts; eauto.
Qed.

(** * Pairs *)
Definition motion_eqb (m n : motion) : bool := match m, n with U, U | D, D | L, L | R, R => true | _, _ => false end.
Definition float_eqb (x y : float) : bool :=
  match x, y with
  | S754_zero s, S754_zero t | S754_infinity s, S754_infinity t => Bool.eqb s t
  | S754_nan, S754_nan => true
  | S754_finite s m e, S754_finite t n f => Bool.eqb s t && Pos.eqb m n && Z.eqb e f
  | _, _ => false
  end.
Fixpoint vector_eqb (u v : vector) : bool :=
  match u, v with [], [] => true | x :: s, y :: t => float_eqb x y && vector_eqb s t | _, _ => false end.
Lemma motion_eqb_eq m n : motion_eqb m n = true -> m = n.
Proof. destruct m, n; simpl; congruence. Qed.
Lemma float_eqb_eq x y : float_eqb x y = true -> x = y.
Proof.
  destruct x, y; simpl; try congruence; intros H; repeat (apply andb_prop in H as [H ?]);
    repeat match goal with
    | E : Bool.eqb _ _ = true |- _ => apply eqb_prop in E
    | E : Pos.eqb _ _ = true |- _ => apply Pos.eqb_eq in E
    | E : Z.eqb _ _ = true |- _ => apply Z.eqb_eq in E
    end; congruence.
Qed.
Lemma vector_eqb_eq u : forall v, vector_eqb u v = true -> u = v.
Proof.
  induction u as [|x u IH]; intros [|y v] H; simpl in H; try discriminate; auto.
  apply andb_prop in H as [E H]. apply float_eqb_eq in E. f_equal; auto.
Qed.

Section Check.
  Variables (state : Type) (same : state -> state -> bool) (act : expert state) (symbols : nat) (w : dfst).
  Hypothesis same_eq : forall p q, same p q = true -> p = q.
  Hypothesis no_more_symbols : forall q s, (symbols <= s)%nat -> act q s = None.
  Notation pair := (state * vector)%type.
  Definition member (p : pair) (l : list pair) : bool :=
    existsb (fun o => same (fst p) (fst o) && vector_eqb (snd p) (snd o)) l.

  (** The pair that follows when the symbol is [s], if one does; None where the weights do not do as the expert. *)
  Definition next (p : pair) (s : nat) : option (list pair) :=
    match act (fst p) s with
    | None => Some []
    | Some (t, after) =>
      match after, decides w (snd p) s with
      | None, Some (t', None) => if Nat.eqb t t' then Some [] else None
      | Some (m, q), Some (t', Some (m', h)) => if Nat.eqb t t' && motion_eqb m m' then Some [(q, h)] else None
      | _, _ => None
      end
    end.
  Definition successors (p : pair) : option (list pair) :=
    option_map (@concat pair) (all (map (next p) (seq 0 symbols))).
  (** All pairs that can be reached. *)
  Fixpoint explore (fuel : nat) (todo seen : list pair) : option (list pair) :=
    match todo, fuel with
    | [], _ => Some seen
    | p :: rest, S k => if member p seen then explore k rest seen
                        else match successors p with Some l => explore k (l ++ rest) (p :: seen) | None => None end
    | _, O => None
    end.
  Definition check (start : state) : bool :=
    match explore (Z.to_nat 100000) [(start, h0 w)] [] with Some _ => true | None => false end.

  (** ** Soundness *)
  Lemma member_in p l : member p l = true -> In p l.
  Proof.
    unfold member. intros H. apply existsb_exists in H as ([q h] & Hin & H). apply andb_prop in H as [E1 E2].
    apply same_eq in E1. apply vector_eqb_eq in E2. destruct p; simpl in *; subst; auto.
  Qed.

  Definition closed (l : list pair) : Prop := forall p, In p l ->
    exists next, successors p = Some next /\ incl next l.
  Lemma explore_closed fuel : forall todo seen l, explore fuel todo seen = Some l ->
    (forall p, In p seen -> exists next, successors p = Some next /\ incl next (seen ++ todo)) ->
    incl (seen ++ todo) l /\ closed l.
  Proof.
    induction fuel as [|fuel IH]; intros [|p rest] seen l E H; simpl in E; try discriminate;
      try (injection E as <-; rewrite app_nil_r in *; split; [apply incl_refl|exact H]).
    assert (Move : incl (seen ++ p :: rest) ((p :: seen) ++ rest)).
    { intros q Hq. apply in_app_or in Hq as [Hq|[<-|Hq]]; simpl; auto using in_or_app. }
    destruct (member p seen) eqn:M.
    - apply member_in in M. assert (Drop : incl (seen ++ p :: rest) (seen ++ rest)).
      { intros q Hq. apply Move in Hq as [<-|Hq]; auto using in_or_app. }
      destruct (IH _ _ _ E) as [Hi Hc].
      + intros q Hq. destruct (H q Hq) as (next & Hn & Hincl). exists next. split; auto. eapply incl_tran; eauto.
      + split; auto. eapply incl_tran; eauto.
    - destruct (successors p) as [new|] eqn:S; [|discriminate].
      assert (Keep : incl ((p :: seen) ++ rest) ((p :: seen) ++ new ++ rest)).
      { intros q Hq. apply in_app_or in Hq as [Hq|Hq]; apply in_or_app; auto using in_or_app. }
      destruct (IH _ _ _ E) as [Hi Hc].
      + intros q [<-|Hq].
        * exists new. split; auto. intros q Hq. apply in_or_app. right. apply in_or_app. auto.
        * destruct (H q Hq) as (next & Hn & Hincl). exists next. split; auto. eauto using incl_tran.
      + split; auto. eauto using incl_tran.
  Qed.

  Lemma all_in {X Y} (f : X -> option Y) l r x : all (map f l) = Some r -> In x l -> exists y, f x = Some y /\ In y r.
  Proof.
    revert r. induction l as [|x' l IH]; simpl; intros r E H; [tauto|].
    destruct (f x') as [y'|] eqn:Ef; [|discriminate]. destruct (all (map f l)) as [r'|]; [|discriminate].
    injection E as <-.
    destruct H as [->|H]; [exists y'; simpl; auto|]. destruct (IH r' eq_refl H) as (y & Hy & Hin). exists y.
    simpl; auto.
  Qed.
  Lemma closed_next l p s : closed l -> In p l -> act (fst p) s <> None ->
    exists new, next p s = Some new /\ incl new l.
  Proof.
    intros Hl Hin Hs. destruct (Hl p Hin) as (r & Hr & Hincl). unfold successors in Hr.
    destruct (all _) as [r'|] eqn:E; [|discriminate]. injection Hr as <-.
    destruct (all_in (next p) (seq 0 symbols) r' s E) as (new & Hnew & Hin').
    - apply in_seq. destruct (Nat.lt_ge_cases s symbols); [lia|]. rewrite no_more_symbols in Hs by auto. congruence.
    - exists new. split; auto. intros q Hq. apply Hincl, in_concat. eauto.
  Qed.

  Lemma ends_surely l good q x y g : closed l -> ends _ act good q x y g ->
    forall h, In (q, h) l -> surely w (Running h x y g) good.
  Proof.
    intros Hl. induction 1 as [q x y g s Ha G|q x y g s m q' Ha _ IH]; intros h Hin;
      destruct (closed_next l (q, h) (g x y) Hl Hin ltac:(simpl; congruence)) as (new & Hnew & Hincl);
      unfold next in Hnew; simpl in Hnew; rewrite Ha in Hnew;
      destruct (decides w h (g x y)) as [[s' [[m' h']|]]|] eqn:E; try discriminate;
      destruct (Nat.eqb_spec s s') as [<-|]; try discriminate.
    - exists 1%nat. split.
      + destruct (step_exists w (Running h x y g)) as (t & Ht). exists t. econstructor; [exact Ht|constructor].
      + intros t Ht. inversion Ht as [|? t1 ? ? Hstep Hrest]; subst. inversion Hrest; subst.
        rewrite (decides_sound _ _ _ _ _ _ _ _ E Hstep). eexists. split; [reflexivity|]. apply G. reflexivity.
    - simpl in Hnew. destruct (motion_eqb m m') eqn:Em; [|discriminate]. apply motion_eqb_eq in Em.
      injection Hnew as <-. subst m'.
      destruct (IH h' (Hincl (q', h') (or_introl eq_refl))) as (n & (t & Ht) & Hall). exists (S n). split.
      + destruct (step_exists w (Running h x y g)) as (t1 & Ht1). exists t. econstructor; [exact Ht1|].
        rewrite (decides_sound _ _ _ _ _ _ _ _ E Ht1). exact Ht.
      + intros u Hu. inversion Hu as [|? t1 ? ? Hstep Hrest]; subst.
        rewrite (decides_sound _ _ _ _ _ _ _ _ E Hstep) in Hrest. apply Hall. exact Hrest.
  Qed.

  Lemma check_closed start : check start = true -> exists l, closed l /\ In (start, h0 w) l.
  Proof.
    unfold check. destruct (explore _ _ _) as [l|] eqn:E; [|discriminate]. intros _.
    destruct (explore_closed _ _ _ _ E) as [Hi Hc]; [intros p []|]. exists l. split; auto. apply Hi. simpl; auto.
  Qed.

  Theorem check_sound start good g : check start = true -> ends _ act good start 0 0 g ->
    surely w (Running (h0 w) 0 0 g) good.
  Proof. intros H E. destruct (check_closed start H) as (l & Hc & Hin). apply (ends_surely l _ _ _ _ _ Hc E). exact Hin.
  Qed.
End Check.
