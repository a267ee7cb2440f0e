(** What the shipped weights of cycle compute, in float64 and in float32: the place on a ring of five. *)
From dfst Require Import Definitions Scanner.
From dfst.build Require cycle cycle_float32.

Theorem cycle_goes_round : goes_round cycle.weights.
Proof. apply goes_round_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions cycle_goes_round.

Theorem cycle_float32_goes_round : goes_round cycle_float32.weights.
Proof. apply goes_round_if; [reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions cycle_float32_goes_round.
