(** What the shipped weights of duplicate compute, in float64 and in float32: a word twice. *)
From dfst Require Import Definitions Copier.
From dfst.build Require duplicate duplicate_float32.

Theorem duplicate_duplicates : duplicates duplicate.weights.
Proof. apply duplicates_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions duplicate_duplicates.

Theorem duplicate_float32_duplicates : duplicates duplicate_float32.weights.
Proof. apply duplicates_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions duplicate_float32_duplicates.
