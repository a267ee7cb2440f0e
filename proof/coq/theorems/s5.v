(** What the shipped weights of s5 compute, in float64 and in float32: the word problem of the permutations of five.
    a makes 21345 of 12345, and b makes 51234. *)
From Coq Require Import List.
From dfst Require Import Definitions Arranger.
From dfst.build Require s5 s5_float32.
Import ListNotations.

Theorem s5_arranges : arranges s5.weights 5 [2; 1; 3; 4; 5] [5; 1; 2; 3; 4].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions s5_arranges.

Theorem s5_float32_arranges : arranges s5_float32.weights 5 [2; 1; 3; 4; 5] [5; 1; 2; 3; 4].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions s5_float32_arranges.
