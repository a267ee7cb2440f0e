(** What the shipped weights of d4 compute, in float64 and in float32: the word problem of the turns and flips of a square.
    a makes 4123 of 1234, and b makes 3214. *)
From Coq Require Import List.
From dfst Require Import Definitions Arranger.
From dfst.build Require d4 d4_float32.
Import ListNotations.

Theorem d4_arranges : arranges d4.weights 4 [4; 1; 2; 3] [3; 2; 1; 4].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions d4_arranges.

Theorem d4_float32_arranges : arranges d4_float32.weights 4 [4; 1; 2; 3] [3; 2; 1; 4].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions d4_float32_arranges.
