(** What the shipped weights of add2 compute, in float64 and in float32: the sum of any two numbers. *)
From Coq Require Import Lia.
From dfst Require Import Definitions Adder.
From dfst.build Require add2 add2_float32.

Theorem add2_adds : adds add2.weights 2.
Proof. apply adds_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions add2_adds.

Theorem add2_float32_adds : adds add2_float32.weights 2.
Proof. apply adds_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions add2_float32_adds.
