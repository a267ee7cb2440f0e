(** What the shipped weights of a5 compute, in float64 and in float32: the word problem of the even permutations of five.
    a makes 51234 of 12345, and b makes 31245. *)
From Coq Require Import List.
From dfst Require Import Definitions Arranger.
From dfst.build Require a5 a5_float32.
Import ListNotations.

Theorem a5_arranges : arranges a5.weights 5 [5; 1; 2; 3; 4] [3; 1; 2; 4; 5].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions a5_arranges.

Theorem a5_float32_arranges : arranges a5_float32.weights 5 [5; 1; 2; 3; 4] [3; 1; 2; 4; 5].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions a5_float32_arranges.
