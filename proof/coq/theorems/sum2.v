(** What the shipped weights of sum2 compute, in float64 and in float32: the sum of any numbers. *)
From Coq Require Import Lia.
From dfst Require Import Definitions Totaller.
From dfst.build Require sum2 sum2_float32.

Theorem sum2_totals : totals sum2.weights 2.
Proof. apply totals_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sum2_totals.

Theorem sum2_float32_totals : totals sum2_float32.weights 2.
Proof. apply totals_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sum2_float32_totals.
