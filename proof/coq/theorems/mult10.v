(** What the shipped weights of mult10 compute, in float64 and in float32: the product of any two numbers. *)
From Coq Require Import Lia.
From dfst Require Import Definitions Multiplier.
From dfst.build Require mult10 mult10_float32.

Theorem mult10_multiplies : multiplies mult10.weights 10.
Proof. apply multiplies_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mult10_multiplies.

Theorem mult10_float32_multiplies : multiplies mult10_float32.weights 10.
Proof. apply multiplies_if; [lia|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions mult10_float32_multiplies.
