(** An expert arranges: it writes 1 … n behind the word, reads the word, and rearranges them.

    Symbols: letters 0 and 1, the blank 2, then the places 1 … n, then a mark for each of them. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Tape Checker.
Import ListNotations.
Open Scope list_scope.
Open Scope nat_scope.

Inductive arranger_state :=
| Over | Put (todo : list nat) | Turn | Home | Arranged (p : list nat) | Fill (todo : list nat) | Wipe.
Fixpoint list_eqb (l m : list nat) : bool :=
  match l, m with [], [] => true | i :: l, j :: m => (i =? j) && list_eqb l m | _, _ => false end.
Definition same (p q : arranger_state) : bool :=
  match p, q with
  | Over, Over | Turn, Turn | Home, Home | Wipe, Wipe => true
  | Put l, Put m | Arranged l, Arranged m | Fill l, Fill m => list_eqb l m
  | _, _ => false
  end.
Lemma same_eq p q : same p q = true -> p = q.
Proof.
  assert (E : forall l m, list_eqb l m = true -> l = m).
  { induction l as [|i l IH]; intros [|j m] H; simpl in H; try discriminate; auto. apply andb_prop in H as [Hi H].
    apply Nat.eqb_eq in Hi. f_equal; auto. }
  destruct p, q; simpl; intros H; try discriminate; auto; f_equal; auto.
Qed.

Section Arranger.
  Variables (n : nat) (letter : nat -> list nat).
  Notation place := (fun i => 2 + i).

  Definition put (todo : list nat) : option (nat * option (motion * arranger_state)) :=
    match todo with
    | [] => None
    | [i] => Some (place i, Some (L, Turn))
    | i :: rest => Some (place i, Some (R, Put rest))
    end.
  Definition arranger (q : arranger_state) (s : nat) : option (nat * option (motion * arranger_state)) :=
    let go w m q := Some (w, Some (m, q)) in
    match q with
    | Over => if s =? 2 then put (seq 1 n) else if s <? 2 then go s R Over else None
    | Put todo => if s =? 2 then put todo else None
    | Turn => if s =? n + 1 then go s L Home else None
    | Home => if s =? 2 then go s R (Arranged (seq 1 n)) else if s <=? n then go s L Home else None
    | Arranged p => if s <? 2 then go (2 + n + hd 0 p) R (Arranged (moved (letter s) p))
                    else if s =? 3 then go (place (hd 0 p)) R (Fill (tl p)) else None
    | Fill [] => if s =? 2 then go s L Wipe else None
    | Fill (c :: rest) => if (s =? 2 + n - length rest) && (length rest <? n) then go (place c) R (Fill rest) else None
    | Wipe => if s =? 2 then Some (s, None) else if s <? 2 then None else if s <=? 2 + n then go s L Wipe
              else if s <=? 2 + n + n then go 2 L Wipe else None
    end.

  Hypothesis two_places : 2 <= n.
  Lemma no_more_symbols q s : 3 + n + n <= s -> arranger q s = None.
  Proof.
    intros H. destruct q as [|todo| | |p|[|c rest]|]; unfold arranger; cases; reflexivity.
  Qed.

  Definition valid (p : list nat) : Prop := length p = n /\ Forall (fun i => 1 <= i <= n) p.
  Hypothesis letters_valid : forall s, s < 2 -> valid (letter s).
  Lemma moved_valid g p : valid g -> valid p -> valid (moved g p).
  Proof.
    intros [Lg Hg] [Lp Hp]. unfold moved. split; [rewrite map_length; exact Lg|]. rewrite Forall_forall in *.
    intros i Hi. apply in_map_iff in Hi as (j & <- & Hj). apply Hg in Hj. apply Hp, nth_In. lia.
  Qed.
  Lemma seq_valid : valid (seq 1 n).
  Proof. split; [apply seq_length|]. rewrite Forall_forall. intros i Hi. apply in_seq in Hi. lia. Qed.

  Variables (u answer : list nat).
  Hypothesis Hu : Forall (fun s => s < 2) u.
  Notation made := (fold_left (fun p s => moved (letter s) p)).
  Hypothesis Hanswer : made u (seq 1 n) = answer.
  Notation at_ := (at_ 2 arranger_state arranger (leaves 2 (fun v => v = map place answer))).
  Ltac by_rule := unfold arranger; cases; try reflexivity; simpl; auto.

  Lemma puts i l : forall p, at_ Turn (tl (rev (map place l) ++ p)) (hd 2 (rev (map place l) ++ p) :: [place i]) ->
    at_ (Put (l ++ [i])) p [].
  Proof.
    induction l as [|j l IH]; intros p G; apply at_end; cbn [app].
    - apply (go_left _ _ _ _ _ _ _ _ (place i) Turn); [by_rule|exact G].
    - apply (go_right _ _ _ _ _ _ _ _ (place j) (Put (l ++ [i]))).
      + unfold arranger. cbn [Nat.eqb put]. destruct (l ++ [i]) eqn:E; [destruct l; discriminate|reflexivity].
      + apply IH. cbn [map rev] in G. rewrite <- app_assoc in G. exact G.
  Qed.

  (** Marks are wiped out; [m] are those that are left, backwards, and a blank behind them. *)
  Lemma wipes m : Forall (fun s => 2 + n < s <= 2 + n + n) m -> forall j, at_ Wipe (tl (m ++ [2]))
    (hd 2 (m ++ [2]) :: repeat 2 j ++ map place answer ++ [2]).
  Proof.
    induction 1 as [|s m Hs _ IH]; intros j.
    - intros z. eapply halt_here; [cbn [app hd]; by_rule|]. intros g Hg. cbn [app hd tl] in Hg.
      eapply (tape_leaves 2 _ (z + Z.of_nat (length (repeat 2 (S j)))) (rev_append (repeat 2 (S j)) []) _ []
                (map place answer)); [reflexivity| |apply alike_blank|].
      + intros i. rewrite rev_append_rev, app_nil_r. cbn [rev].
        replace (nth i [] 2) with 2 by (destruct i; reflexivity).
        destruct (Nat.lt_ge_cases i (S j)); [|apply nth_overflow; rewrite rev_length, repeat_length; auto].
        rewrite rev_nth by (rewrite repeat_length; auto). apply nth_repeat.
      + intros a c. rewrite Hg. apply (tape_skips 2 (repeat 2 (S j))).
    - cbn [app tl hd]. apply (go_left _ _ _ _ _ _ _ _ 2 Wipe).
      + by_rule.
      + apply (IH (S j)).
  Qed.

  Lemma fills r : forall p, length r <= n -> Forall (fun i => 1 <= i <= n) r ->
    at_ Wipe (tl (rev (map place r) ++ p)) (hd 2 (rev (map place r) ++ p) :: [2]) ->
    at_ (Fill r) p (map place (seq (S (n - length r)) (length r))).
  Proof.
    induction r as [|c r IH]; intros p Hl Hr G.
    - apply at_end. cbn [app]. apply (go_left _ _ _ _ _ _ _ _ 2 Wipe); [by_rule|exact G].
    - cbn [length] in *. assert (Hc := Forall_inv Hr). cbn [seq map].
      apply (go_right _ _ _ _ _ _ _ _ (place c) (Fill r)); [by_rule|].
      replace (S (S (n - S (length r)))) with (S (n - length r)) by lia. apply IH; [lia|apply (Forall_inv_tail Hr)|].
      cbn [map rev] in G. rewrite <- app_assoc in G. exact G.
  Qed.

  Lemma reads v : Forall (fun s => s < 2) v -> forall p m, valid p -> made v p = answer ->
    Forall (fun s => 2 + n < s <= 2 + n + n) m -> at_ (Arranged p) (m ++ [2]) (v ++ map place (seq 1 n)).
  Proof.
    induction 1 as [|s v Hs _ IH]; intros p m Hp E Hm.
    - cbn [app]. destruct Hp as [Lp Hp]. destruct p as [|c r]; [cbn [length] in Lp; lia|]. cbn [length] in Lp.
      apply (at_alike _ _ _ _ _ (m ++ [2]) (place 1 :: map place (seq 2 (length r))));
        [intros i; reflexivity|intros i; rewrite <- Lp; reflexivity|].
      apply (go_right _ _ _ _ _ _ _ _ (place c) (Fill r)); [by_rule|].
      assert (G : at_ (Fill r) (place c :: m ++ [2]) (map place (seq (S (n - length r)) (length r)))).
      { apply fills; [lia|apply (Forall_inv_tail Hp)|].
        replace (rev (map place r) ++ place c :: m ++ [2]) with (rev (map place (c :: r)) ++ m ++ [2])
          by (cbn [map rev]; rewrite <- app_assoc; reflexivity).
        apply walk_left.
        { intros s Hs. apply in_rev in Hs. apply in_map_iff in Hs as (i & <- & Hi). rewrite Forall_forall in Hp.
          apply Hp in Hi. by_rule. }
        rewrite rev_append_rev, rev_involutive. cbn [fold_left] in E. rewrite E. apply (wipes m Hm 0). }
      replace (S (n - length r)) with 2 in G by lia. exact G.
    - cbn [app]. apply (go_right _ _ _ _ _ _ _ _ (2 + n + hd 0 p) (Arranged (moved (letter s) p))); [by_rule|].
      apply (IH _ (2 + n + hd 0 p :: m)); [apply moved_valid; auto|exact E|]. constructor; auto.
      destruct Hp as [Lp Hp]. destruct Hp; cbn [length] in Lp; [lia|]. cbn [hd]. lia.
  Qed.

  Lemma arranges_all : at_ Over [] u.
  Proof.
    rewrite <- (app_nil_r u). rewrite Forall_forall in Hu. apply walk_right.
    { intros s Hs. apply Hu in Hs. by_rule. }
    rewrite rev_append_rev, app_nil_r.
    assert (E : seq 1 n = seq 1 (n - 2) ++ [n - 1; n]).
    { assert (exists k, n = S (S k)) as (k & Ek) by (exists (n - 2); lia). rewrite Ek.
      replace (S (S k) - 2) with k by lia. rewrite !seq_S, <- app_assoc. cbn [app].
      replace (S (S k) - 1) with (1 + k) by lia. reflexivity. }
    assert (G : at_ (Put ((seq 1 (n - 2) ++ [n - 1]) ++ [n])) (rev u) []).
    { apply puts.
      rewrite map_app, rev_app_distr. cbn [map rev app tl hd].
      apply (go_left _ _ _ _ _ _ _ _ (place (n - 1)) Home); [by_rule|].
      rewrite <- (app_nil_r (_ ++ rev u)). apply walk_left.
      { intros s Hs. apply in_app_or in Hs as [Hs|Hs]; apply in_rev in Hs.
        - apply in_map_iff in Hs as (i & <- & Hi). apply in_seq in Hi. by_rule.
        - apply Hu in Hs. by_rule. }
      cbn [tl hd]. apply (go_right _ _ _ _ _ _ _ _ 2 (Arranged (seq 1 n))); [by_rule|].
      rewrite rev_append_rev, rev_app_distr, !rev_involutive, <- app_assoc.
      replace (map place (seq 1 (n - 2)) ++ [place (n - 1); place n])
        with (map place (seq 1 n)) by (rewrite E, map_app; reflexivity).
      apply (reads u) with (m := []); auto; [apply Forall_forall; exact Hu|apply seq_valid]. }
    rewrite <- app_assoc in G. cbn [app] in G. rewrite <- E in G.
    apply at_end. cbn [app]. apply (at_same _ _ _ _ _ (Put (seq 1 n))); [reflexivity|].
    eapply at_alike; [intros i; reflexivity|apply (alike_blank 2 [])|exact G].
  Qed.
End Arranger.

(** So a DFST that acts as this expert does arranges; [valid] is checked as well. *)
Definition validb (n : nat) (p : list nat) : bool := (length p =? n) && forallb (fun i => (1 <=? i) && (i <=? n)) p.
Lemma validb_valid n p : validb n p = true -> valid n p.
Proof.
  unfold validb. intros H. apply andb_prop in H as [L F]. split; [apply Nat.eqb_eq; exact L|]. apply Forall_forall.
  rewrite forallb_forall in F. intros i Hi. apply F, andb_prop in Hi as [H1 H2]. apply Nat.leb_le in H1, H2. lia.
Qed.
Theorem arranges_if w n a b : alphabet w = arrangement_names n -> start w = "first"%string ->
  (2 <=? n) && validb n a && validb n b = true ->
  check _ same (arranger n (fun s => nth s [a; b] [])) (3 + n + n) w Over = true -> arranges w n a b.
Proof.
  intros Hnames Hstart V H. apply andb_prop in V as [V Hb]. apply andb_prop in V as [Hn Ha]. apply Nat.leb_le in Hn.
  eapply answers_as; eauto; [exact same_eq|intros; apply no_more_symbols; auto|].
  intros u [_ Hu]. eapply (arranges_all n (fun s => nth s [a; b] [])); auto.
  intros [|[|s]] Hs; simpl; auto using validb_valid; lia.
Qed.
