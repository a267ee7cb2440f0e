(** Experts on the plane: how their runs are put together, and the numbers that stand in a row.

    An expert is a table: for a state and a symbol, what to write, and how to go on (None: it halts). *)
From Coq Require Import List ZArith Bool Lia Arith.
From dfst Require Import Definitions.
Import ListNotations.
Open Scope Z_scope.

Definition expert (state : Type) := state -> nat -> option (nat * option (motion * state)).

(** * Rows *)
Definition row := Z -> nat.
Definition set (r : row) (x : Z) (s : nat) : row := fun a => if a =? x then s else r a.
(** [f] on the columns from [lo] to below [hi]. *)
Definition fill (r : row) (lo hi : Z) (f : row) : row := fun a => if (lo <=? a) && (a <? hi) then f a else r a.

Ltac cases :=
  repeat match goal with
  | |- context [Z.eqb ?a ?b] => destruct (Z.eqb_spec a b)
  | |- context [Z.leb ?a ?b] => destruct (Z.leb_spec a b)
  | |- context [Z.ltb ?a ?b] => destruct (Z.ltb_spec a b)
  | |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb_spec a b)
  | |- context [Nat.leb ?a ?b] => destruct (Nat.leb_spec a b)
  | |- context [Nat.ltb ?a ?b] => destruct (Nat.ltb_spec a b)
  end; cbn [andb]; try lia.

Section Runs.
  Variables (state : Type) (act : expert state) (radix : nat) (good : plane -> Prop).

  (** From here the expert halts, with a plane that is good. *)
  Inductive ends : state -> Z -> Z -> plane -> Prop :=
  | halts q x y g s : act q (g x y) = Some (s, None) ->
      (forall g', (forall a b, g' a b = write g x y s a b) -> good g') -> ends q x y g
  | goes q x y g s m q' : act q (g x y) = Some (s, Some (m, q')) ->
      ends q' (x + dx m) (y + dy m) (write g x y s) -> ends q x y g.

  Lemma ends_same q x y g : ends q x y g -> forall g', (forall a b, g' a b = g a b) -> ends q x y g'.
  Proof.
    induction 1 as [q x y g s H G|q x y g s m q' H _ IH]; intros g' E.
    - apply (halts q x y g' s); [rewrite E; exact H|]. intros g2 E2. apply G. intros a b. rewrite E2.
      unfold write. rewrite E. reflexivity.
    - apply (goes q x y g' s m q'); [rewrite E; exact H|]. apply IH. intros a b. unfold write. rewrite E. reflexivity.
  Qed.

  (** Two states that do the same on what they read end alike. *)
  Lemma ends_alike q q' x y g : ends q x y g -> act q' (g x y) = act q (g x y) -> ends q' x y g.
  Proof. intros [? ? ? ? s H G|? ? ? ? s m q2 H G] E; rewrite <- E in H; [eapply halts|eapply goes]; eauto. Qed.

  (** ** On three rows: 0, -1 and -2 *)
  Definition rows (r0 r1 r2 : row) : plane := fun x y =>
    if y =? 0 then r0 x else if y =? -1 then r1 x else if y =? -2 then r2 x else radix.
  Definition on (y : Z) (f : row -> row) (r0 r1 r2 : row) : plane :=
    rows (if y =? 0 then f r0 else r0) (if y =? -1 then f r1 else r1) (if y =? -2 then f r2 else r2).
  Definition pick (y : Z) (r0 r1 r2 : row) : row := fun x => rows r0 r1 r2 x y.
  Definition among (y : Z) : Prop := y = 0 \/ y = -1 \/ y = -2.

  Lemma ends_rows q x y r0 r1 r2 r0' r1' r2' : ends q x y (rows r0 r1 r2) ->
    (forall a, r0' a = r0 a) -> (forall a, r1' a = r1 a) -> (forall a, r2' a = r2 a) -> ends q x y (rows r0' r1' r2').
  Proof. intros H E0 E1 E2. eapply ends_same; [exact H|]. intros a b. unfold rows. rewrite E0, E1, E2. reflexivity.
  Qed.

  Lemma halt_at q x y r0 r1 r2 s : among y -> act q (pick y r0 r1 r2 x) = Some (s, None) ->
    (forall g', (forall a b, g' a b = on y (fun r => set r x s) r0 r1 r2 a b) -> good g') ->
      ends q x y (rows r0 r1 r2).
  Proof.
    intros Y H G. eapply halts; [exact H|]. intros g' E. apply G. intros a b. rewrite E. unfold write, on, rows, set.
    destruct Y as [-> | [-> | ->]]; cbn; cases; reflexivity.
  Qed.

  Lemma go q x y r0 r1 r2 s m q' : among y -> act q (pick y r0 r1 r2 x) = Some (s, Some (m, q')) ->
    ends q' (x + dx m) (y + dy m) (on y (fun r => set r x s) r0 r1 r2) -> ends q x y (rows r0 r1 r2).
  Proof.
    intros Y H G. eapply goes; [exact H|]. eapply ends_same; [exact G|]. intros a b. unfold write, on, rows, set.
    destruct Y as [-> | [-> | ->]]; cbn; cases; reflexivity.
  Qed.

  Lemma go_to x' y' q x y r0 r1 r2 s m q' : among y -> act q (pick y r0 r1 r2 x) = Some (s, Some (m, q')) ->
    x' = x + dx m -> y' = y + dy m -> ends q' x' y' (on y (fun r => set r x s) r0 r1 r2) ->
      ends q x y (rows r0 r1 r2).
  Proof. intros Y H -> -> G. eapply go; eauto. Qed.

  (** A step that writes what it reads. *)
  Lemma keep q x y g m q' : act q (g x y) = Some (g x y, Some (m, q')) -> ends q' (x + dx m) (y + dy m) g ->
    ends q x y g.
  Proof.
    intros H G. eapply goes; [exact H|]. eapply ends_same; [exact G|]. intros a b. unfold write.
    cases; subst; reflexivity.
  Qed.

  Lemma keep_to x' y' q x y g m q' : act q (g x y) = Some (g x y, Some (m, q')) -> x' = x + dx m -> y' = y + dy m ->
    ends q' x' y' g -> ends q x y g.
  Proof. intros H -> -> G. eapply keep; eauto. Qed.

  (** ** Sweeps: a state that goes on in one direction and stays itself *)
  Lemma sweep_right q y r0 r1 r2 f : among y -> forall n x x', x' = x + Z.of_nat n ->
    (forall a, x <= a < x' -> act q (pick y r0 r1 r2 a) = Some (f a, Some (R, q))) ->
    ends q x' y (on y (fun r => fill r x x' f) r0 r1 r2) -> ends q x y (rows r0 r1 r2).
  Proof.
    intros Y n. revert r0 r1 r2. induction n as [|n IH]; intros r0 r1 r2 x x' -> H G.
    - replace (x + Z.of_nat 0) with x in * by lia. eapply ends_same; [exact G|]. intros a b. unfold on, rows, fill.
      cases; reflexivity.
    - eapply go; [exact Y|apply H; lia|]. unfold on, dx, dy. rewrite Z.add_0_r.
      apply (IH _ _ _ (x + 1) (x + Z.of_nat (S n))); [lia| |].
      + intros a Ha. rewrite <- (H a) by lia. unfold pick, rows, set.
        destruct Y as [-> | [-> | ->]]; cbn; cases; reflexivity.
      + eapply ends_same; [exact G|]. intros a b. unfold on, rows, set, fill.
        destruct Y as [-> | [-> | ->]]; cbn; cases; subst; reflexivity.
  Qed.

  Lemma sweep_left q y r0 r1 r2 f : among y -> forall n x x', x' = x - Z.of_nat n ->
    (forall a, x' < a <= x -> act q (pick y r0 r1 r2 a) = Some (f a, Some (L, q))) ->
    ends q x' y (on y (fun r => fill r (x' + 1) (x + 1) f) r0 r1 r2) -> ends q x y (rows r0 r1 r2).
  Proof.
    intros Y n. revert r0 r1 r2. induction n as [|n IH]; intros r0 r1 r2 x x' -> H G.
    - replace (x - Z.of_nat 0) with x in * by lia. eapply ends_same; [exact G|]. intros a b. unfold on, rows, fill.
      cases; reflexivity.
    - eapply go; [exact Y|apply H; lia|]. unfold on, dx, dy. rewrite Z.add_0_r.
      apply (IH _ _ _ (x + -1) (x - Z.of_nat (S n))); [lia| |].
      + intros a Ha. rewrite <- (H a) by lia. unfold pick, rows, set.
        destruct Y as [-> | [-> | ->]]; cbn; cases; reflexivity.
      + eapply ends_same; [exact G|]. intros a b. unfold on, rows, set, fill.
        destruct Y as [-> | [-> | ->]]; cbn; cases; subst; reflexivity.
  Qed.

  Lemma walk_right q y g x x' : x <= x' ->
    (forall a, x <= a < x' -> act q (g a y) = Some (g a y, Some (R, q))) -> ends q x' y g -> ends q x y g.
  Proof.
    intros Hx H G. remember (Z.to_nat (x' - x)) as n eqn:En. revert x Hx En H.
    induction n as [|n IH]; intros x Hx En H; [replace x with x' by lia; exact G|].
    eapply keep; [apply H; lia|]. simpl. rewrite Z.add_0_r. apply IH; try lia. intros a Ha. apply H. lia.
  Qed.

  Lemma walk_left q y g x x' : x' <= x ->
    (forall a, x' < a <= x -> act q (g a y) = Some (g a y, Some (L, q))) -> ends q x' y g -> ends q x y g.
  Proof.
    intros Hx H G. remember (Z.to_nat (x - x')) as n eqn:En. revert x Hx En H.
    induction n as [|n IH]; intros x Hx En H; [replace x with x' by lia; exact G|].
    eapply keep; [apply H; lia|]. simpl. rewrite Z.add_0_r. apply IH; try lia. intros a Ha. apply H. lia.
  Qed.
End Runs.

(** What an expert does, where the symbol that it reads is known. *)
Ltac rule act := unfold pick, rows; cbn [Z.eqb Pos.eqb]; unfold act; cases; reflexivity.
(** One step to (x', y') by a rule that [how] finds; where it writes what it reads, [keeps]. *)
Ltac here := unfold among; lia.
Ltac goes how x' y' := eapply (go_to _ _ _ _ x' y');
  [here|how|cbn [dx dy]; lia|cbn [dx dy]; lia|unfold on; cbn [Z.eqb Pos.eqb]].
Ltac keeps how x' y' := eapply (keep_to _ _ _ x' y'); [how|cbn [dx dy]; lia|cbn [dx dy]; lia|].

(** * The number whose lowest digit stands in column [x], of [n] digits *)
Section Value.
  Variable radix : nat.
  Notation b := (Z.of_nat radix).
  Fixpoint val (r : row) (x : Z) (n : nat) : Z :=
    match n with O => 0 | S k => Z.of_nat (r x) + b * val r (x - 1) k end.

  Lemma val_same r r' n : forall x, (forall a, x - Z.of_nat n < a <= x -> r a = r' a) -> val r x n = val r' x n.
  Proof.
    induction n as [|n IH]; intros x H; simpl; auto. rewrite H by lia. rewrite (IH (x - 1)); auto. intros a Ha.
    apply H. lia.
  Qed.

  Lemma val_split r n m : forall x, val r x (n + m) = val r x n + b ^ Z.of_nat n * val r (x - Z.of_nat n) m.
  Proof.
    induction n as [|n IH]; intros x; cbn [plus val].
    - change (Z.of_nat 0) with 0. rewrite Z.pow_0_r, Z.sub_0_r. lia.
    - rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. replace (x - 1 - Z.of_nat n)
        with (x - Z.succ (Z.of_nat n)) by lia. generalize (val r (x - Z.succ (Z.of_nat n)) m). intros. ring.
  Qed.

  Lemma val_top r n x : val r x (S n) = val r x n + b ^ Z.of_nat n * Z.of_nat (r (x - Z.of_nat n)).
  Proof. replace (S n) with (n + 1)%nat by lia. rewrite val_split. simpl val. ring. Qed.

  Lemma val_bounds r n : forall x, (forall a, x - Z.of_nat n < a <= x -> (r a < radix)%nat) ->
    0 <= val r x n < b ^ Z.of_nat n.
  Proof.
    induction n as [|n IH]; intros x H; simpl val; [simpl; lia|].
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
    assert (0 <= val r (x - 1) n < b ^ Z.of_nat n) by (apply IH; intros; apply H; lia).
    assert (r x < radix)%nat by (apply H; lia). nia.
  Qed.

  Lemma val_zeros r n : forall x, (forall a, x - Z.of_nat n < a <= x -> r a = 0%nat) -> val r x n = 0.
  Proof. induction n as [|n IH]; intros x H; simpl; auto. rewrite H by lia. rewrite IH; [lia|]. intros. apply H. lia.
  Qed.

  (** ** And as a word *)
  Definition word (r : row) (lo : Z) (n : nat) : list nat := map (fun i => r (lo + Z.of_nat i)) (seq 0 n).
  Lemma value_word r lo n : value radix (word r lo n) = val r (lo + Z.of_nat n - 1) n.
  Proof.
    induction n as [|n IH]; [reflexivity|]. unfold word in *. rewrite seq_S, map_app. unfold value in *.
    rewrite fold_left_app, IH. simpl. replace (lo + Z.pos (Pos.of_succ_nat n) - 1) with (lo + Z.of_nat n) by lia. lia.
  Qed.
  Lemma word_length r lo n : length (word r lo n) = n.
  Proof. unfold word. rewrite map_length, seq_length. reflexivity. Qed.
  Lemma word_nth r lo n i d : (i < n)%nat -> nth i (word r lo n) d = r (lo + Z.of_nat i).
  Proof.
    intros H. unfold word. rewrite nth_indep with (d' := r (lo + Z.of_nat 0))
      by (rewrite map_length, seq_length; auto).
    rewrite (map_nth (fun i => r (lo + Z.of_nat i))), seq_nth by auto. reflexivity.
  Qed.

  Lemma value_val r x w : (forall i, (i < length w)%nat ->
    r (x - Z.of_nat (length w) + 1 + Z.of_nat i) = nth i w 0%nat) ->
    value radix w = val r x (length w).
  Proof.
    intros H. set (lo := x - Z.of_nat (length w) + 1) in *.
    replace w with (word r lo (length w)) at 1.
    - rewrite value_word. f_equal. unfold lo. lia.
    - apply nth_ext with (d := 0%nat) (d' := 0%nat); rewrite word_length; auto.
      intros i Hi. rewrite word_nth by auto. apply H. auto.
  Qed.

  Lemma shows_row r lo y n g : (1 <= n)%nat -> (forall a, lo <= a < lo + Z.of_nat n -> (r a < radix)%nat) ->
    (r lo <> 0%nat \/ n = 1%nat) ->
    (forall a c, g a c = if (c =? y) && (lo <=? a) && (a <? lo + Z.of_nat n) then r a else radix) ->
    shows radix (val r (lo + Z.of_nat n - 1) n) g.
  Proof.
    intros Hn Hd Hz Hg. exists lo, y, (word r lo n).
    assert (First : forall d, hd d (word r lo n) = r lo).
    { intros d. destruct n; [lia|]. simpl. f_equal. lia. }
    repeat split.
    - destruct n; [lia|discriminate].
    - apply Forall_forall. intros d H. unfold word in H. apply in_map_iff in H as (i & <- & H). apply in_seq in H.
      apply Hd. lia.
    - apply value_word.
    - rewrite First. destruct (Nat.eq_dec (r lo) 0) as [E|]; auto. destruct Hz as [ | ->]; auto. right. unfold word.
      simpl.
      rewrite Z.add_0_r. congruence.
    - intros a c. rewrite Hg. unfold laid, blank. cases; try reflexivity.
      + rewrite word_nth by lia. f_equal. lia.
      + rewrite nth_overflow; auto. rewrite word_length. lia.
  Qed.

  (** ** The input *)
  Record two_numbers (r : row) (n m : nat) : Prop := {
    in_a : forall x, - Z.of_nat n <= x < 0 -> (r x < radix)%nat;
    before : forall x, x < - Z.of_nat n -> r x = radix;
    middle : r 0 = S radix;
    in_b : forall x, 1 <= x <= Z.of_nat m -> (r x < radix)%nat;
    behind : forall x, Z.of_nat m < x -> r x = radix }.

  Lemma question_row u v : digits radix u -> digits radix v -> let r := fun x => question radix u v x 0 in
    two_numbers r (length u) (length v) /\
    val r (-1) (length u) = value radix u /\ val r (Z.of_nat (length v)) (length v) = value radix v.
  Proof.
    intros [_ Hu] [_ Hv] r. rewrite Forall_forall in Hu, Hv.
    assert (E : forall x, - Z.of_nat (length u) <= x ->
                r x = nth (Z.to_nat (x + Z.of_nat (length u))) (u ++ operator radix :: v) radix).
    { intros x Hx. unfold r, question, laid, blank. cases. f_equal. lia. }
    assert (Eu : forall x, - Z.of_nat (length u) <= x < 0 -> r x = nth (Z.to_nat (x + Z.of_nat (length u))) u radix).
    { intros x Hx. rewrite E, app_nth1 by lia. reflexivity. }
    assert (Ev : forall x, 1 <= x -> r x = nth (Z.to_nat (x - 1)) v radix).
    { intros x Hx. rewrite E, app_nth2 by lia.
      replace (Z.to_nat (x + Z.of_nat (length u)) - length u)%nat with (S (Z.to_nat (x - 1))) by lia. reflexivity. }
    split; [split|split].
    - intros x Hx. rewrite Eu by lia. apply Hu, nth_In. lia.
    - intros x Hx. unfold r, question, laid, blank. cases; reflexivity.
    - rewrite E, app_nth2 by lia. replace (Z.to_nat (0 + Z.of_nat (length u)) - length u)%nat with O by lia.
      reflexivity.
    - intros x Hx. rewrite Ev by lia. apply Hv, nth_In. lia.
    - intros x Hx. rewrite Ev by lia. apply nth_overflow. lia.
    - symmetry. apply value_val. intros i Hi. rewrite Eu by lia.
      replace (Z.to_nat _) with i by lia. apply nth_indep. lia.
    - symmetry. apply value_val. intros i Hi. rewrite Ev by lia.
      replace (Z.to_nat _) with i by lia. apply nth_indep. lia.
  Qed.

  Lemma question_rows u v x y :
    question radix u v x y = rows radix (fun x => question radix u v x 0) (fun _ => radix) (fun _ => radix) x y.
  Proof. unfold rows. cases; subst; auto; unfold question, laid, blank; cases; reflexivity. Qed.
End Value.
