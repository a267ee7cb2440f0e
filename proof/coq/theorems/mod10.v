(** The shipped weights of mod10, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require mod10 mod10_float32 mod10_proof.

Theorem mod10_acts : acts_as mod10.weights mod10_proof.expert.
Proof. apply (acts_if _ _ mod10_proof.symbols mod10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mod10_acts.

Theorem mod10_float32_acts : acts_as mod10_float32.weights mod10_proof.expert.
Proof. apply (acts_if _ _ mod10_proof.symbols mod10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mod10_float32_acts.
