(** What the shipped weights of sum10 compute, in float64 and in float32: the sum of any numbers. *)
From Coq Require Import Lia.
From dfst Require Import Definitions Totaller.
From dfst.build Require sum10 sum10_float32.

Theorem sum10_totals : totals sum10.weights 10.
Proof. apply totals_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sum10_totals.

Theorem sum10_float32_totals : totals sum10_float32.weights 10.
Proof. apply totals_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sum10_float32_totals.
