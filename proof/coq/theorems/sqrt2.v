(** The shipped weights of sqrt2, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require sqrt2 sqrt2_float32 sqrt2_proof.

Theorem sqrt2_acts : acts_as sqrt2.weights sqrt2_proof.expert.
Proof. apply (acts_if _ _ sqrt2_proof.symbols sqrt2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sqrt2_acts.

Theorem sqrt2_float32_acts : acts_as sqrt2_float32.weights sqrt2_proof.expert.
Proof. apply (acts_if _ _ sqrt2_proof.symbols sqrt2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sqrt2_float32_acts.
