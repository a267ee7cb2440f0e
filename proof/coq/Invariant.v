(** A DFST acts as an expert does on every input: the Python checker's invariant, checked in Coq.

    Pairs of a learnt state and a state of the expert run in step, by a table with a rule only where both do the same.
    What lies on one side of the head is told by an automaton whose nodes stand for stacks of columns; a configuration
    is a node for each side, a pair, a row and a column of sets of symbols. If the inputs are in a set of configurations,
    and every step leads from it into it, then runs never leave it. *)
From Coq Require Import String List ZArith NArith Bool Lia Arith FMapPositive.
From dfst Require Import Definitions Runs Checker.
Import ListNotations.
Open Scope list_scope.
Module PM := PositiveMap.

(** * Lists by key *)
Definition get {V} (k : N) (m : PM.t (list V)) : list V :=
  match PM.find (N.succ_pos k) m with Some l => l | None => [] end.
Definition put {V} (e : N * V) (m : PM.t (list V)) : PM.t (list V) :=
  PM.add (N.succ_pos (fst e)) (snd e :: get (fst e) m) m.
Definition group {V} (l : list (N * V)) : PM.t (list V) := fold_right put (PM.empty _) l.
Lemma get_group {V} k (v : V) l : In v (get k (group l)) <-> In (k, v) l.
Proof.
  induction l as [|[k' v'] l IH]; simpl.
  - unfold get. rewrite PM.gempty. simpl. tauto.
  - unfold put, get at 1. simpl. destruct (N.eq_dec k' k) as [->|E].
    + rewrite PM.gss. simpl. rewrite IH. split; intros [H|H]; auto; left; congruence.
    + rewrite PM.gso; [fold (get k (group l)); rewrite IH; split; [auto|intros [H|H]; [congruence|auto]]|].
      intros C. apply E. apply N.succ_inj. rewrite <- !N.succ_pos_spec. congruence.
Qed.

(** * Columns: a set of symbols, as bits, for each row *)
Definition column := list N.
Definition has (cell : N) (s : nat) : bool := N.testbit cell (N.of_nat s).
Fixpoint fits (c : column) (y : Z) (k : Z -> nat) : Prop :=
  match c with [] => True | cell :: rest => has cell (k y) = true /\ fits rest (y + 1)%Z k end.
Fixpoint covers (d c : column) : bool :=
  match d, c with
  | [], _ => true
  | m :: d', n :: c' => N.eqb (N.land m n) n && covers d' c'
  | _, [] => false
  end.
Fixpoint replaced (c : column) (row : nat) (cell : N) : column :=
  match c, row with [], _ => [] | _ :: t, O => cell :: t | m :: t, S r => m :: replaced t r cell end.

Lemma fits_same c : forall y k k', (forall z, k z = k' z) -> fits c y k -> fits c y k'.
Proof. induction c as [|m c IH]; simpl; intros y k k' E; auto. rewrite <- E. intros [H G]. split; eauto. Qed.
Lemma covers_fits d : forall c y k, covers d c = true -> fits c y k -> fits d y k.
Proof.
  induction d as [|m d IH]; intros [|n c] y k H F; simpl in *; auto; try discriminate.
  apply andb_prop in H as [E H]. destruct F as [F G]. split; eauto. apply N.eqb_eq in E. unfold has in *.
  rewrite <- E, N.land_spec in F. apply andb_prop in F as [F _]. exact F.
Qed.
Lemma fits_nth c : forall y k row, fits c y k -> (row < length c)%nat ->
  has (nth row c 0%N) (k (y + Z.of_nat row)%Z) = true.
Proof.
  induction c as [|m c IH]; intros y k [|row] F H; simpl in *; try lia; destruct F as [F G].
  - rewrite Z.add_0_r. exact F.
  - replace (y + _)%Z with (y + 1 + Z.of_nat row)%Z by lia. apply IH; auto. lia.
Qed.
Lemma fits_replaced c cell : forall y k row k', fits c y k -> has cell (k' (y + Z.of_nat row)%Z) = true ->
  (forall z, z <> (y + Z.of_nat row)%Z -> k' z = k z) -> fits (replaced c row cell) y k'.
Proof.
  assert (Same : forall c0 y k k', (forall z, (y <= z)%Z -> k' z = k z) -> fits c0 y k -> fits c0 y k').
  { induction c0 as [|m c0 IH]; intros y k k' E F; [exact I|]. destruct F as [H G].
    split; [rewrite (E y (Z.le_refl y)); exact H|]. apply (IH _ k); auto. intros z Hz. apply E. lia. }
  induction c as [|m c IH]; intros y k [|row] k' F H E; simpl in *; auto; destruct F as [F G].
  - rewrite Z.add_0_r in H. split; auto. apply (Same _ _ k); auto. intros z Hz. apply E. lia.
  - split.
    + rewrite E by lia. exact F.
    + apply (IH _ k); auto.
      * replace (y + 1 + Z.of_nat row)%Z with (y + Z.pos (Pos.of_succ_nat row))%Z by lia. exact H.
      * intros z Hz. apply E. lia.
Qed.

(** * The proof, as it is exported; it is only material, and the checker below believes none of it *)
Record side := { edges : list (N * (N * N)); inside : list (N * N); laid_for : list (N * N) }.
Definition config := (N * N * N * N * N)%type.
Record material := {
  lowest : Z; columns : list column; left_side : side; right_side : side;
  paired : table; expert_of : list nat;
  invariant : list (N * N * N * list (N * N)) }.                  (* pair, row, column; nodes on the left and the right *)

Record maps := { under : PM.t (list (N * N)); over : PM.t (list (N * N)); larger : PM.t (list N);
                 laid_map : PM.t (list N) }.
Definition maps_of (s : side) : maps :=
  {| under := group (edges s); over := group (map (fun e => (snd (snd e), (fst (snd e), fst e))) (edges s));
     larger := group (inside s); laid_map := group (laid_for s) |}.

Section Side.
  Variables (y0 : Z) (col : N -> column) (sd : side) (m : maps).
  Hypothesis Hm : m = maps_of sd.
  Definition wider (n : N) : list N := n :: get n (larger m).
  Definition push (made : column) (below : N) : list N :=
    flat_map (fun b => map snd (filter (fun e => covers (col (fst e)) made) (get b (over m)))) (wider below).
  Definition among_nodes (n : N) (l : list N) : bool := existsb (N.eqb n) l.
  Definition inside_ok : bool :=
    forallb (fun '(small, large) => forallb (fun '(c, x) => existsb (fun '(d, y) =>
      covers (col d) (col c) && among_nodes y (wider x)) (get large (under m))) (get small (under m))) (inside sd).

  (** What a node stands for, as far as one looks. *)
  Fixpoint stands (depth : nat) (n : N) (stack : nat -> Z -> nat) : Prop :=
    match depth with
    | O => True
    | S d => exists c below, In (c, below) (get n (under m)) /\ fits (col c) y0 (stack O) /\
                             stands d below (fun i => stack (S i))
    end.
  Lemma stands_same d : forall n s s', (forall i y, s i y = s' i y) -> stands d n s -> stands d n s'.
  Proof.
    induction d as [|d IH]; simpl; intros n s s' E; auto. intros (c & b & Hin & F & H). exists c, b. split; auto.
    split; [eapply fits_same; [|exact F]; auto|]. eapply IH; [|exact H]. intros; apply E.
  Qed.
  Lemma stands_less d : forall n s, stands (S d) n s -> stands d n s.
  Proof. induction d as [|d IH]; intros n s H; [exact I|]. destruct H as (c & b & Hin & F & H). exists c, b. auto. Qed.

  Hypothesis Hinside : inside_ok = true.
  Lemma among_in n l : among_nodes n l = true -> In n l.
  Proof. unfold among_nodes. intros H. apply existsb_exists in H as (x & Hx & E). apply N.eqb_eq in E. congruence. Qed.
  Lemma wider_stands d : forall n n' s, In n' (wider n) -> stands d n s -> stands d n' s.
  Proof.
    induction d as [|d IH]; intros n n' s H G; [exact I|]. destruct H as [<-|H]; [exact G|].
    destruct G as (c & b & Hin & F & G). unfold inside_ok in Hinside. rewrite forallb_forall in Hinside.
    rewrite Hm in H. apply (proj1 (get_group _ _ _)) in H. specialize (Hinside _ H). simpl in Hinside.
    rewrite forallb_forall in Hinside. specialize (Hinside _ Hin). simpl in Hinside.
    apply existsb_exists in Hinside as ([d' b'] & Hin' & E). apply andb_prop in E as [E1 E2].
    exists d', b'. split; auto. split; [eapply covers_fits; eauto|]. eapply IH; [apply among_in; exact E2|exact G].
  Qed.
  Lemma push_stands d made below n s : In n (push made below) -> fits made y0 (s O) ->
    stands d below (fun i => s (S i)) -> stands (S d) n s.
  Proof.
    unfold push. intros H F G. apply in_flat_map in H as (b & Hb & H). apply in_map_iff in H as ([c n'] & <- & H).
    apply filter_In in H as [H E]. simpl in E. exists c, b. simpl. split; [|split].
    - rewrite Hm in *. simpl in *. apply (proj1 (get_group _ _ _)) in H. apply in_map_iff in H as ([n1 [c1 b1]] & E1 & H).
      injection E1 as <- <- <-. apply (proj2 (get_group _ _ _)). exact H.
    - eapply covers_fits; eauto.
    - eapply wider_stands; eauto.
  Qed.

  Variable blanks : column.
  Hypothesis Hblank : among_nodes 0 (push blanks 0) = true.
  Lemma blanks_stand d : forall s, (forall i, fits blanks y0 (s i)) -> stands d 0 s.
  Proof.
    induction d as [|d IH]; intros s F; [exact I|]. apply among_in in Hblank.
    eapply push_stands; [exact Hblank|apply F|]. apply IH. intros. apply F.
  Qed.
End Side.

(** * The checker *)
Definition motion_dec (p q : motion) : {p = q} + {p <> q}.
Proof. decide equality. Defined.
Definition move := (column * motion * nat)%type.
Definition move_dec (p q : move) : {p = q} + {p <> q}.
Proof. repeat decide equality. Defined.
Definition config_eqb (p q : config) : bool :=
  let '(a, b, c, d, e) := p in let '(a', b', c', d', e') := q in
  N.eqb a a' && N.eqb b b' && N.eqb c c' && N.eqb d d' && N.eqb e e'.
Definition key (f : config) : N := let '(a, p, row, c, b) := f in (a + 1000 * (b + 1000 * (p + 300 * (row + 10 * c))))%N.
Definition hash (c : column) : N := fold_left (fun h cell => 1009 * h + cell)%N c 0%N.
Definition mask (cell : list nat) : N := fold_right (fun s m => N.setbit m (N.of_nat s)) 0%N cell.

Section Invariant.
  Variables (w : dfst) (who : task) (proof : material).
  Notation t := (rules who).
  Notation empty := (void who).
  Notation i := (asked who).
  Variables (symbols : nat) (col : N -> column) (by_hash : PM.t (list N)) (known : PM.t (list config)) (ml mr : maps).
  Hypothesis Hknown : known = group (map (fun f => (key f, f))
    (flat_map (fun e => let '(p, row, c, nodes) := e in map (fun n => (fst n, p, row, c, snd n)) nodes) (invariant proof))).
  Hypothesis Hml : ml = maps_of (left_side proof).
  Hypothesis Hmr : mr = maps_of (right_side proof).

  Definition member (f : config) : bool := existsb (config_eqb f) (get (key f) known).
  (** Some column of the list covers this one, and is good. *)
  Definition named (made : column) (good : N -> bool) : bool :=
    existsb (fun c => covers (col c) made && good c) (get (hash made) by_hash).
  Definition acts (p s : nat) := rule (paired proof) p s.
  (** The symbols that the pair leaves as they are, where it goes on in the same way. *)
  Definition kept (p : nat) (cell : N) (m : motion) (p' : nat) : list nat :=
    filter (fun s => has cell s && match acts p s with
      | Some (s', Some (m', q)) => Nat.eqb s' s && motion_eqb m' m && Nat.eqb q p'
      | _ => false end) (seq 0 symbols).
  Definition moves_of (p row : nat) (c : column) (s : nat) : list move :=
    let cell := nth row c 0%N in
    if has cell s then match acts p s with
      | Some (s', Some (m, p')) =>
        [(replaced c row (mask (if Nat.eqb s' s then kept p cell m p' else [s'])), m, p')]
      | _ => []
      end else [].
  Definition move_ok (a b : N) (row : N) (v : move) : bool :=
    let '(made, m, p') := v in let p' := N.of_nat p' in
    match m with
    | U => named made (fun c => member (a, p', N.succ row, c, b))
    | D => negb (N.eqb row 0) && named made (fun c => member (a, p', N.pred row, c, b))
    | L => forallb (fun e => existsb (fun n => member (snd e, p', row, fst e, n)) (push col mr made b))
             (get a (under ml))
    | R => forallb (fun e => existsb (fun n => member (n, p', row, fst e, snd e)) (push col ml made a))
             (get b (under mr))
    end.
  Definition has_rule_or_none (p s : nat) : bool :=
    match acts p s, rule t (nth p (expert_of proof) O) s with None, Some _ => false | _, _ => true end.
  Definition group_ok (e : N * N * N * list (N * N)) : bool :=
    let '(p, row, c, nodes) := e in let '(p1, row1, c1) := (N.to_nat p, N.to_nat row, col c) in
    let cell := nth row1 c1 0%N in
    Nat.ltb row1 (length c1) && forallb (fun s => negb (has cell s) || has_rule_or_none p1 s) (seq 0 symbols) &&
    (let moves := nodup move_dec (flat_map (moves_of p1 row1 c1) (seq 0 symbols)) in
     forallb (fun n => forallb (move_ok (fst n) (snd n) row) moves) nodes).
  (** The table of pairs says what the expert's says, where it says anything. *)
  Definition refines : bool :=
    forallb (fun p => forallb (fun s => match acts p s with
      | None => true
      | Some (s', after) => match after, rule t (nth p (expert_of proof) O) s with
        | None, Some (s2, None) => Nat.eqb s' s2
        | Some (m, p'), Some (s2, Some (m2, q)) =>
          Nat.eqb s' s2 && motion_eqb m m2 && Nat.eqb (nth p' (expert_of proof) O) q
        | _, _ => false
        end end) (seq 0 symbols)) (seq 0 (length (paired proof))) && Nat.eqb (nth 0 (expert_of proof) O) 0.
  Definition short : bool := forallb (fun r => Nat.leb (length r) symbols) t &&
    forallb (fun r => Nat.leb (length r) symbols) (paired proof).

  Definition height : nat := length (hd [] (columns proof)).
  Definition home : nat := Z.to_nat (- lowest proof).
  Definition empty_column : column := repeat (mask [empty]) height.
  Definition laid_column (cell : list nat) : column := replaced empty_column home (mask cell).
  Definition nodes_for (m : maps) (p : nat) : list N := get (N.of_nat p) (laid_map m).
  (** [from] and [to] are the ends of an edge, in the order in which a side is laid. *)
  Definition edges_ok (m : maps) (l : list edge) (flip : bool) : bool :=
    forallb (fun e => let '(p, cell, q) := e in let '(from, to) := if flip then (q, p) else (p, q) in
      forallb (fun n => existsb (fun k => among_nodes k (nodes_for m to)) (push col m (laid_column cell) n))
        (nodes_for m from)) l.
  Definition begins (m : maps) (p : nat) : bool := existsb (fun n => among_nodes n (nodes_for m p)) (wider m 0).
  Definition heads_ok : bool :=
    forallb (fun e => let '(p, cell, q) := e in forallb (fun a => forallb (fun b =>
      named (laid_column cell) (fun c => member (a, 0%N, N.of_nat home, c, b)))
      (nodes_for mr q)) (nodes_for ml p)) (at_head i).
  Definition invariant_ok : bool :=
    refines && short && Z.leb (lowest proof) 0 && Nat.ltb home height &&
    inside_ok col (left_side proof) ml && inside_ok col (right_side proof) mr &&
    among_nodes 0 (push col ml empty_column 0) && among_nodes 0 (push col mr empty_column 0) &&
    begins ml 0 && forallb (begins mr) (final i) && edges_ok ml (before_head i) false &&
    edges_ok mr (after_head i) true && heads_ok && forallb group_ok (invariant proof).

  (** ** Soundness *)
  Lemma mask_has s l : In s l -> has (mask l) s = true.
  Proof.
    unfold has. induction l as [|s' l IH]; simpl; [tauto|]. intros H. apply N.setbit_iff.
    destruct H as [->|H]; auto.
  Qed.
  Lemma named_covers made good : named made good = true -> exists c, covers (col c) made = true /\ good c = true.
  Proof.
    unfold named. intros H. apply existsb_exists in H as (c & _ & H). apply andb_prop in H as [H G]. eauto.
  Qed.
  Lemma config_eqb_eq f g : config_eqb f g = true -> f = g.
  Proof.
    destruct f as [[[[a b] c] d] e], g as [[[[a' b'] c'] d'] e']. simpl. intros H.
    repeat (apply andb_prop in H as [H ?]). repeat match goal with E : N.eqb _ _ = true |- _ => apply N.eqb_eq in E end.
    congruence.
  Qed.
  Lemma member_listed a p row c b : member (a, p, row, c, b) = true ->
    exists nodes, In (p, row, c, nodes) (invariant proof) /\ In (a, b) nodes.
  Proof.
    unfold member. intros H. apply existsb_exists in H as (f & Hin & E). apply config_eqb_eq in E. subst f.
    rewrite Hknown in Hin. apply (proj1 (get_group _ _ _)) in Hin. apply in_map_iff in Hin as (f & E & Hin).
    injection E as _ ->. apply in_flat_map in Hin as ([[[p1 row1] c1] nodes] & He & Hin).
    apply in_map_iff in Hin as ([a1 b1] & E & Hin). simpl in E. injection E as -> -> -> -> ->. eauto.
  Qed.

  Notation y0 := (lowest proof).
  Notation standsl := (stands y0 col ml).
  Notation standsr := (stands y0 col mr).
  Definition pair_of (f : config) : nat := let '(_, p, _, _, _) := f in N.to_nat p.
  Definition holds (d : nat) (f : config) (x y : Z) (g : plane) : Prop :=
    let '(a, p, row, c, b) := f in
    member f = true /\ y = (y0 + Z.of_N row)%Z /\ fits (col c) y0 (g x) /\
    standsl d a (fun j => g (x - 1 - Z.of_nat j)%Z) /\ standsr d b (fun j => g (x + 1 + Z.of_nat j)%Z).

  Hypothesis Hok : invariant_ok = true.
  Ltac parts := let H := fresh in pose proof Hok as H; unfold invariant_ok in H;
    repeat match goal with E : _ && _ = true |- _ => apply andb_prop in E as [E ?] end.

  Lemma short_rule (tb : table) q s : forallb (fun r => Nat.leb (length r) symbols) tb = true -> rule tb q s <> None ->
    (s < symbols)%nat /\ (q < length tb)%nat.
  Proof.
    unfold rule. intros H G. destruct (Nat.lt_ge_cases q (length tb)) as [Hq|Hq].
    - split; auto. rewrite forallb_forall in H. assert (Hin := nth_In tb [] Hq). apply H, Nat.leb_le in Hin.
      destruct (Nat.lt_ge_cases s (length (nth q tb []))); [lia|]. rewrite nth_overflow in G by auto. congruence.
    - rewrite (nth_overflow tb) in G by auto. destruct s; simpl in G; congruence.
  Qed.
  Lemma refined p s s' aft : acts p s = Some (s', aft) ->
    rule t (nth p (expert_of proof) O) s =
      Some (s', match aft with None => None | Some (m, p') => Some (m, nth p' (expert_of proof) O) end).
  Proof.
    intros H. parts. unfold short in *. match goal with E : _ && _ = true |- _ => apply andb_prop in E as [E1 E2] end.
    destruct (short_rule (paired proof) p s E2) as [Hs Hp]; [unfold acts in H; congruence|].
    match goal with E : refines = true |- _ => unfold refines in E; apply andb_prop in E as [E _];
      rewrite forallb_forall in E; specialize (E p); rewrite forallb_forall in E;
      assert (R := E ltac:(apply in_seq; lia) s ltac:(apply in_seq; lia)); clear E end.
    rewrite H in R. destruct aft as [[m p']|]; destruct (rule t _ s) as [[s2 [[m2 q]|]]|]; try discriminate.
    - apply andb_prop in R as [R R3]. apply andb_prop in R as [R1 R2]. apply Nat.eqb_eq in R1, R3.
      apply motion_eqb_eq in R2. congruence.
    - apply Nat.eqb_eq in R. congruence.
  Qed.

  Lemma other_column g x y s x' z : x' <> x -> write g x y s x' z = g x' z.
  Proof. intros H. unfold write. destruct (Z.eqb_spec x' x); [congruence|reflexivity]. Qed.

  Lemma steps d f x y g : holds (S d) f x y g -> rule t (nth (pair_of f) (expert_of proof) O) (g x y) <> None ->
    match acts (pair_of f) (g x y) with
    | None => False
    | Some (_, None) => True
    | Some (s, Some (m, p')) => exists f', pair_of f' = p' /\ holds d f' (x + dx m) (y + dy m) (write g x y s)
    end.
  Proof.
    destruct f as [[[[a p] row] c] b]. intros (Hmem & Hy & Fc & Sl & Sr) Hrule. simpl pair_of in *.
    destruct (member_listed _ _ _ _ _ Hmem) as (nodes & He & Hn). parts.
    match goal with E : forallb group_ok _ = true |- _ => rewrite forallb_forall in E; specialize (E _ He);
      unfold group_ok in E; apply andb_prop in E as [E Hmoves]; apply andb_prop in E as [Hrow Hread] end.
    apply Nat.ltb_lt in Hrow. assert (Hs : (g x y < symbols)%nat).
    { unfold short in *. match goal with E : _ && _ = true |- _ => apply andb_prop in E as [E1 E2] end.
      apply (short_rule t _ _ E1 Hrule). }
    assert (Hcell : has (nth (N.to_nat row) (col c) 0%N) (g x y) = true).
    { replace y with (y0 + Z.of_nat (N.to_nat row))%Z by (rewrite N_nat_Z; auto). apply fits_nth; auto. }
    rewrite forallb_forall in Hread. assert (Hr := Hread (g x y) ltac:(apply in_seq; lia)). rewrite Hcell in Hr.
    simpl in Hr. unfold has_rule_or_none in Hr.
    destruct (acts (N.to_nat p) (g x y)) as [[s [[m p']|]]|] eqn:Ea; auto;
      [|destruct (rule t _ _); [discriminate|congruence]].
    set (cell := if Nat.eqb s (g x y) then kept (N.to_nat p) (nth (N.to_nat row) (col c) 0%N) m p' else [s]).
    set (made := replaced (col c) (N.to_nat row) (mask cell)).
    rewrite forallb_forall in Hmoves. specialize (Hmoves _ Hn). rewrite forallb_forall in Hmoves. simpl in Hmoves.
    specialize (Hmoves (made, m, p')). assert (Hv : move_ok a b row (made, m, p') = true).
    { apply Hmoves. apply nodup_In, in_flat_map. exists (g x y). split; [apply in_seq; lia|]. unfold moves_of.
      rewrite Hcell, Ea. left. reflexivity. }
    assert (Fm : fits made y0 (write g x y s x)).
    { unfold made. apply (fits_replaced _ _ _ (g x)); auto.
      - rewrite N_nat_Z, <- Hy. unfold write. rewrite !Z.eqb_refl. simpl. apply mask_has. unfold cell.
        destruct (Nat.eqb_spec s (g x y)) as [->|]; [|left; reflexivity]. unfold kept. apply filter_In.
        split; [apply in_seq; lia|]. rewrite Hcell, Ea, !Nat.eqb_refl. destruct m; reflexivity.
      - intros z Hz. rewrite N_nat_Z, <- Hy in Hz. unfold write. destruct (Z.eqb_spec z y); [congruence|].
        rewrite andb_false_r. reflexivity. }
    assert (Il : inside_ok col (left_side proof) ml = true) by auto.
    assert (Ir : inside_ok col (right_side proof) mr = true) by auto.
    clear - Hml Hmr Hy Fc Sl Sr Hv Fm Il Ir. unfold move_ok in Hv. destruct m; cbn [dx dy].
    - apply named_covers in Hv as (c' & Hc & Hm). exists (a, N.of_nat p', N.succ row, c', b).
      split; [apply Nat2N.id|]. rewrite Z.add_0_r. split; [exact Hm|]. split; [rewrite N2Z.inj_succ; lia|].
      split; [eapply covers_fits; eauto|]. split; apply stands_less in Sl, Sr.
      + eapply stands_same; [|exact Sl]. intros. rewrite other_column by lia. reflexivity.
      + eapply stands_same; [|exact Sr]. intros. rewrite other_column by lia. reflexivity.
    - apply andb_prop in Hv as [Hz Hv]. apply negb_true_iff, N.eqb_neq in Hz.
      apply named_covers in Hv as (c' & Hc & Hm). exists (a, N.of_nat p', N.pred row, c', b).
      split; [apply Nat2N.id|]. rewrite Z.add_0_r. split; [exact Hm|]. split; [rewrite N2Z.inj_pred by lia; lia|].
      split; [eapply covers_fits; eauto|]. split; apply stands_less in Sl, Sr.
      + eapply stands_same; [|exact Sl]. intros. rewrite other_column by lia. reflexivity.
      + eapply stands_same; [|exact Sr]. intros. rewrite other_column by lia. reflexivity.
    - destruct Sl as (c0 & rest & Hin & F0 & Sl). rewrite forallb_forall in Hv. specialize (Hv _ Hin).
      apply existsb_exists in Hv as (n & Hp & Hm). simpl in Hm. exists (rest, N.of_nat p', row, c0, n).
      split; [apply Nat2N.id|]. rewrite Z.add_0_r. split; [exact Hm|]. split; [exact Hy|]. split; [|split].
      + eapply fits_same; [|exact F0]. intros z. cbn beta. rewrite other_column by lia. f_equal. lia.
      + eapply stands_same; [|exact Sl]. intros j z. cbn beta. rewrite other_column by lia. f_equal. lia.
      + apply stands_less. eapply push_stands; eauto; cbn beta.
        * eapply fits_same; [|exact Fm]. intros z. f_equal. lia.
        * apply stands_less in Sr. eapply stands_same; [|exact Sr]. intros j z. cbn beta. rewrite other_column by lia.
          f_equal. lia.
    - destruct Sr as (c0 & rest & Hin & F0 & Sr). rewrite forallb_forall in Hv. specialize (Hv _ Hin).
      apply existsb_exists in Hv as (n & Hp & Hm). simpl in Hm. exists (n, N.of_nat p', row, c0, rest).
      split; [apply Nat2N.id|]. rewrite Z.add_0_r. split; [exact Hm|]. split; [exact Hy|]. split; [|split].
      + eapply fits_same; [|exact F0]. intros z. cbn beta. rewrite other_column by lia. f_equal. lia.
      + apply stands_less. eapply push_stands; eauto; cbn beta.
        * eapply fits_same; [|exact Fm]. intros z. f_equal. lia.
        * apply stands_less in Sl. eapply stands_same; [|exact Sl]. intros j z. cbn beta. rewrite other_column by lia.
          f_equal. lia.
      + eapply stands_same; [|exact Sr]. intros j z. cbn beta. rewrite other_column by lia. f_equal. lia.
  Qed.

  (** *** Runs *)
  Lemma stays_ended n g : after t n (Ended g) = Some (Ended g).
  Proof. induction n; simpl; auto. Qed.
  Lemma stays_halted n g c : run w (Halted g) n c -> c = Halted g.
  Proof.
    revert c. induction n as [|n IH]; intros c H; inversion H as [|? t' ? ? Hs Hr]; subst; auto.
    inversion Hs; subst. auto.
  Qed.
  Lemma follows l : closed nat acts symbols w l -> forall n f x y g h c, holds n f x y g -> In (pair_of f, h) l ->
    run w (Running h x y g) n c -> match after t n (At (nth (pair_of f) (expert_of proof) O) x y g) with
      | None => True
      | Some (Ended g') => c = Halted g'
      | Some (At q x' y' g') => exists h', c = Running h' x' y' g'
      end.
  Proof.
    intros Hl. induction n as [|n IH]; intros f x y g h c Hf Hin Hrun; inversion Hrun as [|? t' ? ? Hs Hr]; subst.
    { simpl. eauto. }
    cbn [after follow]. destruct (rule t (nth (pair_of f) (expert_of proof) O) (g x y)) as [[s0 aft0]|] eqn:Et; [|exact I].
    assert (St := steps n f x y g Hf ltac:(congruence)).
    destruct (acts (pair_of f) (g x y)) as [[s aft]|] eqn:Ea; [|contradiction].
    assert (Er := refined _ _ _ _ Ea). rewrite Et in Er. injection Er as -> ->.
    assert (Hsym : forall q v, (symbols <= v)%nat -> acts q v = None).
    { intros q v Hv. destruct (acts q v) eqn:E; auto. parts.
      match goal with E0 : short = true |- _ => unfold short in E0; apply andb_prop in E0 as [_ E0];
        destruct (short_rule (paired proof) q v E0) as [Hlt _]; [unfold acts in E; congruence|lia] end. }
    destruct (closed_next nat acts symbols w Hsym l (pair_of f, h) (g x y) Hl Hin ltac:(simpl; congruence))
      as (new & Hnew & Hincl).
    unfold Checker.next in Hnew. cbn [fst snd] in Hnew. rewrite Ea in Hnew.
    destruct (decides w h (g x y)) as [[s' [[m' h']|]]|] eqn:E; destruct aft as [[m p']|]; try discriminate;
      destruct (Nat.eqb_spec s s') as [<-|]; try discriminate.
    - simpl in Hnew. destruct (motion_eqb m m') eqn:Em; [|discriminate]. apply motion_eqb_eq in Em. subst m'.
      injection Hnew as <-. rewrite (decides_sound _ _ _ _ _ _ _ _ E Hs) in Hr.
      destruct St as (f' & <- & Hf'). eapply IH; eauto. apply Hincl. left. reflexivity.
    - rewrite (decides_sound _ _ _ _ _ _ _ _ E Hs) in Hr. rewrite stays_ended. apply (stays_halted n). exact Hr.
  Qed.

  (** *** Inputs *)
  Definition stack_of (u : list nat) : nat -> Z -> nat := fun j y => if (y =? 0)%Z then nth j u empty else empty.
  Lemma home_row : (y0 + Z.of_nat home)%Z = 0%Z.
  Proof. parts. match goal with E : (y0 <=? 0)%Z = true |- _ => apply Z.leb_le in E end. unfold home. lia. Qed.
  Lemma empty_fits : fits empty_column y0 (fun _ => empty).
  Proof.
    unfold empty_column. generalize y0. induction height as [|n IH]; intros y; cbn [repeat fits]; auto. split; auto.
    apply mask_has. left. reflexivity.
  Qed.
  Lemma laid_fits cell s k : In s cell -> (forall y, k y = if (y =? 0)%Z then s else empty) ->
    fits (laid_column cell) y0 k.
  Proof.
    intros H E. unfold laid_column. apply (fits_replaced _ _ _ (fun _ => empty)).
    - apply empty_fits.
    - rewrite home_row, E. apply mask_has. exact H.
    - intros z Hz. rewrite home_row in Hz. rewrite E. destruct (Z.eqb_spec z 0); [congruence|reflexivity].
  Qed.
  Lemma begins_stands m sd d p : m = maps_of sd -> inside_ok col sd m = true ->
    among_nodes 0 (push col m empty_column 0) = true -> begins m p = true ->
    exists n, In n (nodes_for m p) /\ stands y0 col m d n (stack_of []).
  Proof.
    intros Hm Hi Hb H. unfold begins in H. apply existsb_exists in H as (n & Hn & H). apply among_in in H.
    exists n. split; auto. eapply wider_stands; eauto. eapply blanks_stand; eauto. intros j.
    eapply fits_same; [|apply empty_fits]. intros z. unfold stack_of. destruct (z =? 0)%Z, j; reflexivity.
  Qed.
  Lemma edge_stands m sd d l flip p cell q s u n : m = maps_of sd -> inside_ok col sd m = true ->
    edges_ok m l flip = true -> In (p, cell, q) l -> In s cell ->
    In n (nodes_for m (if flip then q else p)) -> stands y0 col m d n (stack_of u) ->
    exists n', In n' (nodes_for m (if flip then p else q)) /\ stands y0 col m d n' (stack_of (s :: u)).
  Proof.
    intros Hm Hi H Hin Hs Hn S. unfold edges_ok in H. rewrite forallb_forall in H. specialize (H _ Hin). simpl in H.
    destruct flip; rewrite forallb_forall in H; specialize (H _ Hn); apply existsb_exists in H as (n' & Hp & H);
      apply among_in in H; exists n'; (split; [exact H|]); apply stands_less; eapply push_stands; eauto;
      apply (laid_fits _ s); auto.
  Qed.
  Lemma left_stands d p u q : path (before_head i) p u q -> forall v n, In n (nodes_for ml p) ->
    standsl d n (stack_of v) -> exists n', In n' (nodes_for ml q) /\ standsl d n' (stack_of (rev_append u v)).
  Proof.
    parts. induction 1 as [p|p cell q s u r Hin Hs _ IH]; intros v n Hn S; [eauto|].
    edestruct (edge_stands ml) with (flip := false) as (n' & Hn' & S'); eauto.
  Qed.
  Lemma right_stands d q v r : path (after_head i) q v r -> In r (final i) ->
    exists n, In n (nodes_for mr q) /\ standsr d n (stack_of v).
  Proof.
    parts. induction 1 as [p|p cell q s u r Hin Hs _ IH]; intros Hr.
    - eapply begins_stands; eauto. match goal with E : forallb (begins mr) _ = true |- _ =>
        rewrite forallb_forall in E; apply E; exact Hr end.
    - destruct (IH Hr) as (n & Hn & S). edestruct (edge_stands mr) with (flip := true) as (n' & Hn' & S'); eauto.
  Qed.

  Lemma inputs_hold d u s v : admits i u s v -> exists f, pair_of f = 0%nat /\
    holds d f 0 0 (laid empty (- Z.of_nat (length u)) 0 (u ++ s :: v)).
  Proof.
    intros (p & q & r & Hu & Hs & Hv & Hr). parts.
    destruct (begins_stands ml (left_side proof) d 0) as (n0 & Hn0 & S0); auto.
    destruct (left_stands d _ _ _ Hu [] n0 Hn0 S0) as (a & Ha & Sa).
    destruct (right_stands d _ _ _ Hv Hr) as (b & Hb & Sb).
    inversion Hs as [|? cell q1 ? ? ? Hin Hsc Hnil]; subst. inversion Hnil; subst.
    match goal with E : heads_ok = true |- _ => unfold heads_ok in E; rewrite forallb_forall in E; specialize (E _ Hin);
      simpl in E; rewrite forallb_forall in E; specialize (E _ Ha); rewrite forallb_forall in E; specialize (E _ Hb);
      apply named_covers in E as (c & Hc & Hm) end.
    exists (a, 0%N, N.of_nat home, c, b). split; [reflexivity|]. split; [exact Hm|].
    split; [rewrite nat_N_Z; symmetry; apply home_row|]. split; [|split].
    - eapply covers_fits; [exact Hc|]. apply (laid_fits cell s); auto. intros y. unfold laid.
      destruct (Z.eqb_spec y 0); simpl; auto. destruct (Z.leb_spec (- Z.of_nat (length u)) 0); [|lia].
      replace (Z.to_nat _) with (length u) by lia. rewrite app_nth2, Nat.sub_diag by lia. reflexivity.
    - eapply stands_same; [|exact Sa]. intros j y. unfold stack_of, laid. rewrite rev_append_rev, app_nil_r.
      destruct (Z.eqb_spec y 0); cbn [andb]; auto.
      destruct (Z.leb_spec (- Z.of_nat (length u)) (0 - 1 - Z.of_nat j)).
      + rewrite rev_nth, app_nth1 by lia. f_equal. lia.
      + apply nth_overflow. rewrite rev_length. lia.
    - eapply stands_same; [|exact Sb]. intros j y. unfold stack_of, laid. destruct (Z.eqb_spec y 0); cbn [andb]; auto.
      destruct (Z.leb_spec (- Z.of_nat (length u)) (0 + 1 + Z.of_nat j)); [|lia].
      rewrite app_nth2 by lia. replace (Z.to_nat _ - length u)%nat with (S j) by lia. reflexivity.
  Qed.

  Theorem invariant_acts : alphabet w = names who -> start w = place who -> nth empty (names who) ""%string = "λ"%string ->
    check nat Nat.eqb acts symbols w 0%nat = true -> acts_as w who.
  Proof.
    intros Hnames Hstart Hvoid H. do 3 (split; [assumption|]). intros u s v Huv g n c Hrun.
    destruct (check_closed nat Nat.eqb acts symbols w (fun p q => proj1 (Nat.eqb_eq p q)) 0%nat H) as (l & Hc & Hin).
    destruct (inputs_hold n u s v Huv) as (f & Hf & Hh).
    assert (E0 : nth (pair_of f) (expert_of proof) O = 0%nat).
    { rewrite Hf. parts. match goal with R : refines = true |- _ => unfold refines in R;
        apply andb_prop in R as [_ R]; apply Nat.eqb_eq; exact R end. }
    rewrite <- E0. apply (follows l Hc n f 0 0 g (h0 w) c); auto. rewrite Hf. exact Hin.
  Qed.
End Invariant.

(** All of it, as one function. *)
Definition acts_ok (w : dfst) (e : task) (symbols : nat) (proof : material) : bool :=
  let numbered := combine (map N.of_nat (seq 0 (length (columns proof)))) (columns proof) in
  let by_number := fold_right (fun e m => PM.add (N.succ_pos (fst e)) (snd e) m) (PM.empty column) numbered in
  let col c := match PM.find (N.succ_pos c) by_number with Some l => l | None => [] end in
  let by_hash := group (map (fun e => (hash (snd e), fst e)) numbered) in
  let known := group (map (fun f => (key f, f)) (flat_map (fun f => let '(p, row, c, nodes) := f in
    map (fun n => (fst n, p, row, c, snd n)) nodes) (invariant proof))) in
  invariant_ok e proof symbols col by_hash known (maps_of (left_side proof)) (maps_of (right_side proof)) &&
  check nat Nat.eqb (acts proof) symbols w 0%nat.
Theorem acts_if w e symbols proof : alphabet w = names e -> start w = place e -> nth (void e) (names e) ""%string = "λ"%string ->
  acts_ok w e symbols proof = true -> acts_as w e.
Proof.
  unfold acts_ok. intros Hn Hs Hv H. apply andb_prop in H as [H G].
  eapply invariant_acts; [| | |exact H|exact Hn|exact Hs|exact Hv|exact G]; reflexivity.
Qed.
