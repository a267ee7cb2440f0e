(** The shipped weights of div10, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require div10 div10_float32 div10_proof.

Theorem div10_acts : acts_as div10.weights div10_proof.expert.
Proof. apply (acts_if _ _ div10_proof.symbols div10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions div10_acts.

Theorem div10_float32_acts : acts_as div10_float32.weights div10_proof.expert.
Proof. apply (acts_if _ _ div10_proof.symbols div10_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions div10_float32_acts.
