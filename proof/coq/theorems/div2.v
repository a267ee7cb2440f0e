(** The shipped weights of div2, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require div2 div2_float32 div2_proof.

Theorem div2_acts : acts_as div2.weights div2_proof.expert div2_proof.empty div2_proof.read.
Proof. apply (acts_if _ _ _ div2_proof.symbols _ div2_proof.proof). vm_cast_no_check (eq_refl true). Qed.
Print Assumptions div2_acts.

Theorem div2_float32_acts : acts_as div2_float32.weights div2_proof.expert div2_proof.empty div2_proof.read.
Proof. apply (acts_if _ _ _ div2_proof.symbols _ div2_proof.proof). vm_cast_no_check (eq_refl true). Qed.
Print Assumptions div2_float32_acts.
