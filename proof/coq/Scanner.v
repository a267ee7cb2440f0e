(** Experts that are finite automata: they read the word once, wipe it out, and write what their last state says. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Tape Checker.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

Section Scanner.
  Variables (letters : nat) (next : nat -> nat -> nat) (output : nat -> option nat).
  Definition scanner (q s : nat) : option (nat * option (motion * nat)) :=
    if (s =? letters)%nat then match output q with Some t => Some (t, None) | None => None end
    else if (s <? letters)%nat then Some (letters, Some (R, next q s)) else None.

  Lemma no_more_symbols q s : (S letters <= s)%nat -> scanner q s = None.
  Proof. intros H. unfold scanner. cases; reflexivity. Qed.

  Lemma scans t (right : list nat -> Prop) u : Forall (fun s => (s < letters)%nat) u -> right [t] ->
    forall q x n, output (fold_left next u q) = Some t ->
    ends _ scanner (leaves letters right) q x 0 (tape letters x (repeat letters n) u).
  Proof.
    intros Hu Hr. induction Hu as [|s u Hs _ IH]; intros q x n E.
    - eapply halt_here; [unfold scanner; simpl; rewrite Nat.eqb_refl; simpl in E; rewrite E; reflexivity|].
      intros g Hg. eapply (tape_leaves _ _ _ _ _ [] [t]); [exact Hr| |intros i; reflexivity|exact Hg].
      intros i. simpl rev. rewrite nth_repeat. destruct i; reflexivity.
    - eapply Tape.right; [unfold scanner; simpl hd; cases; reflexivity|]. apply (IH _ _ (S n)). exact E.
  Qed.

  Theorem answers_if w names q0 (right : list nat -> list nat -> Prop) : alphabet w = names ->
    start w = "first"%string ->
    check _ Nat.eqb scanner (S letters) w q0 = true ->
    (forall u, digits letters u -> exists t, output (fold_left next u q0) = Some t /\ right u [t]) ->
      answers w names letters right.
  Proof.
    intros Hnames Hstart H G. eapply answers_as; eauto; [apply Nat.eqb_eq|apply no_more_symbols|].
    intros u Hu. destruct (G u Hu) as (t & E & Hr). apply (scans t (right u) u (proj2 Hu) Hr q0 0 0 E).
  Qed.
End Scanner.

(** * Parity *)
Definition parity_next (q s : nat) : nat := ((q + s) mod 2)%nat.
Lemma count_cons s d u : count s (d :: u) = (if Nat.eqb d s then 1 else 0) + count s u.
Proof. unfold count. simpl. destruct (Nat.eq_dec d s), (Nat.eqb_spec d s); try lia; tauto. Qed.

Theorem parity_if w : alphabet w = ["0"; "1"; "λ"]%string -> start w = "first"%string ->
  check _ Nat.eqb (scanner 2 parity_next Some) 3 w 0%nat = true -> tells_parity w.
Proof.
  intros Hn Hs H. apply (answers_if _ _ _ _ _ _ _ Hn Hs H). intros u Hu. eexists. split; [|reflexivity]. f_equal.
  assert (G : forall v q, Forall (fun d => (d < 2)%nat) v -> (q < 2)%nat ->
    Z.of_nat (fold_left parity_next v q) = (Z.of_nat q + count 1 v) mod 2).
  { induction v as [|d v IH]; intros q Hv Hq; [unfold count; simpl; rewrite Z.add_0_r, Z.mod_small; lia|].
    inversion Hv as [|? ? Hd Hv']; subst. simpl fold_left. rewrite IH; auto; [|apply Nat.mod_upper_bound; lia].
    unfold parity_next. rewrite Nat2Z.inj_mod, Zplus_mod_idemp_l, count_cons. f_equal. cases. }
  specialize (G u 0%nat (proj2 Hu) ltac:(lia)). simpl Z.of_nat in G. rewrite Z.add_0_l in G. lia.
Qed.

(** * Whether three divides *)
Definition rest_next (q s : nat) : nat := ((2 * q + s) mod 3)%nat.
Definition rest_output (q : nat) : option nat := Some (if (q =? 0)%nat then 1%nat else 0%nat).
Theorem multiples_of_3_if w : alphabet w = ["0"; "1"; "λ"]%string -> start w = "first"%string ->
  check _ Nat.eqb (scanner 2 rest_next rest_output) 3 w 0%nat = true -> tells_multiples_of_3 w.
Proof.
  intros Hn Hs H. apply (answers_if _ _ _ _ _ _ _ Hn Hs H). intros u Hu. eexists. split; [|reflexivity].
  unfold rest_output, value.
  assert (G : forall v q z, Z.of_nat q = z mod 3 -> Z.of_nat (fold_left rest_next v q) =
    fold_left (fun v d => Z.of_nat 2 * v + Z.of_nat d) v z mod 3).
  { induction v as [|d v IH]; intros q z Hq; [exact Hq|]. apply IH. unfold rest_next.
    rewrite Nat2Z.inj_mod, Nat2Z.inj_add, Nat2Z.inj_mul, Hq.
    rewrite <- Zplus_mod_idemp_l, Zmult_mod_idemp_r, Zplus_mod_idemp_l.
    reflexivity. }
  rewrite <- (G u 0%nat 0 eq_refl). cases; reflexivity.
Qed.

(** * Even pairs: state 0, and 1 + 2 first + last *)
Definition pairs_next (q s : nat) : nat := match q with O => 1 + 2 * s + s | S k => 1 + 2 * (k / 2) + s end%nat.
Definition pairs_output (q : nat) : option nat :=
  match q with O => None | S k => Some (if (k / 2 =? k mod 2)%nat then 4%nat else 3%nat) end.
Lemma last_cons (v : list nat) : forall d l, last (d :: v) l = last v d.
Proof.
  induction v as [|e v IH]; intros d l; auto. change (last (d :: e :: v) l) with (last (e :: v) l). rewrite !IH.
  reflexivity.
Qed.
Theorem even_pairs_if w : alphabet w = ["a"; "b"; "λ"; "0"; "1"]%string -> start w = "first"%string ->
  check _ Nat.eqb (scanner 2 pairs_next pairs_output) 3 w 0%nat = true -> tells_even_pairs w.
Proof.
  intros Hn Hs H. apply (answers_if _ _ _ _ _ _ _ Hn Hs H). intros u Hu. eexists. split; [|reflexivity].
  destruct Hu as [Hne Hu]. destruct u as [|f u]; [tauto|].
  inversion Hu as [|? ? Hf Hu']; subst. clear H Hne Hu. rewrite last_cons.
  assert (G : forall v l, Forall (fun d => (d < 2)%nat) v -> (l < 2)%nat ->
    fold_left pairs_next v (S (2 * f + l)) = S (2 * f + last v l) /\ (last v l < 2)%nat).
  { induction v as [|d v IH]; intros l Hv Hl; [auto|]. inversion Hv as [|? ? Hd Hv']; subst. cbn [fold_left].
    rewrite last_cons.
    replace (pairs_next (S (2 * f + l)) d) with (S (2 * f + d)); [auto|]. cbn [pairs_next].
    replace ((2 * f + l) / 2)%nat with f by (apply Nat.div_unique with (r := l); lia). lia. }
  cbn [fold_left hd]. replace (pairs_next 0 f) with (S (2 * f + f)) by reflexivity.
  destruct (G u f Hu' Hf) as [-> Hl].
  cbn [pairs_output]. replace ((2 * f + last u f) / 2)%nat with f by (apply Nat.div_unique with (r := last u f); lia).
  replace ((2 * f + last u f) mod 2)%nat with (last u f) by (apply Nat.mod_unique with (q := f); lia). reflexivity.
Qed.

(** * The ring of five *)
Definition ring_next (q s : nat) : nat := ((q + nth s [0; 1; 4] 0) mod 5)%nat.
Definition ring_output (q : nat) : option nat := Some (nth q [0; 4; 5; 6; 7] 0)%nat.
Theorem goes_round_if w : alphabet w = ["0"; "+"; "-"; "λ"; "1"; "2"; "3"; "4"]%string -> start w = "first"%string ->
  check _ Nat.eqb (scanner 3 ring_next ring_output) 4 w 0%nat = true -> goes_round w.
Proof.
  intros Hn Hs H. apply (answers_if _ _ _ _ _ _ _ Hn Hs H). intros u Hu. eexists. split; [|reflexivity].
  unfold ring_output. do 2 f_equal.
  assert (G : forall v q, Forall (fun d => (d < 3)%nat) v -> (q < 5)%nat ->
    Z.of_nat (fold_left ring_next v q) = (Z.of_nat q + count 1 v - count 2 v) mod 5).
  { induction v as [|d v IH]; intros q Hv Hq; [unfold count; simpl; rewrite Z.sub_0_r, Z.add_0_r, Z.mod_small; lia|].
    inversion Hv as [|? ? Hd Hv']; subst. simpl fold_left. rewrite IH; auto; [|apply Nat.mod_upper_bound; lia].
    unfold ring_next. rewrite Nat2Z.inj_mod, !count_cons. rewrite <- Z.add_sub_assoc, Zplus_mod_idemp_l.
    destruct d as [|[|[|d]]]; [| | |lia]; simpl nth; cbn [Nat.eqb].
    - f_equal. lia.
    - f_equal. lia.
    - rewrite <- (Z_mod_plus_full _ (-1)). f_equal. lia. }
  specialize (G u 0%nat (proj2 Hu) ltac:(lia)). simpl Z.of_nat in G. rewrite Z.add_0_l in G. lia.
Qed.
