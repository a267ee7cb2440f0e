(** An expert adds: on every input it halts, and leaves the digits of the sum ([Sums.v]).

    It is the expert of [src/dfst/experts/arithmetic.py], with more states, each of which has rules only for what it can
    meet: `left` there is [Start] and [Left] here, by what may come next, and so on. Row 0 is `aaa+bbb`: the sum grows
    inside a, b is eaten from the right. Row -1 holds a second operator under the digit of a that is next. A carry ripples
    at once. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Checker Sums.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

Inductive adder_state :=
| Start | Mark | Pad | OverNew | OverA | OverB | Take | Seek (d : nat) | Add (d : nat) | Carry | Back | Erase | Advance
| Finish | OverSum | Left | Trim.
Scheme Equality for adder_state.

Section Adder.
  Variable radix : nat.
  Hypothesis radix_2 : (2 <= radix)%nat.
  Notation blank := radix.
  Notation plus := (S radix).
  Notation b := (Z.of_nat radix).

  Definition adder (q : adder_state) (s : nat) : option (nat * option (motion * adder_state)) :=
    let go w m q := Some (w, Some (m, q)) in
    let digit m q := if (s <? radix)%nat then go s m q else None in
    match q with
    | Start => if (s =? plus)%nat then go s L Mark else None
    | Mark => if (s =? blank)%nat then go plus U Pad else digit D Mark
    | Pad => if (s =? blank)%nat then go 0%nat R OverNew else digit R OverA
    | OverNew => digit R OverA
    | OverA => if (s =? plus)%nat then go s R OverB else digit R OverA
    | OverB => if (s =? blank)%nat then go s L Take else digit R OverB
    | Take => if (s =? blank)%nat then go s D Trim else if (s =? plus)%nat then go blank D Finish
              else if (s <? radix)%nat then go blank D (Seek s) else None
    | Seek d => if (s =? blank)%nat then go s L (Seek d) else if (s =? plus)%nat then go s U (Add d) else None
    | Add d => if negb (s <? radix)%nat then None
               else if (s + d <? radix)%nat then go (s + d)%nat D Erase else go (s + d - radix)%nat L Carry
    | Carry => if (s =? blank)%nat then go 0%nat R Back else if (s =? radix - 1)%nat then go 0%nat L Carry
               else if (s <? radix)%nat then go (S s) D Advance else None
    | Back => if (s <? radix - 1)%nat then go s L Carry else None
    | Erase => if (s =? plus)%nat then go blank L Mark else None
    | Advance => if (s =? blank)%nat then go s R Advance else if (s =? plus)%nat then go blank L Mark else None
    | Finish => if (s =? blank)%nat then go s L Finish else if (s =? plus)%nat then go blank U OverSum else None
    | OverSum => if (s =? blank)%nat then go s L Left else digit R OverSum
    | Left => if (s =? blank)%nat then go 0%nat U Take else digit L Left
    | Trim => if (s =? blank)%nat then Some (0%nat, None) else if (s =? 0)%nat then go blank R Trim
              else if (s <? radix)%nat then Some (s, None) else None
    end.

  Lemma no_more_symbols q s : (S plus <= s)%nat -> adder q s = None.
  Proof. intros H. unfold adder. destruct q; cases; reflexivity. Qed.

  Variable sum : Z.
  Notation rows := (rows radix).
  Notation ends := (ends adder_state adder (shows radix sum)).
  Notation going := (going radix 0 0).
  Ltac run_rule := rule adder.
  Ltac go_ x' y' := goes run_rule x' y'.
  Ltac keep_ x' y' := keeps run_rule x' y'.

  (** From the digit that has been marked to the last digit of b. *)
  Lemma fetches len k r x r1 r2 : going r len k -> - Z.of_nat len <= x <= 0 ->
    ends Take (0 + Z.of_nat k) 0 (rows r r1 r2) -> ends OverA x 0 (rows r r1 r2).
  Proof.
    intros [D0 D1 _ D3 D4 D5] Hx G. apply (walk_right _ _ _ _ _ _ _ 0); [lia| |].
    { intros a Ha. assert (r a < radix)%nat by (apply D0; lia). run_rule. }
    keep_ 1 0. apply (walk_right _ _ _ _ _ _ _ (Z.of_nat k + 1)); [lia| |].
    { intros a Ha. assert (r a < radix)%nat by (apply D4; lia). run_rule. }
    assert (r (Z.of_nat k + 1) = blank) by (apply D5; lia). keep_ (Z.of_nat k) 0. exact G.
  Qed.

  (** The next digit of the sum, in column -1-i, is marked; where there is none a 0 is put. *)
  Lemma adder_in_place : in_place radix _ adder sum 0 0 plus (-1)
    Mark Take Erase Carry Advance Finish OverSum Left Take Trim Seek Add.
  Proof.
    split; try solve [intros; unfold adder; cases; reflexivity].
    - intros i len k r r1 r2 Hr Hi Hlen H1 G. assert (r1 (0 - 1 - Z.of_nat i) = blank) by auto.
      go_ (0 - 1 - Z.of_nat i) 0. destruct (Nat.eq_dec i len) as [->|Hne].
      + assert (r (0 - 1 - Z.of_nat len) = blank) by (apply (before _ _ _ _ _ _ Hr); lia).
        go_ (- Z.of_nat len) 0. set (r' := set r (0 - 1 - Z.of_nat len) 0).
        assert (Hr' : going r' (S len) k).
        { destruct Hr as [D0 D1 D2 D3 D4 D5]. split; intros; unfold r', set; cases; auto;
            try (apply D0; lia). apply D1. lia. }
        assert (r' (- Z.of_nat len) < radix)%nat by (apply (in_sum _ _ _ _ _ _ Hr'); lia).
        keep_ (- Z.of_nat len + 1) 0. apply (fetches (S len) k); auto; [lia|]. apply (G r' (S len)); auto; try lia.
        * rewrite val_top. replace (r' (0 - 1 - Z.of_nat len)) with 0%nat by (unfold r', set; cases; auto).
          rewrite (val_same _ r' r) by (intros; unfold r', set; cases; auto). lia.
        * intros a Ha. unfold r', set. cases; auto.
      + assert (r (0 - 1 - Z.of_nat i)%Z < radix)%nat by (apply (in_sum _ _ _ _ _ _ Hr); lia).
        keep_ (- Z.of_nat i) 0. apply (fetches len k); auto; [lia|]. apply (G r len); auto; lia.
    - intros r r1 r2 x Hb Hx G. go_ (x + 1) 0.
      assert (E : set r x 0 (x + 1) = r (x + 1)) by (unfold set; cases; auto). rewrite <- E in Hx. keep_ x 0.
      assert (E0 : set r x 0 x = 0%nat) by (unfold set; cases; auto). go_ x (-1).
      eapply ends_rows; [exact G| | |]; intros a; auto. unfold set. cases; auto.
    - intros q r r1 r2 x [-> | ->] Hx H1 G; go_ (x - 1) (-1); exact G.
  Qed.
End Adder.

Theorem adder_adds radix u v : (2 <= radix)%nat -> digits radix u -> digits radix v ->
  ends _ (adder radix) (shows radix (value radix u + value radix v)) Start 0 0 (question radix u v).
Proof.
  intros Hradix Hu Hv. eapply ends_same; [|intros; apply question_rows].
  destruct (question_row radix u v Hu Hv) as (Hr & Eu & Ev). set (r := fun x => question radix u v x 0) in *.
  assert (1 <= length u)%nat by (destruct Hu as [Hu _]; destruct u; simpl; [congruence|lia]).
  assert (r 0 = S radix) by apply Hr. assert (r (-1)%Z < radix)%nat by (apply Hr; lia).
  keeps ltac:(rule adder) (-1) 0. keeps ltac:(rule adder) (0 - 1 - Z.of_nat 0) (-1).
  assert (How := adder_in_place radix Hradix (value radix u + value radix v)).
  apply (eats _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hradix (Z.le_refl 0) How) with (len := length u) (k := length v);
    auto; try lia.
  - destruct Hr as [A0 A1 A2 A3 A4]. split; intros; auto; first [lia|apply A0; lia|apply A1; lia|apply A3; lia|apply A4; lia].
  - intros r' len' r1 x Hlen R0 R1 _ R3 Rp Hx Rv.
    apply (is_alone _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hradix How) with (len := len'); auto.
    rewrite Rv, Z.pow_0_r, Z.mul_1_l, <- Ev, <- Eu. reflexivity.
Qed.

(** So a DFST that acts as this expert does adds. *)
Theorem adds_if radix w : (2 <= radix)%nat -> alphabet w = digit_names radix ++ ["λ"; "+"]%string ->
  start w = "operator"%string ->
  check _ adder_state_beq (adder radix) (S (S radix)) w Start = true -> adds w radix.
Proof.
  intros Hradix Hnames Hstart H. repeat split; auto. intros u v Hu Hv.
  eapply check_sound; [exact internal_adder_state_dec_bl| |exact H|apply adder_adds; auto].
  intros q s Hs. apply no_more_symbols; auto.
Qed.
