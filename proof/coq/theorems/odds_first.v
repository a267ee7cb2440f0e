(** The shipped weights of odds_first, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require odds_first odds_first_float32 odds_first_proof.

Theorem odds_first_acts : acts_as odds_first.weights odds_first_proof.expert.
Proof. apply (acts_if _ _ odds_first_proof.symbols odds_first_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions odds_first_acts.

Theorem odds_first_float32_acts : acts_as odds_first_float32.weights odds_first_proof.expert.
Proof. apply (acts_if _ _ odds_first_proof.symbols odds_first_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions odds_first_float32_acts.
