(** What the shipped weights of add10 compute, in float64 and in float32: the sum of any two numbers. *)
From Coq Require Import Lia.
From dfst Require Import Definitions Adder.
From dfst.build Require add10 add10_float32.

Theorem add10_adds : adds add10.weights 10.
Proof. apply adds_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions add10_adds.

Theorem add10_float32_adds : adds add10_float32.weights 10.
Proof. apply adds_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions add10_float32_adds.
