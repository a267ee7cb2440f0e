(** The floats of [Definitions.v] are Flocq's, whose operations are proved to round real numbers as IEEE 754 asks for.

    Nothing else uses this file. It stands on the axioms of the real numbers; the theorems about weights do not. *)
From Coq Require Import ZArith Bool Lia Floats.SpecFloat.
From Flocq Require Import Core.Zaux Core.FLX IEEE754.BinarySingleNaN.
From Flocq Require IEEE754.Binary IEEE754.Bits.
From dfst Require Import Definitions.
Open Scope Z_scope.

Section Format.
  Variable f : format.
  Hypothesis prec_gt_0 : Prec_gt_0 (prec f).
  Hypothesis prec_lt_emax : Prec_lt_emax (prec f) (emax f).
  Notation number := (binary_float (prec f) (emax f)).

  Lemma round_nearest_even_equiv s m l : round_nearest_even m l = choice_mode mode_NE s m l.
  Proof. destruct l as [|[]]; try reflexivity. simpl. unfold Round.cond_incr. destruct (Z.even m); reflexivity. Qed.

  Lemma round_aux_equiv s m e l :
    SpecFloat.binary_round_aux (prec f) (emax f) s m e l = binary_round_aux (prec f) (emax f) mode_NE s m e l.
  Proof.
    unfold SpecFloat.binary_round_aux, binary_round_aux. destruct (shr_fexp _ _ _ _ _) as [mrs e']. simpl.
    rewrite (round_nearest_even_equiv s). reflexivity.
  Qed.

  Theorem mul_equiv (x y : number) : mul f (B2SF x) (B2SF y) = B2SF (Bmult mode_NE x y).
  Proof. destruct x, y; try reflexivity. simpl. rewrite B2SF_SF2B. apply round_aux_equiv. Qed.

  Lemma normalize_equiv m e s : SpecFloat.binary_normalize (prec f) (emax f) m e s =
    B2SF (binary_normalize (prec f) (emax f) prec_gt_0 prec_lt_emax mode_NE m e s).
  Proof.
    destruct m; simpl; try reflexivity; rewrite B2SF_SF2B;
      unfold SpecFloat.binary_round, binary_round, shl_align_fexp; destruct (shl_align _ _ _); apply round_aux_equiv.
  Qed.

  Theorem add_equiv (x y : number) : add f (B2SF x) (B2SF y) = B2SF (Bplus mode_NE x y).
  Proof.
    destruct x as [sx|sx| |sx mx ex Bx], y as [sy|sy| |sy my ey By];
      try reflexivity; try (simpl; destruct (Bool.eqb sx sy); reflexivity). apply normalize_equiv.
  Qed.

  Theorem less_equiv (x y : number) : SFltb (B2SF x) (B2SF y) = Bltb x y.
  Proof. reflexivity. Qed.
End Format.

(** And so are the numbers that bits in a file stand for: a fraction of [mw] bits, an exponent of [ew]. *)
Lemma bits_equiv mw ew x : 0 < mw -> 0 < ew ->
  of_bits {| prec := mw + 1; emax := 2 ^ (ew - 1) |} x = Binary.FF2SF (Bits.binary_float_of_bits_aux mw ew x).
Proof.
  intros Hm He. unfold of_bits, Bits.binary_float_of_bits_aux, Bits.split_bits. cbn [prec emax].
  replace (mw + 1 - 1) with mw by lia. replace (2 * 2 ^ (ew - 1)) with (2 ^ ew)
    by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  rewrite (Z.mul_comm (2 ^ ew)). assert (0 < 2 ^ mw) by (apply Z.pow_pos_nonneg; lia).
  assert (2 ^ 1 <= 2 ^ ew) by (apply Z.pow_le_mono_r; lia). change (2 ^ 1) with 2 in *.
  assert (0 <= x mod 2 ^ mw) by (apply Z.mod_pos_bound; lia).
  set (m := x mod 2 ^ mw) in *. set (e := (x / 2 ^ mw) mod 2 ^ ew).
  rewrite (Z.add_comm m), (Z.add_comm e).
  destruct (Zeq_bool_spec e 0), (Z.eqb_spec e 0), (Zeq_bool_spec e (2 ^ ew - 1)), (Z.eqb_spec e (2 ^ ew - 1));
    try lia;
    destruct m as [|p|p]; try lia; try reflexivity; destruct (2 ^ mw + _) eqn:E; try lia; reflexivity.
Qed.
Theorem bits32_equiv x : of_bits binary32 x = Binary.B2SF 24 128 (Bits.b32_of_bits x).
Proof. unfold Bits.b32_of_bits, Bits.binary_float_of_bits. rewrite Binary.B2SF_FF2B.
apply (bits_equiv 23 8); reflexivity. Qed.
Theorem bits64_equiv x : of_bits binary64 x = Binary.B2SF 53 1024 (Bits.b64_of_bits x).
Proof. unfold Bits.b64_of_bits, Bits.binary_float_of_bits. rewrite Binary.B2SF_FF2B.
apply (bits_equiv 52 11); reflexivity. Qed.
