(** The shipped weights of mod2, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require mod2 mod2_float32 mod2_proof.

Theorem mod2_acts : acts_as mod2.weights mod2_proof.expert.
Proof. apply (acts_if _ _ mod2_proof.symbols mod2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mod2_acts.

Theorem mod2_float32_acts : acts_as mod2_float32.weights mod2_proof.expert.
Proof. apply (acts_if _ _ mod2_proof.symbols mod2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mod2_float32_acts.
