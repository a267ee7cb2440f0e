(** The shipped weights of stack, in float64 and in float32, act as their expert does on every input. *)
From dfst Require Import Definitions Invariant.
From dfst.build Require stack stack_float32 stack_proof.

Theorem stack_acts : acts_as stack.weights stack_proof.expert.
Proof. apply (acts_if _ _ stack_proof.symbols stack_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions stack_acts.

Theorem stack_float32_acts : acts_as stack_float32.weights stack_proof.expert.
Proof. apply (acts_if _ _ stack_proof.symbols stack_proof.proof);
  [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions stack_float32_acts.
