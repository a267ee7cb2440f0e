(** The shipped weights of gcd10, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require gcd10 gcd10_float32 gcd10_proof.

Theorem gcd10_acts : acts_as gcd10.weights gcd10_proof.expert.
Proof. apply (acts_if _ _ gcd10_proof.symbols gcd10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions gcd10_acts.

Theorem gcd10_float32_acts : acts_as gcd10_float32.weights gcd10_proof.expert.
Proof. apply (acts_if _ _ gcd10_proof.symbols gcd10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions gcd10_float32_acts.
