(** What the shipped weights of s3 compute, in float64 and in float32: the word problem of the permutations of three.
    a makes 213 of 123, and b makes 312. *)
From Coq Require Import List.
From dfst Require Import Definitions Arranger.
From dfst.build Require s3 s3_float32.
Import ListNotations.

Theorem s3_arranges : arranges s3.weights 3 [2; 1; 3] [3; 1; 2].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions s3_arranges.

Theorem s3_float32_arranges : arranges s3_float32.weights 3 [2; 1; 3] [3; 1; 2].
Proof. apply arranges_if; [reflexivity|reflexivity|reflexivity|vm_cast_no_check (eq_refl true)]. Qed.
Print Assumptions s3_float32_arranges.
