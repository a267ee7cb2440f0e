(** The shipped weights of modular, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require modular modular_float32 modular_proof.

Theorem modular_acts : acts_as modular.weights modular_proof.expert.
Proof. apply (acts_if _ _ modular_proof.symbols modular_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions modular_acts.

Theorem modular_float32_acts : acts_as modular_float32.weights modular_proof.expert.
Proof. apply (acts_if _ _ modular_proof.symbols modular_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions modular_float32_acts.
