(** What the shipped weights of reverse compute, in float64 and in float32: a word backwards. *)
From dfst Require Import Definitions Copier.
From dfst.build Require reverse reverse_float32.

Theorem reverse_reverses : reverses reverse.weights.
Proof. apply reverses_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions reverse_reverses.

Theorem reverse_float32_reverses : reverses reverse_float32.weights.
Proof. apply reverses_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions reverse_float32_reverses.
