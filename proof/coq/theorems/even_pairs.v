(** What the shipped weights of even_pairs compute, in float64 and in float32: whether a word ends with the letter it began with. *)
From dfst Require Import Definitions Scanner.
From dfst.build Require even_pairs even_pairs_float32.

Theorem even_pairs_tells : tells_even_pairs even_pairs.weights.
Proof. apply even_pairs_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions even_pairs_tells.

Theorem even_pairs_float32_tells : tells_even_pairs even_pairs_float32.weights.
Proof. apply even_pairs_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions even_pairs_float32_tells.
