(** What the theorems speak of. A reader who trusts Coq has to read this page, and no other.

    A DFST is four tensors A, B, C, h0. It stands on a plane of symbols, reads the symbol s under it, and
        writes argmax B[s] h,    moves by argmax C[s] h,    goes on with A[s] h for h,
    in IEEE 754 arithmetic. The theorems say, for all numbers a and b: whatever the order of its sums, the run on
    `a+b` halts, and nothing but the digits of the sum is left on the plane. *)
From Coq Require Import String List ZArith Bool Permutation Sorted Floats.SpecFloat.
Import ListNotations.
Open Scope string_scope.
Open Scope list_scope.
Open Scope Z_scope.

(** * Floats
    [spec_float], [SFadd], [SFmul] and [SFltb] are those of Coq's standard library: IEEE 754 binary arithmetic,
    rounded to nearest, ties to even. [IEEE.v] shows that they are Flocq's. *)
Definition float := spec_float.
Record format := { prec : Z; emax : Z }.
Definition binary32 := {| prec := 24; emax := 128 |}.
Definition binary64 := {| prec := 53; emax := 1024 |}.
Definition add (f : format) : float -> float -> float := SFadd (prec f) (emax f).
Definition mul (f : format) : float -> float -> float := SFmul (prec f) (emax f).
Definition zero : float := S754_zero false.

(** The float whose bits, as a file holds them, are this number: a sign, an exponent, a fraction. *)
Definition of_bits (f : format) (bits : Z) : float :=
  let unit := 2 ^ (prec f - 1) in
  let sign := 2 * emax f * unit <=? bits in
  let exponent := (bits / unit) mod (2 * emax f) in
  match bits mod unit, exponent =? 0, exponent =? 2 * emax f - 1 with
  | 0, true, _ => S754_zero sign
  | 0, _, true => S754_infinity sign
  | _, _, true => S754_nan
  | fraction, true, _ => S754_finite sign (Z.to_pos fraction) (emin (prec f) (emax f))
  | fraction, _, _ => S754_finite sign (Z.to_pos (unit + fraction)) (emin (prec f) (emax f) + exponent - 1)
  end.

(** A sum of floats in any order, each addition rounded. *)
Inductive sum_of (f : format) : list float -> float -> Prop :=
| sum_nil : sum_of f [] zero
| sum_one x : sum_of f [x] x
| sum_two l l1 l2 x y : Permutation l (l1 ++ l2) -> sum_of f l1 x -> sum_of f l2 y -> sum_of f l (add f x y).

(** * Vectors and matrices; a matrix is the list of its rows *)
Definition vector := list float.
Definition matrix := list vector.
Definition product (f : format) (m : matrix) (h v : vector) : Prop :=
  Forall2 (fun row y => sum_of f (map (fun p => mul f (fst p) (snd p)) (combine row h)) y) m v.

(** The first of the largest. *)
Fixpoint argmax_from (best : nat) (top : float) (i : nat) (l : vector) : nat :=
  match l with
  | [] => best
  | y :: t => if SFltb top y then argmax_from i y (S i) t else argmax_from best top (S i) t
  end.
Definition argmax (l : vector) : nat := match l with [] => O | y :: t => argmax_from O y 1%nat t end.

(** A matrix with [n] columns from the entries that are not 0: in each row, column and bits. *)
Definition dense (f : format) (n : nat) (rows : list (list (nat * Z))) : matrix :=
  map (fun row => map (fun j => of_bits f (fold_right (fun e bits => if Nat.eqb (fst e) j then snd e else bits) 0 row))
                      (seq 0 n)) rows.

(** * The plane: a symbol at each point; U is one row up *)
Definition plane := Z -> Z -> nat.
Inductive motion := U | D | L | R.
Definition dx (m : motion) : Z := match m with L => -1 | R => 1 | _ => 0 end.
Definition dy (m : motion) : Z := match m with D => -1 | U => 1 | _ => 0 end.
Definition write (g : plane) (x y : Z) (s : nat) : plane :=
  fun x' y' => if (x' =? x) && (y' =? y) then s else g x' y'.

(** * DFSTs and their runs; motions and names, of symbols and of the cell where a run starts, come from the file *)
Record dfst := { form : format; A : list matrix; B : list matrix; C : list matrix; h0 : vector;
                 motions : list (option motion);              (* None: it halts *)
                 alphabet : list string; start : string }.
Inductive state := Halted (g : plane) | Running (h : vector) (x y : Z) (g : plane).

Inductive step (w : dfst) : state -> state -> Prop :=
| rests g : step w (Halted g) (Halted g)
| acts h x y g b c h' :
    product (form w) (nth (g x y) (B w) []) h b ->
    product (form w) (nth (g x y) (C w) []) h c ->
    product (form w) (nth (g x y) (A w) []) h h' ->
    step w (Running h x y g)
      (match nth (argmax c) (motions w) None with
       | None => Halted (write g x y (argmax b))
       | Some m => Running h' (x + dx m) (y + dy m) (write g x y (argmax b))
       end).
Inductive run (w : dfst) : state -> nat -> state -> Prop :=
| run_0 s : run w s 0 s
| run_S s t u n : step w s t -> run w t n u -> run w s (S n) u.

(** There are runs from [s], and after some number of steps all of them have halted, with a plane that is [good]. *)
Definition surely (w : dfst) (s : state) (good : plane -> Prop) : Prop :=
  exists n, (exists t, run w s n t) /\ forall t, run w s n t -> exists g, t = Halted g /\ good g.

(** * Numbers: words of digits, the highest first. Symbol d < radix is a digit, then come the blank and the operator *)
Definition digits (radix : nat) (w : list nat) : Prop := w <> [] /\ Forall (fun d => (d < radix)%nat) w.
Definition value (radix : nat) (w : list nat) : Z := fold_left (fun v d => Z.of_nat radix * v + Z.of_nat d) w 0.
Definition blank (radix : nat) : nat := radix.
Definition operator (radix : nat) : nat := S radix.

(** The plane with the word [w] on row [y], from column [x] on, and [empty] everywhere else. *)
Definition laid (empty : nat) (x y : Z) (w : list nat) : plane :=
  fun x' y' => if (y' =? y) && (x <=? x') then nth (Z.to_nat (x' - x)) w empty else empty.
(** The input: a, the operator, b. The operator stands at (0, 0), and there a run starts. *)
Definition question (radix : nat) (a b : list nat) : plane :=
  laid (blank radix) (- Z.of_nat (length a)) 0 (a ++ operator radix :: b).
(** The digits of [n], without a leading zero, stand somewhere on the plane, and nothing else. *)
Definition shows (radix : nat) (n : Z) (g : plane) : Prop :=
  exists x y w, digits radix w /\ value radix w = n /\ (hd 0%nat w <> 0%nat \/ w = [0%nat]) /\
                forall x' y', g x' y' = laid (blank radix) x y w x' y'.

Definition digit_names (radix : nat) : list string := firstn radix ["0"; "1"; "2"; "3"; "4"; "5"; "6"; "7"; "8"; "9"].
Definition computes (w : dfst) (radix : nat) (sign : string) (op : Z -> Z -> Z) : Prop :=
  alphabet w = digit_names radix ++ ["λ"; sign] /\ start w = "operator" /\
  forall a b, digits radix a -> digits radix b ->
  surely w (Running (h0 w) 0 0 (question radix a b)) (shows radix (op (value radix a) (value radix b))).
Definition adds (w : dfst) (radix : nat) : Prop := computes w radix "+" Z.add.
Definition multiplies (w : dfst) (radix : nat) : Prop := computes w radix "×" Z.mul.

(** The input is several numbers, joined by the operator, and a run starts on the first digit. *)
Definition totals (w : dfst) (radix : nat) : Prop :=
  alphabet w = digit_names radix ++ ["λ"; "+"; "|"] /\ start w = "first" /\
  forall a bs, digits radix a -> Forall (digits radix) bs ->
  surely w (Running (h0 w) 0 0 (laid (blank radix) 0 0 (a ++ flat_map (cons (operator radix)) bs)))
    (shows radix (value radix a + fold_right Z.add 0 (map (value radix) bs))).

(** * Words over the symbols before the blank: asked for [u], with the head on its first letter, the run leaves a word
      that is [right u], and nothing else *)
Definition answers (w : dfst) (names : list string) (letters : nat) (right : list nat -> list nat -> Prop) : Prop :=
  alphabet w = names /\ start w = "first" /\
  forall u, digits letters u -> surely w (Running (h0 w) 0 0 (laid letters 0 0 u))
    (fun g => exists x y v, right u v /\ forall x' y', g x' y' = laid letters x y v x' y').
Definition count (s : nat) (u : list nat) : Z := Z.of_nat (count_occ Nat.eq_dec u s).

(** Whether the number of ones is odd; whether three divides the binary number. *)
Definition tells_parity (w : dfst) : Prop := answers w ["0"; "1"; "λ"] 2 (fun u v => v = [Z.to_nat (count 1 u mod 2)]).
Definition tells_multiples_of_3 (w : dfst) : Prop :=
  answers w ["0"; "1"; "λ"] 2 (fun u v => v = [if value 2 u mod 3 =? 0 then 1%nat else 0%nat]).
(** Whether the word ends with the letter it began with. *)
Definition tells_even_pairs (w : dfst) : Prop :=
  answers w ["a"; "b"; "λ"; "0"; "1"] 2
    (fun u v => v = [if Nat.eqb (hd 0%nat u) (last u 0%nat) then 4%nat else 3%nat]).
(** The place on a ring of five after these steps. *)
Definition goes_round (w : dfst) : Prop := answers w ["0"; "+"; "-"; "λ"; "1"; "2"; "3"; "4"] 3
  (fun u v => v = [nth (Z.to_nat ((count 1 u - count 2 u) mod 5)) [0; 4; 5; 6; 7]%nat 0%nat]).
(** The same digits in ascending order. *)
Definition sorts (w : dfst) (radix : nat) : Prop :=
  answers w (digit_names radix ++ ["λ"]) radix (fun u v => Permutation u v /\ Sorted le v).
(** The word backwards; the word twice. *)
Definition letters_and_capitals := ["a"; "b"; "c"; "d"; "e"; "f"; "λ"; "A"; "B"; "C"; "D"; "E"; "F"].
Definition reverses (w : dfst) : Prop := answers w letters_and_capitals 6 (fun u v => v = rev u).
Definition duplicates (w : dfst) : Prop := answers w letters_and_capitals 6 (fun u v => v = u ++ u).
(** The arrangement that a word makes of 1 … n. A letter is known by what it makes: after 51234 the fifth stands first. *)
Definition moved (letter p : list nat) : list nat := map (fun i => nth (i - 1) p 0%nat) letter.
Definition arrangement_names (n : nat) : list string :=
  ["a"; "b"; "λ"] ++ firstn n ["1"; "2"; "3"; "4"; "5"] ++ firstn n ["v"; "w"; "x"; "y"; "z"].
Definition arranges (w : dfst) (n : nat) (a b : list nat) : Prop := answers w (arrangement_names n) 2
    (fun u v => v = map (fun i => 2 + i)%nat (fold_left (fun p s => moved (nth s [a; b] []) p) u (seq 1 n))).

(** * Experts as tables, and inputs as the paths of an automaton: what a model does that acts as its expert
    A rule for a state and a symbol: what to write, and how to go on (None: it halts). Some may be missing. *)
Definition table := list (list (option (nat * option (motion * nat)))).
Definition rule (t : table) (q s : nat) : option (nat * option (motion * nat)) := nth s (nth q t []) None.
Inductive situation := Ended (g : plane) | At (q : nat) (x y : Z) (g : plane).
Definition follow (t : table) (c : situation) : option situation :=
  match c with
  | Ended g => Some c
  | At q x y g => match rule t q (g x y) with
                  | None => None
                  | Some (s, None) => Some (Ended (write g x y s))
                  | Some (s, Some (m, q')) => Some (At q' (x + dx m) (y + dy m) (write g x y s))
                  end
  end.
Fixpoint after (t : table) (n : nat) (c : situation) : option situation :=
  match n with O => Some c | S k => match follow t c with None => None | Some d => after t k d end end.

Definition edge : Type := nat * list nat * nat.                (* a state, symbols of which one is read, the next state *)
Inductive path (edges : list edge) : nat -> list nat -> nat -> Prop :=
| path_nil p : path edges p [] p
| path_cons p cell q s w r : In (p, cell, q) edges -> In s cell -> path edges q w r -> path edges p (s :: w) r.
Record inputs := { before_head : list edge; at_head : list edge; after_head : list edge; final : list nat }.
Definition admits (i : inputs) (u : list nat) (s : nat) (v : list nat) : Prop := exists p q r,
  path (before_head i) 0 u p /\ path (at_head i) p [s] q /\ path (after_head i) q v r /\ In r (final i).

(** An expert: what its symbols are called, where a run of it starts, its blank, its rules, and the inputs asked of it. *)
Record task := { names : list string; place : string; void : nat; rules : table; asked : inputs }.
(** The symbols are the expert's, and on every input, with the head between [u] and [v]: as long as the expert has a
    rule, all runs are where it is. *)
Definition acts_as (w : dfst) (e : task) : Prop :=
  alphabet w = names e /\ start w = place e /\ nth (void e) (names e) "" = "λ" /\
  forall u s v, admits (asked e) u s v ->
  let g := laid (void e) (- Z.of_nat (length u)) 0 (u ++ s :: v) in
  forall n c, run w (Running (h0 w) 0 0 g) n c -> match after (rules e) n (At 0 0 0 g) with
    | None => True
    | Some (Ended g') => c = Halted g'
    | Some (At q x y g') => exists h, c = Running h x y g'
    end.
