(** The shipped weights of div2, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require div2 div2_float32 div2_proof.

Theorem div2_acts : acts_as div2.weights div2_proof.expert.
Proof. apply (acts_if _ _ div2_proof.symbols div2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions div2_acts.

Theorem div2_float32_acts : acts_as div2_float32.weights div2_proof.expert.
Proof. apply (acts_if _ _ div2_proof.symbols div2_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions div2_float32_acts.
