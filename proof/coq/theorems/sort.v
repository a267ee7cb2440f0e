(** What the shipped weights of sort compute, in float64 and in float32: the same digits in ascending order. *)
From Coq Require Import Lia.
From dfst Require Import Definitions Sorter.
From dfst.build Require sort sort_float32.

Theorem sort_sorts : sorts sort.weights 10.
Proof. apply sorts_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sort_sorts.

Theorem sort_float32_sorts : sorts sort_float32.weights 10.
Proof. apply sorts_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions sort_float32_sorts.
