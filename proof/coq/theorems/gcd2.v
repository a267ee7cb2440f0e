(** The shipped weights of gcd2, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require gcd2 gcd2_float32 gcd2_proof.

Theorem gcd2_acts : acts_as gcd2.weights gcd2_proof.expert.
Proof. apply (acts_if _ _ gcd2_proof.symbols gcd2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions gcd2_acts.

Theorem gcd2_float32_acts : acts_as gcd2_float32.weights gcd2_proof.expert.
Proof. apply (acts_if _ _ gcd2_proof.symbols gcd2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions gcd2_float32_acts.
