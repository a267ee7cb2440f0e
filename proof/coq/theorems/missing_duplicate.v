(** The shipped weights of missing_duplicate, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require missing_duplicate missing_duplicate_float32 missing_duplicate_proof.

Theorem missing_duplicate_acts : acts_as missing_duplicate.weights missing_duplicate_proof.expert.
Proof. apply (acts_if _ _ missing_duplicate_proof.symbols missing_duplicate_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions missing_duplicate_acts.

Theorem missing_duplicate_float32_acts : acts_as missing_duplicate_float32.weights missing_duplicate_proof.expert.
Proof. apply (acts_if _ _ missing_duplicate_proof.symbols missing_duplicate_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions missing_duplicate_float32_acts.
