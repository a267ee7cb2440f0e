(** What the shipped weights of mult2 compute, in float64 and in float32: the product of any two numbers. *)
From Coq Require Import Lia.
From dfst Require Import Definitions Multiplier.
From dfst.build Require mult2 mult2_float32.

Theorem mult2_multiplies : multiplies mult2.weights 2.
Proof. apply multiplies_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mult2_multiplies.

Theorem mult2_float32_multiplies : multiplies mult2_float32.weights 2.
Proof. apply multiplies_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mult2_float32_multiplies.
