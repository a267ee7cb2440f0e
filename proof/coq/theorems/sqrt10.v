(** The shipped weights of sqrt10, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require sqrt10 sqrt10_float32 sqrt10_proof.

Theorem sqrt10_acts : acts_as sqrt10.weights sqrt10_proof.expert.
Proof. apply (acts_if _ _ sqrt10_proof.symbols sqrt10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sqrt10_acts.

Theorem sqrt10_float32_acts : acts_as sqrt10_float32.weights sqrt10_proof.expert.
Proof. apply (acts_if _ _ sqrt10_proof.symbols sqrt10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sqrt10_float32_acts.
