(** What the shipped weights of divisible3 compute, in float64 and in float32: whether three divides a binary number. *)
From dfst Require Import Definitions Scanner.
From dfst.build Require divisible3 divisible3_float32.

Theorem divisible3_tells : tells_multiples_of_3 divisible3.weights.
Proof. apply multiples_of_3_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions divisible3_tells.

Theorem divisible3_float32_tells : tells_multiples_of_3 divisible3_float32.weights.
Proof. apply multiples_of_3_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions divisible3_float32_tells.
