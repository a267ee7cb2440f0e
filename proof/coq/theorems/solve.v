(** The shipped weights of solve, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require solve solve_float32 solve_proof.

Theorem solve_acts : acts_as solve.weights solve_proof.expert.
Proof. apply (acts_if _ _ solve_proof.symbols solve_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions solve_acts.

Theorem solve_float32_acts : acts_as solve_float32.weights solve_proof.expert.
Proof. apply (acts_if _ _ solve_proof.symbols solve_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions solve_float32_acts.
