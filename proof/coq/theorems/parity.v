(** What the shipped weights of parity compute, in float64 and in float32: whether the number of ones is odd. *)
From dfst Require Import Definitions Scanner.
From dfst.build Require parity parity_float32.

Theorem parity_tells : tells_parity parity.weights.
Proof. apply parity_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions parity_tells.

Theorem parity_float32_tells : tells_parity parity_float32.weights.
Proof. apply parity_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions parity_float32_tells.
