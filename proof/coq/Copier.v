(** Experts that carry letters about, and write what is done in capitals: one writes a word twice, one backwards.

    With k letters, x < k is a letter, k the blank, and k + 1 + x the capital of x. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Tape Checker.
Import ListNotations.
Open Scope list_scope.
Open Scope nat_scope.

Section Letters.
  Variable k : nat.
  Definition capital (x : nat) : nat := S (k + x).
  Definition is_capital (s : nat) : bool := (k <? s) && (s <? S (k + k)).
  Notation letter := (fun x => x < k).

  (** * Twice *)
  Inductive duplicator_state := Take | Carry (x : nat) | OverCopy | OverRest | Lower.
  Definition duplicator (q : duplicator_state) (s : nat) : option (nat * option (motion * duplicator_state)) :=
    let small := s <? k in let go w m q := Some (w, Some (m, q)) in
    match q with
    | Take => if small then go (capital s) R (Carry s) else None
    | Carry x => if s =? k then go (capital x) L OverCopy else if small || is_capital s then go s R (Carry x) else None
    | OverCopy => if s =? k then go s R Lower else if small then go s L OverRest
                  else if is_capital s then go s L OverCopy else None
    | OverRest => if small then go s L OverRest else if is_capital s then go s R Take else None
    | Lower => if s =? k then Some (s, None) else if is_capital s then go (s - S k) R Lower else None
    end.

  (** * Backwards *)
  Inductive reverser_state :=
  | First | Next | GoFirst (x : nat) | Go (x : nat) | Swap (x : nat) | Bring (y : nat) | End | Small.
  Definition reverser (q : reverser_state) (s : nat) : option (nat * option (motion * reverser_state)) :=
    let small := s <? k in let go w m q := Some (w, Some (m, q)) in
    match q with
    | First => if small then go (capital s) R (GoFirst s) else None
    | Next => if small then go (capital s) R (Go s) else if is_capital s then go s R End else None
    | GoFirst x => if small then go s R (GoFirst x) else if s =? k then go s L (Swap x) else None
    | Go x => if small then go s R (Go x) else if is_capital s then go s L (Swap x) else None
    | Swap x => if small then go (capital x) L (Bring s) else if (s =? capital x) && (x <? k) then go s R End else None
    | Bring y => if small then go s L (Bring y) else if is_capital s then go (capital y) R Next else None
    | End => if s =? k then go s L Small else if is_capital s then go s R End else None
    | Small => if s =? k then Some (s, None) else if is_capital s then go (s - S k) L Small else None
    end.
End Letters.
Scheme Equality for reverser_state.
Scheme Equality for duplicator_state.

Section Duplicator.
  Variable k : nat.
  Notation letter := (fun x => x < k).
  Notation caps := (map (capital k)).
  Ltac by_rule := unfold duplicator, is_capital, capital; cases; try reflexivity; simpl; auto.

  Lemma no_more_symbols q s : S (k + k) <= s -> duplicator k q s = None.
  Proof. intros H. unfold duplicator, is_capital. destruct q; cases; reflexivity. Qed.

  Variables (u : list nat).
  Hypothesis Hu : Forall letter u.
  Notation at_ := (at_ k duplicator_state (duplicator k) (leaves k (fun v => v = u ++ u))).

  Lemma caps_in m s : Forall letter m -> In s (caps m) -> k < s < S (k + k).
  Proof.
    intros H Hs. apply in_map_iff in Hs as (x & <- & Hx). rewrite Forall_forall in H. apply H in Hx. unfold capital.
    lia.
  Qed.

  Lemma lowers m : Forall letter m -> forall v, v ++ m = u ++ u -> at_ Lower (rev v) (caps m).
  Proof.
    induction 1 as [|x m Hx _ IH]; intros v E.
    - intros z. eapply halt_here; [unfold duplicator; simpl; rewrite Nat.eqb_refl; reflexivity|]. intros g Hg.
      apply (tape_leaves k _ z (rev v) [k] v [] g); auto; [intros n; reflexivity|intros [|[|]]; reflexivity].
    - simpl. apply (go_right _ _ _ _ _ _ _ _ x Lower); [by_rule; f_equal; f_equal; lia|].
      replace (x :: rev v) with (rev (v ++ [x])) by (rewrite rev_app_distr; reflexivity). apply IH.
      rewrite <- app_assoc. exact E.
  Qed.

  Lemma takes rest : forall done, u = done ++ rest -> rest <> [] -> at_ Take (rev (caps done)) (rest ++ caps done).
  Proof.
    induction rest as [|x rest IH]; intros done E Hne; [tauto|].
    assert (Hd : Forall letter done /\ letter x /\ Forall letter rest).
    { rewrite E in Hu. apply Forall_app in Hu as [H1 H2]. inversion H2; auto. } destruct Hd as (Hd & Hx & Hr).
    rewrite Forall_forall in Hr.
    apply (go_right _ _ _ _ _ _ _ _ (capital k x) (Carry x)); [by_rule|].
    change (at_ (Carry x) (capital k x :: rev (caps done)) (rest ++ caps done)).
    rewrite <- (app_nil_r (rest ++ caps done)). apply walk_right.
    { intros s Hs. apply in_app_or in Hs as [Hs|Hs]; [apply Hr in Hs|apply caps_in in Hs; auto]; by_rule. }
    apply at_end. cbn [app]. apply (go_left _ _ _ _ _ _ _ _ (capital k x) OverCopy); [by_rule|].
    (* the tape before the copy, and the copy, both with x now *)
    set (done' := done ++ [x]). assert (Ed : caps done' = caps done ++ [capital k x])
      by (unfold done'; apply map_app).
    assert (Hd' : Forall letter done') by (unfold done'; apply Forall_app; auto).
    replace (rev_append (rest ++ caps done) (capital k x :: rev (caps done))) with
      (rev (caps done) ++ rev rest ++ rev (caps done')).
    2: { rewrite rev_append_rev, rev_app_distr, Ed, rev_app_distr, <- app_assoc. reflexivity. }
    apply walk_left.
    { intros s Hs. apply in_rev in Hs. apply caps_in in Hs; auto. by_rule. }
    rewrite rev_append_rev, rev_involutive, <- Ed. destruct rest as [|y rest] using rev_ind.
    - (* that was the last letter *)
      clear IH. cbn [rev app]. rewrite <- (app_nil_r (rev (caps done'))). apply walk_left.
      { intros s Hs. apply in_rev in Hs. apply caps_in in Hs; auto. by_rule. }
      cbn [tl hd]. apply (go_right _ _ _ _ _ _ _ _ k Lower); [by_rule|].
      rewrite rev_append_rev, rev_involutive, <- map_app.
      apply (at_alike _ _ _ _ _ [] (caps (done' ++ done'))); [apply (alike_blank _ [])|intros n; reflexivity|].
      apply (lowers (done' ++ done')) with (v := []); [apply Forall_app; auto|]. rewrite E. reflexivity.
    - clear IHrest. rewrite rev_app_distr. cbn [rev app tl hd].
      apply (go_left _ _ _ _ _ _ _ _ y OverRest).
      { assert (y < k) by (apply Hr; apply in_or_app; simpl; auto). by_rule. }
      apply walk_left.
      { intros s Hs. apply in_rev in Hs. assert (s < k) by (apply Hr; apply in_or_app; auto). by_rule. }
      rewrite rev_append_rev, rev_involutive.
      replace (hd k (rev (caps done'))) with (capital k x) by (rewrite Ed, rev_app_distr; reflexivity).
      apply (go_right _ _ _ _ _ _ _ _ (capital k x) Take); [by_rule|].
      replace (capital k x :: tl (rev (caps done'))) with (rev (caps done'))
        by (rewrite Ed, rev_app_distr; reflexivity).
      replace (rest ++ y :: caps done') with ((rest ++ [y]) ++ caps done') by (rewrite <- app_assoc; reflexivity).
      apply IH; [rewrite E; unfold done'; rewrite <- app_assoc; reflexivity|]. destruct rest; discriminate.
  Qed.
End Duplicator.

Theorem duplicates_if w : alphabet w = letters_and_capitals -> start w = "first"%string ->
  check _ duplicator_state_beq (duplicator 6) 13 w Take = true -> duplicates w.
Proof.
  intros Hnames Hstart H. eapply answers_as; eauto;
    [exact internal_duplicator_state_dec_bl|apply (no_more_symbols 6)|].
  intros u [Hne Hu]. assert (G := takes 6 u Hu u [] eq_refl Hne 0%Z). cbn [map rev] in G. rewrite app_nil_r in G.
  exact G.
Qed.

Section Reverser.
  Variable k : nat.
  Notation letter := (fun x => x < k).
  Notation caps := (map (capital k)).
  Ltac by_rule := unfold reverser, is_capital, capital; cases; try reflexivity; simpl; auto.

  Lemma no_more_symbols_reverser q s : S (k + k) <= s -> reverser k q s = None.
  Proof. intros H. unfold reverser, is_capital, capital. destruct q; cases; reflexivity. Qed.

  Variables (u : list nat).
  Hypothesis Hu : Forall letter u.
  Notation at_ := (at_ k reverser_state (reverser k) (leaves k (fun v => v = rev u))).

  (** Capitals become small, from the last one on; [n] is what is left of them, backwards. *)
  Lemma smalls n : Forall letter n -> forall l, rev u = rev n ++ l -> at_ Small (tl (caps n)) (hd k (caps n) :: l).
  Proof.
    induction 1 as [|x n Hx _ IH]; intros l E.
    - intros z. eapply halt_here; [cbn [hd map]; unfold reverser; rewrite Nat.eqb_refl; reflexivity|]. intros g Hg.
      apply (tape_leaves k _ (z + 1) [k] l [] l g); 
        [symmetry; exact E|intros [|[|]]; reflexivity|intros i; reflexivity|].
      intros a c. rewrite Hg. apply (tape_skips k [k]).
    - cbn [map tl hd]. apply (go_left _ _ _ _ _ _ _ _ x Small); [by_rule; f_equal; f_equal; lia|].
      apply IH. simpl in E. rewrite <- app_assoc in E. exact E.
  Qed.

  Lemma finishes p l : Forall letter p -> Forall letter l -> rev u = rev p ++ l -> at_ End (caps p) (caps l).
  Proof.
    intros Hp Hl E. rewrite <- (app_nil_r (caps l)). apply walk_right.
    { intros s Hs. apply (caps_in k l) in Hs; auto. by_rule. }
    apply at_end. cbn [app]. apply (go_left _ _ _ _ _ _ _ _ k Small); [by_rule|].
    replace (rev_append (caps l) (caps p)) with (caps (rev l ++ p))
      by (rewrite rev_append_rev, map_app, map_rev; reflexivity).
    apply (at_alike _ _ _ _ _ (tl (caps (rev l ++ p))) [hd k (caps (rev l ++ p))]);
      [intros n; reflexivity|intros n; apply (alike_blank _ [_])|].
    apply smalls; [apply Forall_app; split; auto; apply Forall_rev; auto|].
    rewrite rev_app_distr, rev_involutive, app_nil_r. exact E.
  Qed.

  (** The first and the last of the letters that are left change places; [t] is what stands behind them. *)
  Lemma exchanges first go x m y p t : (forall s, s < k -> reverser k (go x) s = Some (s, Some (R, go x))) ->
    reverser k first x = Some (capital k x, Some (R, go x)) ->
    reverser k (go x) (hd k t) = Some (hd k t, Some (L, Swap x)) -> x < k -> y < k -> Forall letter m ->
    at_ Next (capital k y :: p) (m ++ capital k x :: t) -> at_ first p (x :: m ++ y :: t).
  Proof.
    intros Hgo Hfirst Hturn Hx Hy Hm G. rewrite Forall_forall in Hm.
    apply (go_right _ _ _ _ _ _ _ _ (capital k x) (go x)); [exact Hfirst|].
    replace (m ++ y :: t) with ((m ++ [y]) ++ t) by (rewrite <- app_assoc; reflexivity). apply walk_right.
    { intros s Hs. apply Hgo. apply in_app_or in Hs as [Hs|[<-|[]]]; auto. }
    rewrite rev_append_rev, rev_app_distr. cbn [rev app].
    apply (at_alike _ _ _ _ _ (y :: rev m ++ capital k x :: p) (hd k t :: tl t));
      [intros n; reflexivity|intros n; destruct t; [destruct n as [|[|]]; reflexivity|reflexivity]|].
    apply (go_left _ _ _ _ _ _ _ _ (hd k t) (Swap x)); [exact Hturn|]. cbn [tl hd].
    apply (go_left _ _ _ _ _ _ _ _ (capital k x) (Bring y)); [by_rule|].
    apply walk_left.
    { intros s Hs. apply in_rev in Hs. apply Hm in Hs. by_rule. }
    cbn [tl hd]. rewrite rev_append_rev, rev_involutive.
    apply (go_right _ _ _ _ _ _ _ _ (capital k y) Next); [by_rule|].
    apply (at_alike _ _ _ _ _ (capital k y :: p) (m ++ capital k x :: t)); [intros n; reflexivity| |exact G].
    destruct t as [|t0 t]; [|intros i; reflexivity]. cbn [tl hd]. intros i.
    rewrite <- (alike_blank k (m ++ [capital k x])), <- app_assoc. reflexivity.
  Qed.

  Lemma rounds n : forall a m b, length m <= n -> u = a ++ m ++ b -> a <> [] -> at_ Next (caps b) (m ++ caps (rev a)).
  Proof.
    induction n as [|n IH]; intros a m b Hn E Ha.
    all: assert (Hl := Hu); rewrite E in Hl; apply Forall_app in Hl as [La Hl]; apply Forall_app in Hl as [Lm Lb].
    all: assert (Turn : exists c r, caps (rev a) = capital k c :: caps r /\ c < k /\ rev a = c :: r).
    1, 3: destruct (rev a) as [|c r] eqn:Er; [apply (f_equal (@rev nat)) in Er; rewrite rev_involutive in Er; tauto|];
      exists c, r; repeat split; auto; apply Forall_rev in La; rewrite Er in La; apply Forall_inv in La; exact La.
    all: destruct Turn as (c & r & Ec & Hc & Er).
    all: assert (Nothing : m = [] -> at_ Next (caps b) (m ++ caps (rev a))).
    1, 3: intros ->; cbn [app] in *; rewrite Ec; apply (go_right _ _ _ _ _ _ _ _ (capital k c) End); [by_rule|];
      apply Forall_rev in La; rewrite Er in La; apply Forall_inv_tail in La; apply (finishes (c :: b) r); auto;
      rewrite E, rev_app_distr, Er; simpl; rewrite <- app_assoc; reflexivity.
    - apply Nothing. destruct m; simpl in *; auto; lia.
    - destruct m as [|x m]; [auto|]. assert (Hx := Forall_inv Lm). assert (Lm' := Forall_inv_tail Lm). cbn beta in Hx.
      destruct m as [|y m _] using rev_ind.
      + (* one letter stays where it is *)
        clear Nothing IH. cbn [app]. apply (go_right _ _ _ _ _ _ _ _ (capital k x) (Go x)); [by_rule|]. rewrite Ec.
        apply (go_left _ _ _ _ _ _ _ _ (capital k c) (Swap x)); [by_rule|]. cbn [tl hd].
        apply (go_right _ _ _ _ _ _ _ _ (capital k x) End); [by_rule|]. rewrite <- Ec.
        apply (finishes (x :: b) (rev a)); auto; [apply Forall_rev; auto|]. rewrite E, !rev_app_distr. reflexivity.
      + clear Nothing. apply Forall_app in Lm' as [Lm' Ly]. assert (Hy := Forall_inv Ly). cbn beta in Hy.
        cbn [app]. rewrite <- app_assoc. cbn [app].
        apply (exchanges Next Go); auto; [intros; by_rule|by_rule|rewrite Ec; cbn [hd]; by_rule|].
        replace (capital k x :: caps (rev a)) with (caps (rev (a ++ [x]))) by (rewrite rev_app_distr; reflexivity).
        apply (IH (a ++ [x]) m (y :: b)).
        * simpl in Hn. rewrite app_length in Hn. lia.
        * rewrite E. simpl. rewrite <- !app_assoc. reflexivity.
        * destruct a; discriminate.
  Qed.

  Lemma reverses_all x m : u = x :: m -> at_ First [] (x :: m).
  Proof.
    intros E. assert (Hl := Hu). rewrite E in Hl. assert (Hx := Forall_inv Hl). assert (Lm := Forall_inv_tail Hl).
    cbn beta in Hx.
    destruct m as [|y m _] using rev_ind.
    - apply (go_right _ _ _ _ _ _ _ _ (capital k x) (GoFirst x)); [by_rule|]. apply at_end. cbn [app].
      apply (go_left _ _ _ _ _ _ _ _ k (Swap x)); [by_rule|]. cbn [tl hd].
      apply (go_right _ _ _ _ _ _ _ _ (capital k x) End); [by_rule|].
      apply (at_alike _ _ _ _ _ (caps [x]) (caps [])); [intros n; reflexivity|apply (alike_blank _ [])|].
      apply (finishes [x] []); auto. rewrite E. reflexivity.
    - apply Forall_app in Lm as [Lm Ly]. assert (Hy := Forall_inv Ly). cbn beta in Hy.
      apply (exchanges First GoFirst x m y [] []); auto; [intros; by_rule|by_rule|cbn [hd]; by_rule|].
      apply (rounds (length m) [x] m [y]); auto. discriminate.
  Qed.
End Reverser.

Theorem reverses_if w : alphabet w = letters_and_capitals -> start w = "first"%string ->
  check _ reverser_state_beq (reverser 6) 13 w First = true -> reverses w.
Proof.
  intros Hnames Hstart H. eapply answers_as; eauto;
    [exact internal_reverser_state_dec_bl|apply (no_more_symbols_reverser 6)|].
  intros u [Hne Hu]. destruct u as [|x m]; [tauto|]. apply (reverses_all 6 (x :: m) Hu x m eq_refl).
Qed.
