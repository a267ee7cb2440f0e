(** The shipped weights of mod2, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require mod2 mod2_float32 mod2_proof.

Theorem mod2_acts : acts_as mod2.weights mod2_proof.expert mod2_proof.empty mod2_proof.read.
Proof. apply (acts_if _ _ _ mod2_proof.symbols _ mod2_proof.proof). vm_cast_no_check (eq_refl true). Qed.
Print Assumptions mod2_acts.

Theorem mod2_float32_acts : acts_as mod2_float32.weights mod2_proof.expert mod2_proof.empty mod2_proof.read.
Proof. apply (acts_if _ _ _ mod2_proof.symbols _ mod2_proof.proof). vm_cast_no_check (eq_refl true). Qed.
Print Assumptions mod2_float32_acts.
