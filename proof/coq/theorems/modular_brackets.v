(** The shipped weights of modular_brackets, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require modular_brackets modular_brackets_float32 modular_brackets_proof.

Theorem modular_brackets_acts : acts_as modular_brackets.weights modular_brackets_proof.expert.
Proof. apply (acts_if _ _ modular_brackets_proof.symbols modular_brackets_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions modular_brackets_acts.

Theorem modular_brackets_float32_acts : acts_as modular_brackets_float32.weights modular_brackets_proof.expert.
Proof. apply (acts_if _ _ modular_brackets_proof.symbols modular_brackets_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions modular_brackets_float32_acts.
