(** That the definitions say what they should: a plane shows one number and no other, what is said of all runs is said of
    some, and small examples. *)
From Coq Require Import List ZArith Bool Lia Arith Permutation Floats.SpecFloat.
From dfst Require Import Definitions Runs Checker.
Import ListNotations.
Open Scope Z_scope.

(** ** Answers are unique *)
Section Once.
  Variable radix : nat.
  Lemma laid_in x y w i : (i < length w)%nat -> laid radix x y w (x + Z.of_nat i) y = nth i w radix.
  Proof. intros H. unfold laid, blank. cases. f_equal. lia. Qed.
  Lemma laid_out x y w a c : laid radix x y w a c <> radix -> c = y /\ x <= a < x + Z.of_nat (length w).
  Proof.
    unfold laid, blank. cases; try tauto. intros N. split; auto. split; auto.
    destruct (Nat.lt_ge_cases (Z.to_nat (a - x)) (length w)); [lia|]. rewrite nth_overflow in N by auto. tauto.
  Qed.
  Lemma digits_differ w i : digits radix w -> (i < length w)%nat -> nth i w radix <> radix.
  Proof.
    intros [_ H] Hi. rewrite Forall_forall in H. assert (nth i w radix < radix)%nat by (apply H, nth_In; auto). lia.
  Qed.

  (** Of two words that look alike the second starts in the same row, and not further to the right. *)
  Lemma laid_left x y w x' y' w' : digits radix w -> (forall a c, laid radix x y w a c = laid radix x' y' w' a c) ->
    y = y' /\ x' <= x /\ x + Z.of_nat (length w) <= x' + Z.of_nat (length w').
  Proof.
    intros D E. assert (In_ : forall i, (i < length w)%nat ->
      y = y' /\ x' <= x + Z.of_nat i < x' + Z.of_nat (length w')).
    { intros i Hi. apply (laid_out x' y' w'). rewrite <- E, laid_in by auto. apply digits_differ; auto. }
    assert (length w <> O) by (destruct D as [D _]; destruct w; simpl; congruence).
    destruct (In_ O) as (-> & ? & _); [lia|]. destruct (In_ (length w - 1)%nat) as (_ & _ & ?); lia.
  Qed.

  Theorem shows_once n m g : shows radix n g -> shows radix m g -> n = m.
  Proof.
    intros (x & y & w & D & <- & _ & E) (x' & y' & w' & D' & <- & _ & E').
    assert (Same : forall a c, laid radix x y w a c = laid radix x' y' w' a c) by (intros; rewrite <- E; apply E').
    destruct (laid_left _ _ _ _ _ _ D Same) as (-> & ? & ?).
    destruct (laid_left _ _ _ _ _ _ D' (fun a c => eq_sym (Same a c))) as (_ & ? & ?).
    assert (x = x') by lia. subst x'. f_equal. apply nth_ext with (d := radix) (d' := radix); [lia|].
    intros i Hi. assert (Hi' : (i < length w')%nat) by lia. rewrite <- (laid_in x y' w), Same, laid_in; auto.
  Qed.
End Once.

(** ** There are runs of any length *)
Theorem runs_exist w n : forall s, exists t, run w s n t.
Proof.
  induction n as [|n IH]; intros s; [eexists; constructor|]. destruct (step_exists w s) as (t & Ht).
  destruct (IH t) as (u & Hu). exists u. econstructor; eauto.
Qed.

(** ** Examples *)
Example input : map (fun x => question 10 [1; 2]%nat [3]%nat x 0) [-3; -2; -1; 0; 1; 2] = [10; 1; 2; 11; 3; 10]%nat.
Proof. reflexivity. Qed.
Example fifteen : value 10 [0; 1; 5]%nat = 15 /\ value 2 [1; 1; 1; 1]%nat = 15.
Proof. split; reflexivity. Qed.
(** 1, -2, -0, infinity and the smallest float32; 1/2 in float64; in float32 2^24 + 1 is rounded to 2^24. *)
Example ones : map (of_bits binary32) [0x3f800000; 0xc0000000; 0x80000000; 0x7f800000; 1] =
  [S754_finite false 8388608 (-23); S754_finite true 8388608 (-22); S754_zero true;
   S754_infinity false; S754_finite false 1 (-149)].
Proof. reflexivity. Qed.
Example half : of_bits binary64 0x3fe0000000000000 = S754_finite false 4503599627370496 (-53).
Proof. reflexivity. Qed.
Example rounded : add binary32 (of_bits binary32 0x4b800000) (of_bits binary32 0x3f800000) =
  of_bits binary32 0x4b800000.
Proof. reflexivity. Qed.
Example first_of_the_largest : argmax (map (of_bits binary32) [0; 0x3f800000; 0x3f800000; 0x80000000]) = 1%nat.
Proof. reflexivity. Qed.
