(** An expert multiplies: on every input it halts, and leaves the digits of the product.

    It is the expert of [src/dfst/experts/arithmetic.py], with more states. Row 0 is `A×b`, and stays so: b is eaten
    from the left, and `A×` moves right over what is eaten. Row -1 holds P, a copy of A that becomes m·A in place; row -2
    holds the sum of all of them. As b's first digit comes first, the sum so far stands one place higher each round. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Checker.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

Inductive multiplier_state :=
| Start | Again | Next | Copy | Put (d : nat) | Zero | Rise | Lift | Shift (d : nat) | TakeM | Bring (d : nat)
| Under (d : nat) | Times (d k : nat) | EndP | Take (k : nat) | Add (k d : nat) | Up (k d : nat) | Back | Look | Peek | Peek2
| Wipe | WipeA | StrikeP | WipeP | Drop | Drop2 | First | First2 | Trim0 (d : nat) | Trim1 (d : nat) | Trim | End
| EndZero.
Scheme Equality for multiplier_state.

Section Multiplier.
  Variable radix : nat.
  Hypothesis radix_2 : (2 <= radix)%nat.
  Notation blank := radix.
  Notation cross := (S radix).
  Notation b := (Z.of_nat radix).

  Definition multiplier (q : multiplier_state) (s : nat) : option (nat * option (motion * multiplier_state)) :=
    let go w m q := Some (w, Some (m, q)) in
    let digit w m q := if (s <? radix)%nat then go w m q else None in
    let empty w m q := if (s =? blank)%nat then go w m q else None in
    let times w m q := if (s =? cross)%nat then go w m q else None in
    match q with
    | Start | Again => times s L Copy
    | Next => digit s L Copy
    | Copy => if (s =? blank)%nat then go s D Zero else digit s D (Put s)
    | Put d => if (s =? 0)%nat then go d U Next else empty d U Next
    | Zero => if (s =? 0)%nat then go 0%nat R Rise else empty 0%nat R Rise
    | Rise => digit s U Lift
    | Lift => digit blank R (Shift s)
    | Shift d => if (s =? cross)%nat then go d R TakeM else digit d R (Shift s)
    | TakeM => digit cross D (Bring s)
    | Bring d => empty s L (Under d)
    | Under d => empty s L (Times d 0)
    | Times d k => if (s =? blank)%nat then if (k =? 0)%nat then go s R EndP else None
                   else digit ((d * s + k) mod radix)%nat L (Times d ((d * s + k) / radix))
    | EndP => if (s =? blank)%nat then go s L (Take 0) else digit s R EndP
    | Take k => if (s =? blank)%nat then if (k =? 0)%nat then go s R Back else None else digit s D (Add k s)
    | Add k d => if (s =? blank)%nat then if (k =? 0)%nat then go d U (Up 0 d) else None
                 else if (s + (d + k) <? radix)%nat then digit (s + (d + k))%nat U (Up 0 d)
                 else digit (s + (d + k) - radix)%nat U (Up 1 d)
    | Up k d => if (s =? d)%nat then digit s L (Take k) else None
    | Back => if (s =? blank)%nat then go s U Look else digit 0%nat R Back
    | Look => digit s R Peek
    | Peek => times s R Peek2
    | Peek2 => if (s =? blank)%nat then go s L Wipe else digit s L Again
    | Wipe => times blank L WipeA
    | WipeA => if (s =? blank)%nat then go s D StrikeP else digit blank L WipeA
    | StrikeP => if (s =? blank)%nat then go s L WipeP else if (s =? 0)%nat then go (radix - 1)%nat R StrikeP else None
    | WipeP => if (s =? blank)%nat then go s R Drop else if (s =? 0)%nat then go blank L WipeP
               else if (s =? radix - 1)%nat then go blank L WipeP else None
    | Drop => empty s D Drop2
    | Drop2 => digit s L First
    | First => empty 0%nat R First2
    | First2 => digit s L (Trim0 s)
    | Trim0 d => if (s =? 0)%nat then go blank R (Trim1 d) else None
    | Trim1 d => if negb (s =? d)%nat then None else if (s =? 0)%nat then go blank R Trim else digit s R End
    | Trim => if (s =? blank)%nat then go 0%nat R EndZero else if (s =? 0)%nat then go blank R Trim else digit s R End
    | End => if (s =? blank)%nat then Some (s, None) else digit s R End
    | EndZero => if (s =? blank)%nat then Some (s, None) else None
    end.

  Lemma no_more_symbols q s : (S cross <= s)%nat -> multiplier q s = None.
  Proof. intros H. unfold multiplier. destruct q; cases; reflexivity. Qed.

  Variable answer : Z.
  Notation good := (shows radix answer).
  Notation rows := (rows radix).
  Notation ends := (ends multiplier_state multiplier good).
  Notation val := (val radix).

  Ltac run_rule := rule multiplier.
  Ltac go_ x' y' := goes run_rule x' y'.
  Ltac keep_ x' y' := keeps run_rule x' y'.

  (** ** The answer on row -2: leading zeros go; of 0 itself one is left *)
  Lemma walks_to_the_end r r0 r1 x lo n : (1 <= n)%nat -> lo <= x <= lo + Z.of_nat n ->
    (forall a, lo <= a < lo + Z.of_nat n -> (r a < radix)%nat) ->
    (forall a, a < lo \/ lo + Z.of_nat n <= a -> r a = blank) -> (forall a, r0 a = blank) ->
      (forall a, r1 a = blank) ->
    (r lo <> 0%nat \/ n = 1%nat) -> val r (lo + Z.of_nat n - 1) n = answer -> ends End x (-2) (rows r0 r1 r).
  Proof.
    intros Hn Hx Hd Hb H0 H1 Hz <-. apply (walk_right _ _ _ _ _ _ _ (lo + Z.of_nat n)); [lia| |].
    { intros a Ha. assert (r a < radix)%nat by (apply Hd; lia). run_rule. }
    assert (r (lo + Z.of_nat n) = blank) by (apply Hb; lia).
    eapply halt_at; [here|run_rule|]. intros g E. apply (shows_row _ _ _ (-2)); auto.
    intros a c. rewrite E. unfold on, Runs.rows, set. cases; subst; auto; apply Hb; lia.
  Qed.

  Lemma trims r0 r1 n : forall r x, (forall a, x <= a < x + Z.of_nat n -> (r a < radix)%nat) ->
    (forall a, a < x \/ x + Z.of_nat n <= a -> r a = blank) -> (forall a, r0 a = blank) -> (forall a, r1 a = blank) ->
    val r (x + Z.of_nat n - 1) n = answer -> ends Trim x (-2) (rows r0 r1 r).
  Proof.
    induction n as [|n IH]; intros r x Hd Hb H0 H1 Hv.
    - assert (E : r x = blank) by (apply Hb; lia).
      go_ (x + 1) (-2). set (r' := set r x 0). assert (E' : r' (x + 1) = blank)
        by (unfold r', set; cases; apply Hb; lia).
      eapply halt_at; [here|run_rule|]. intros g Eg. replace answer with (val r' (x + Z.of_nat 1 - 1) 1).
      + apply (shows_row _ _ _ (-2)); auto; [intros a Ha; unfold r', set; cases|].
        intros a c. rewrite Eg. unfold on, Runs.rows, r', set. cases; auto; try (apply Hb; lia).
      + rewrite <- Hv. simpl. unfold r', set. cases.
    - assert (r x < radix)%nat by (apply Hd; lia). destruct (Nat.eq_dec (r x) 0) as [E|E].
      + go_ (x + 1) (-2). apply IH; auto.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * intros a Ha. unfold set. cases; auto. apply Hb. lia.
        * rewrite <- Hv. rewrite val_top. replace (x + Z.of_nat (S n) - 1 - Z.of_nat n) with x by lia. rewrite E.
          replace (x + 1 + Z.of_nat n - 1) with (x + Z.of_nat (S n) - 1) by lia.
          rewrite (val_same _ (set r x radix) r) by (intros; unfold set; cases; auto). lia.
      + keep_ (x + 1) (-2). apply (walks_to_the_end _ _ _ _ x (S n)); auto; lia.
  Qed.

  (** When b is used up: `A×`, its operator in column [t], and P are wiped out. *)
  Lemma finishes n t r0 r1 r2 : (1 <= n)%nat -> (1 <= t)%nat ->
    (forall a, Z.of_nat t - Z.of_nat n <= a < Z.of_nat t -> (r0 a < radix)%nat) -> r0 (Z.of_nat t) = cross ->
    (forall a, a < Z.of_nat t - Z.of_nat n \/ Z.of_nat t < a -> r0 a = blank) ->
    (forall a, - Z.of_nat n - 1 <= a < Z.of_nat t - 1 -> r1 a = 0%nat) ->
    (forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t - 1 <= a -> r1 a = blank) ->
    (forall a, - Z.of_nat n - 1 <= a < Z.of_nat t - 1 -> (r2 a < radix)%nat) ->
    (forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t - 1 <= a -> r2 a = blank) ->
    val r2 (Z.of_nat t - 2) (n + t) = answer -> ends Wipe (Z.of_nat t) 0 (rows r0 r1 r2).
  Proof.
    intros Hn Ht Hd0 Hc Hb0 Hz1 Hb1 Hd2 Hb2 Hv.
    go_ (Z.of_nat t - 1) 0. set (p0 := set r0 (Z.of_nat t) blank).
    apply (sweep_left _ _ _ _ _ 0 _ _ _ (fun _ => blank)) with (n := n) (x' := Z.of_nat t - Z.of_nat n - 1);
      [here|lia| |].
    { intros a Ha. assert (p0 a < radix)%nat by (unfold p0, set; cases; apply Hd0; lia). run_rule. }
    unfold on; cbn [Z.eqb Pos.eqb]. set (q0 := fill p0 _ _ _).
    assert (Blank0 : forall a, q0 a = blank) by (intros; unfold q0, fill, p0, set; cases; auto; apply Hb0; lia).
    assert (q0 (Z.of_nat t - Z.of_nat n - 1) = blank) by auto.
    keep_ (Z.of_nat t - Z.of_nat n - 1) (-1).
    apply (sweep_right _ _ _ _ _ (-1) _ _ _ (fun _ => radix - 1)%nat) with (n := n) (x' := Z.of_nat t - 1);
      [here|lia| |].
    { intros a Ha. assert (r1 a = 0%nat) by (apply Hz1; lia). run_rule. }
    unfold on; cbn [Z.eqb Pos.eqb]. set (p1 := fill r1 _ _ _).
    assert (p1 (Z.of_nat t - 1) = blank) by (unfold p1, fill; cases; apply Hb1; lia).
    keep_ (Z.of_nat t - 2) (-1).
    apply (sweep_left _ _ _ _ _ (-1) _ _ _ (fun _ => blank)) with (n := (n + t)%nat) (x' := - Z.of_nat n - 2);
      [here|lia| |].
    { intros a Ha. assert (p1 a = 0%nat \/ p1 a = radix - 1)%nat by (unfold p1, fill; cases; auto; left;
        apply Hz1; lia). run_rule. }
    unfold on; cbn [Z.eqb Pos.eqb]. set (q1 := fill p1 _ _ _).
    assert (Blank1 : forall a, q1 a = blank) by (intros; unfold q1, p1, fill; cases; auto; apply Hb1; lia).
    assert (q1 (- Z.of_nat n - 2) = blank) by auto. keep_ (- Z.of_nat n - 1) (-1).
    assert (q1 (- Z.of_nat n - 1) = blank) by auto. keep_ (- Z.of_nat n - 1) (-2).
    assert (Hfirst : (r2 (- Z.of_nat n - 1)%Z < radix)%nat) by (apply Hd2; lia). keep_ (- Z.of_nat n - 2) (-2).
    assert (r2 (- Z.of_nat n - 2) = blank) by (apply Hb2; lia). go_ (- Z.of_nat n - 1) (-2).
    set (p2 := set r2 (- Z.of_nat n - 2) 0).
    assert (E2 : p2 (- Z.of_nat n - 1) = r2 (- Z.of_nat n - 1)) by (unfold p2, set; cases; auto).
    keep_ (- Z.of_nat n - 2) (-2).
    assert (p2 (- Z.of_nat n - 2) = 0%nat) by (unfold p2, set; cases; auto). go_ (- Z.of_nat n - 1) (-2).
    set (q2 := set p2 (- Z.of_nat n - 2) blank).
    assert (Same : forall a, q2 a = r2 a) by (intros; unfold q2, p2, set; cases; auto; symmetry; apply Hb2; lia).
    assert (E : q2 (- Z.of_nat n - 1) = p2 (- Z.of_nat n - 1)) by (rewrite E2; auto).
    destruct (Nat.eq_dec (r2 (- Z.of_nat n - 1)) 0) as [Hz|Hz].
    - go_ (- Z.of_nat n) (-2). apply (trims _ _ (n + t - 1)); auto.
      + intros a Ha. unfold set. cases. rewrite Same. apply Hd2. lia.
      + intros a Ha. unfold set. cases; auto. rewrite Same. apply Hb2. lia.
      + rewrite <- Hv. replace (n + t)%nat with (S (n + t - 1)) at 3 by lia. rewrite val_top.
        replace (Z.of_nat t - 2 - Z.of_nat (n + t - 1)) with (- Z.of_nat n - 1) by lia. rewrite Hz.
        replace (- Z.of_nat n + Z.of_nat (n + t - 1) - 1) with (Z.of_nat t - 2) by lia.
        rewrite (val_same _ _ r2) by (intros; unfold set; cases; auto). lia.
    - keep_ (- Z.of_nat n) (-2). apply (walks_to_the_end _ _ _ _ (- Z.of_nat n - 1) (n + t)); auto; try lia.
      + intros a Ha. rewrite Same. apply Hd2. lia.
      + intros a Ha. rewrite Same. apply Hb2. lia.
      + rewrite <- Hv. replace (- Z.of_nat n - 1 + Z.of_nat (n + t) - 1) with (Z.of_nat t - 2) by lia.
        apply val_same. auto.
  Qed.

  (** ** One round *)
  (** A goes down to row -1, from its last digit on, and a zero before it. *)
  Lemma copies r0 r2 j : forall x r1, (forall a, x - Z.of_nat j < a <= x -> (r0 a < radix)%nat) ->
    r0 (x - Z.of_nat j) = blank ->
    (forall a, x - Z.of_nat j <= a <= x -> r1 a = 0%nat \/ r1 a = blank) ->
    (forall r1', (forall a, x - Z.of_nat j < a <= x -> r1' a = r0 a) -> r1' (x - Z.of_nat j) = 0%nat ->
       (forall a, a < x - Z.of_nat j \/ x < a -> r1' a = r1 a) ->
         ends Rise (x - Z.of_nat j + 1) (-1) (rows r0 r1' r2)) ->
    ends Copy x 0 (rows r0 r1 r2).
  Proof.
    induction j as [|j IH]; intros x r1 Hd Hb H1 G.
    - replace (x - Z.of_nat 0) with x in * by lia. keep_ x (-1). specialize (H1 x ltac:(lia)).
      go_ (x + 1) (-1). apply G; [intros; lia|unfold set; cases; auto|intros; unfold set; cases; auto].
    - assert (r0 x < radix)%nat by (apply Hd; lia). keep_ x (-1). assert (H1x := H1 x ltac:(lia)).
      go_ x 0. keep_ (x - 1) 0. apply IH.
      + intros a Ha. apply Hd. lia.
      + rewrite <- Hb. f_equal. lia.
      + intros a Ha. unfold set. cases. apply H1. lia.
      + intros r1' Ha Hz Hs. replace (x - 1 - Z.of_nat j) with (x - Z.of_nat (S j)) in * by lia. apply G; auto.
        * intros a Hx. destruct (Z.eq_dec a x) as [->|]; [|apply Ha; lia]. rewrite Hs by lia. unfold set. cases; auto.
        * intros a Hx. rewrite Hs by lia. unfold set. cases; auto.
  Qed.

  (** A moves one cell right. *)
  Lemma shifts r1 r2 j : forall x d r0, (d < radix)%nat -> (forall a, x <= a < x + Z.of_nat j ->
    (r0 a < radix)%nat) ->
    r0 (x + Z.of_nat j) = cross ->
    (forall r0', r0' x = d -> (forall a, x < a <= x + Z.of_nat j -> r0' a = r0 (a - 1)) ->
       (forall a, a < x \/ x + Z.of_nat j < a -> r0' a = r0 a) ->
         ends TakeM (x + Z.of_nat j + 1) 0 (rows r0' r1 r2)) ->
    ends (Shift d) x 0 (rows r0 r1 r2).
  Proof.
    induction j as [|j IH]; intros x d r0 Hdd Hd Hc G.
    - replace (x + Z.of_nat 0) with x in * by lia.
      go_ (x + 1) 0. apply G; [unfold set; cases; auto|intros; lia|intros; unfold set; cases; auto].
    - assert (r0 x < radix)%nat by (apply Hd; lia). go_ (x + 1) 0. apply IH; auto.
      + intros a Ha. unfold set. cases. apply Hd. lia.
      + unfold set. cases. rewrite <- Hc. f_equal. lia.
      + intros r0' Hx Ha Hs. replace (x + 1 + Z.of_nat j) with (x + Z.of_nat (S j)) in * by lia. apply G.
        * rewrite Hs by lia. unfold set. cases; auto.
        * intros a Hxa. destruct (Z.eq_dec a (x + 1)) as [->|]; [rewrite Hx; f_equal; lia|].
          rewrite Ha by lia. unfold set. cases; auto.
        * intros a Hxa. rewrite Hs by lia. unfold set. cases; auto.
  Qed.

  (** P is multiplied by [m], digit by digit, with the carry [k]. *)
  Lemma multiplies_row r0 r2 m j : forall x k r1, (forall a, x - Z.of_nat j < a <= x -> (r1 a < radix)%nat) ->
    r1 (x - Z.of_nat j) = blank -> Z.of_nat m * val r1 x j + Z.of_nat k < b ^ Z.of_nat j ->
    (forall r1', (forall a, x - Z.of_nat j < a <= x -> (r1' a < radix)%nat) ->
       (forall a, a <= x - Z.of_nat j \/ x < a -> r1' a = r1 a) ->
         val r1' x j = Z.of_nat m * val r1 x j + Z.of_nat k ->
       ends EndP (x - Z.of_nat j + 1) (-1) (rows r0 r1' r2)) ->
    ends (Times m k) x (-1) (rows r0 r1 r2).
  Proof.
    induction j as [|j IH]; intros x k r1 Hd Hb Hv G.
    - replace (x - Z.of_nat 0) with x in * by lia. simpl in Hv. rewrite Z.mul_0_r in Hv. assert (k = 0)%nat by lia.
      subst k.
      keep_ (x + 1) (-1). apply G; auto. simpl. lia.
    - assert (Hx : (r1 x < radix)%nat) by (apply Hd; lia). remember (m * r1 x + k)%nat as t eqn:Et.
      assert (Ht : t = (radix * (t / radix) + t mod radix)%nat) by (apply Nat.div_mod; lia).
      assert (Hmod : (t mod radix < radix)%nat) by (apply Nat.mod_upper_bound; lia).
      rewrite Nat2Z.inj_succ, Z.pow_succ_r in Hv by lia. cbn [Runs.val] in Hv.
      eapply (go_to _ _ _ _ (x - 1) (-1)) with (s := (t mod radix)%nat) (m := L) (q' := Times m (t / radix));
        [here|rewrite Et; run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|unfold on; cbn [Z.eqb Pos.eqb]].
      set (p := set r1 x (t mod radix)). assert (Same : val p (x - 1) j = val r1 (x - 1) j).
      { apply val_same. intros; unfold p, set; cases; auto. }
      apply IH.
      + intros a Ha. unfold p, set. cases. apply Hd. lia.
      + unfold p, set. cases. rewrite <- Hb. f_equal. lia.
      + rewrite Same. nia.
      + intros r1' Hd' Hs Hv'. replace (x - 1 - Z.of_nat j) with (x - Z.of_nat (S j)) in * by lia.
        assert (Ex : r1' x = (t mod radix)%nat) by (rewrite Hs by lia; unfold p, set; cases; auto).
        apply G.
        * intros a Ha. destruct (Z.eq_dec a x) as [->|]; [lia|]. apply Hd'. lia.
        * intros a Ha. rewrite Hs by lia. unfold p, set. cases; auto.
        * cbn [Runs.val]. rewrite Hv', Ex, Same. nia.
  Qed.

  (** P is added to the sum below it, with the carry [k]; the sum may be as long as P, or empty. *)
  Lemma adds_row r0 r1 j : forall x k z r2, (k <= 1)%nat -> (forall a, x - Z.of_nat j < a <= x ->
    (r1 a < radix)%nat) ->
    r1 (x - Z.of_nat j) = blank ->
    (forall a, x - Z.of_nat j < a <= x -> (r2 a < radix)%nat) /\ z = val r2 x j \/
    k = 0%nat /\ (forall a, x - Z.of_nat j < a <= x -> r2 a = blank) /\ z = 0 ->
    val r1 x j + z + Z.of_nat k < b ^ Z.of_nat j ->
    (forall r2', (forall a, x - Z.of_nat j < a <= x -> (r2' a < radix)%nat) ->
       (forall a, a <= x - Z.of_nat j \/ x < a -> r2' a = r2 a) -> val r2' x j = val r1 x j + z + Z.of_nat k ->
       ends Back (x - Z.of_nat j + 1) (-1) (rows r0 r1 r2')) ->
    ends (Take k) x (-1) (rows r0 r1 r2).
  Proof.
    induction j as [|j IH]; intros x k z r2 Hk Hd Hb H2 Hv G.
    - replace (x - Z.of_nat 0) with x in * by lia. simpl in Hv, H2. assert (k = 0)%nat by lia. subst k.
      keep_ (x + 1) (-1). apply G; auto; [intros; lia|simpl; lia].
    - assert (Hx : (r1 x < radix)%nat) by (apply Hd; lia). keep_ x (-2).
      rewrite Nat2Z.inj_succ, Z.pow_succ_r in Hv by lia. cbn [Runs.val] in Hv.
      (* the digit [s] that is written, and the next carry *)
      assert (Rest : forall s k' z', (s < radix)%nat -> (k' <= 1)%nat ->
        (forall a, x - 1 - Z.of_nat j < a <= x - 1 -> (r2 a < radix)%nat) /\ z' = val r2 (x - 1) j \/
        k' = 0%nat /\ (forall a, x - 1 - Z.of_nat j < a <= x - 1 -> r2 a = blank) /\ z' = 0 ->
        Z.of_nat s + b * (z' + Z.of_nat k') = Z.of_nat (r1 x) + z + Z.of_nat k ->
        ends (Up k' (r1 x)) x (-1) (rows r0 r1 (set r2 x s))).
      { intros s k' z' Hs Hk' Hz E. keep_ (x - 1) (-1).
        assert (Same : val (set r2 x s) (x - 1) j = val r2 (x - 1) j)
          by (apply val_same; intros; unfold set; cases; auto).
        apply (IH _ _ z'); auto.
        - intros a Ha. apply Hd. lia.
        - rewrite <- Hb. f_equal. lia.
        - rewrite Same. destruct Hz as [[Hz Ez]|[Hz0 [Hz Ez]]]; [left|right]; repeat split; auto;
            intros a Ha; unfold set; cases; apply Hz; lia.
        - nia.
        - intros r2' Hd' Hsame Hv'. replace (x - 1 - Z.of_nat j) with (x - Z.of_nat (S j)) in * by lia.
          assert (Ex : r2' x = s) by (rewrite Hsame by lia; unfold set; cases; auto). apply G.
          + intros a Ha. destruct (Z.eq_dec a x) as [->|]; [lia|]. apply Hd'. lia.
          + intros a Ha. rewrite Hsame by lia. unfold set. cases; auto.
          + cbn [Runs.val]. rewrite Hv', Ex. nia. }
      destruct H2 as [[H2 ->]|(-> & H2 & ->)].
      + assert (Hx2 : (r2 x < radix)%nat) by (apply H2; lia). cbn [Runs.val] in *.
        assert (H2' : forall a, x - 1 - Z.of_nat j < a <= x - 1 -> (r2 a < radix)%nat) by (intros; apply H2; lia).
        destruct (Nat.ltb_spec (r2 x + (r1 x + k)) radix).
        * go_ x (-1). apply (Rest _ _ (val r2 (x - 1) j)); auto. nia.
        * go_ x (-1). apply (Rest _ _ (val r2 (x - 1) j)); auto; nia.
      + assert (Hx2 : r2 x = blank) by (apply H2; lia). go_ x (-1). apply (Rest _ _ 0); auto; [|lia].
        right. repeat split; auto. intros a Ha. apply H2. lia.
  Qed.

  (** P, of which the lowest digit stands in column t-1, is added to the sum; that ends one column before. *)
  Lemma accumulates n t r0 r1 r2 z : (forall a, - Z.of_nat n - 1 <= a < Z.of_nat t -> (r1 a < radix)%nat) ->
    (forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t <= a -> r1 a = blank) ->
    t = 0%nat /\ (forall a, r2 a = blank) /\ z = 0 \/
    (1 <= t)%nat /\ (forall a, - Z.of_nat n - 1 <= a < Z.of_nat t - 1 -> (r2 a < radix)%nat) /\
      (forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t - 1 <= a ->
        r2 a = blank) /\ z = val r2 (Z.of_nat t - 2) (n + t) ->
    val r1 (Z.of_nat t - 1) (S (n + t)) + b * z < b ^ Z.of_nat (S (n + t)) ->
    (forall r2', (forall a, - Z.of_nat n - 1 <= a < Z.of_nat t -> (r2' a < radix)%nat) ->
       (forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t <= a -> r2' a = blank) ->
       val r2' (Z.of_nat t - 1) (S (n + t)) = val r1 (Z.of_nat t - 1) (S (n + t)) + b * z ->
       ends Back (- Z.of_nat n - 1) (-1) (rows r0 r1 r2')) ->
    ends (Take 0) (Z.of_nat t - 1) (-1) (rows r0 r1 r2).
  Proof.
    intros Hd Hb [(-> & H2 & ->)|(Ht & H2d & H2b & ->)] Hv G.
    - apply (adds_row _ _ (S (n + 0)) _ _ 0); auto; try lia.
      + intros a Ha. apply Hd. lia.
      + apply Hb. lia.
      + intros r2' Hd' Hs Hv'. replace (Z.of_nat 0 - 1 - Z.of_nat (S (n + 0)) + 1) with (- Z.of_nat n - 1) by lia.
        apply G.
        * intros a Ha. apply Hd'. lia.
        * intros a Ha. rewrite Hs by lia. apply H2.
        * rewrite Hv'. lia.
    - set (x := Z.of_nat t - 1) in *. assert (Hx : x = Z.of_nat t - 1) by reflexivity. clearbody x.
      assert (r1 x < radix)%nat by (apply Hd; lia). assert (r2 x = blank) by (apply H2b; lia).
      replace (Z.of_nat t - 2) with (x - 1) in * by lia.
      keep_ x (-2). go_ x (-1). keep_ (x - 1) (-1). rewrite Nat2Z.inj_succ, Z.pow_succ_r in Hv by lia.
      cbn [Runs.val] in Hv.
      set (p := set r2 x (r1 x)). assert (Same : val p (x - 1) (n + t) = val r2 (x - 1) (n + t)).
      { apply val_same. intros. unfold p, set. cases; auto. }
      apply (adds_row _ _ (n + t) _ _ (val r2 (x - 1) (n + t))); auto.
      + intros a Ha. apply Hd. lia.
      + apply Hb. lia.
      + left. split; auto. intros a Ha. unfold p, set. cases. apply H2d. lia.
      + nia.
      + intros r2' Hd' Hs Hv'. replace (x - 1 - Z.of_nat (n + t) + 1) with (- Z.of_nat n - 1) by lia.
        assert (Ex : r2' x = r1 x) by (rewrite Hs by lia; unfold p, set; cases; auto). apply G.
        * intros a Ha. destruct (Z.eq_dec a x) as [->|]; [lia|]. apply Hd'. lia.
        * intros a Ha. rewrite Hs by lia. unfold p, set. cases; auto. apply H2b. lia.
        * cbn [Runs.val]. rewrite Hv', Ex. lia.
  Qed.

  (** What rows hold when the operator is in column [t]: A of [n] digits, and [k] digits of b that are left; *)
  Record first_row (r0 : row) (n t k : nat) : Prop := {
    in_a : forall a, Z.of_nat t - Z.of_nat n <= a < Z.of_nat t -> (r0 a < radix)%nat;
    before : forall a, a < Z.of_nat t - Z.of_nat n -> r0 a = blank;
    middle : r0 (Z.of_nat t) = cross;
    in_b : forall a, Z.of_nat t + 1 <= a <= Z.of_nat t + Z.of_nat k -> (r0 a < radix)%nat;
    behind : forall a, Z.of_nat t + Z.of_nat k < a -> r0 a = blank }.
  (** the zeros that P has left; *)
  Record second_row (r1 : row) (n t : nat) : Prop := {
    zeros : forall a, - Z.of_nat n - 1 <= a < Z.of_nat t - 1 -> r1 a = 0%nat;
    no_zeros : forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t - 1 <= a -> r1 a = blank }.
  (** and the sum so far, in the same columns, if there is one yet. *)
  Definition third_row (r2 : row) (n t : nat) (z : Z) : Prop :=
    t = 0%nat /\ (forall a, r2 a = blank) /\ z = 0 \/
    (1 <= t)%nat /\ (forall a, - Z.of_nat n - 1 <= a < Z.of_nat t - 1 -> (r2 a < radix)%nat) /\
      (forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t - 1 <= a -> r2 a = blank) /\ z = val r2 (Z.of_nat t - 2) (n + t).

  Lemma round n k t r0 r1 r2 z used : (1 <= n)%nat -> first_row r0 n t (S k) ->
    second_row r1 n t \/ t = 0%nat /\ (forall a, r1 a = blank) -> third_row r2 n t z ->
    let A := val r0 (Z.of_nat t - 1) n in let m := Z.of_nat (r0 (Z.of_nat t + 1)) in
    z = A * used -> 0 <= used < b ^ Z.of_nat t ->
    (forall p0 p1 p2, first_row p0 n (S t) k -> second_row p1 n (S t) -> third_row p2 n (S t) (b * z + m * A) ->
       val p0 (Z.of_nat t) n = A -> (forall a, Z.of_nat t + 1 < a -> p0 a = r0 a) ->
       ends Peek2 (Z.of_nat t + 2) 0 (rows p0 p1 p2)) ->
    ends Copy (Z.of_nat t - 1) 0 (rows r0 r1 r2).
  Proof.
    intros Hn [Ha0 Hb0 Hc0 Hd0 He0] H1 H2 A m Hz Hused G.
    assert (Hz1 : forall a, - Z.of_nat n - 1 <= a < Z.of_nat t - Z.of_nat n - 1 -> r1 a = 0%nat).
    { intros a Ha. destruct H1 as [[Hz1 _]|[-> _]]; [apply Hz1|]; lia. }
    assert (Hm1 : forall a, r1 a = 0%nat \/ r1 a = blank).
    { intros a. destruct H1 as [[Hz1' Hb1]|[_ Hb1]]; auto.
      destruct (Z_lt_ge_dec a (- Z.of_nat n - 1)); [right; apply Hb1; lia|].
      destruct (Z_lt_ge_dec a (Z.of_nat t - 1)); [left; apply Hz1'; lia|right; apply Hb1; lia]. }
    assert (Hb1 : forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t <= a -> r1 a = blank).
    { intros a Ha. destruct H1 as [[_ Hb1]|[_ Hb1]]; [apply Hb1; lia|auto]. }
    assert (Hm : (r0 (Z.of_nat t + 1)%Z < radix)%nat) by (apply Hd0; lia).
    assert (HA : 0 <= A < b ^ Z.of_nat n) by (apply val_bounds; intros; apply Ha0; lia).
    (* P becomes A *)
    apply (copies _ _ n); [intros; apply Ha0; lia|apply Hb0; lia|intros; apply Hm1; lia|];
      intros p1 Hcopy Hzero Hrest.
    assert (Hd1 : forall a, - Z.of_nat n - 1 <= a < Z.of_nat t -> (p1 a < radix)%nat).
    { intros a Ha. destruct (Z_lt_ge_dec (Z.of_nat t - 1 - Z.of_nat n) a); [rewrite Hcopy by lia; apply Ha0; lia|].
      destruct (Z.eq_dec a (Z.of_nat t - 1 - Z.of_nat n)) as [->|]; [lia|rewrite Hrest, Hz1 by lia; lia]. }
    assert (He1 : forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t <= a ->
      p1 a = blank) by (intros; rewrite Hrest by lia; apply Hb1; lia).
    assert (HP : val p1 (Z.of_nat t - 1) (S (n + t)) = A).
    { replace (S (n + t)) with (n + S t)%nat by lia. rewrite val_split.
      rewrite (val_same _ p1 r0) by (intros; apply Hcopy; lia).
      rewrite (val_zeros _ p1); [unfold A; lia|]. intros a Ha.
      destruct (Z.eq_dec a (Z.of_nat t - 1 - Z.of_nat n)) as [->|]; [lia|rewrite Hrest, Hz1 by lia; lia]. }
    (* A moves right *)
    replace (Z.of_nat t - 1 - Z.of_nat n + 1) with (Z.of_nat t - Z.of_nat n) by lia.
    assert (p1 (Z.of_nat t - Z.of_nat n)%Z < radix)%nat by (apply Hd1; lia). keep_ (Z.of_nat t - Z.of_nat n) 0.
    assert (r0 (Z.of_nat t - Z.of_nat n)%Z < radix)%nat by (apply Ha0; lia). go_ (Z.of_nat t - Z.of_nat n + 1) 0.
    apply (shifts _ _ (n - 1)); auto.
    { intros a Ha. unfold set. cases. apply Ha0. lia. }
    { unfold set. cases. rewrite <- Hc0. f_equal. lia. }
    intros q0 Hq0 Hq1 Hq2. replace (Z.of_nat t - Z.of_nat n + 1 + Z.of_nat (n - 1) + 1) with (Z.of_nat t + 1) by lia.
    assert (Em : q0 (Z.of_nat t + 1) = r0 (Z.of_nat t + 1)) by (rewrite Hq2 by lia; unfold set; cases; auto).
    go_ (Z.of_nat t + 1) (-1). rewrite Em. set (p0 := set q0 (Z.of_nat t + 1) cross).
    assert (Hp0 : forall a, Z.of_nat t - Z.of_nat n + 1 <= a < Z.of_nat t + 1 -> p0 a = r0 (a - 1)).
    { intros a Ha. unfold p0, set at 1. cases. destruct (Z.eq_dec a (Z.of_nat t - Z.of_nat n + 1)) as [->|].
      - rewrite Hq0. f_equal. lia.
      - rewrite Hq1 by lia. unfold set. cases; auto. }
    assert (Hp1 : forall a, Z.of_nat t + 1 < a -> p0 a = r0 a).
    { intros a Ha. unfold p0, set at 1. cases. rewrite Hq2 by lia. unfold set. cases; auto. }
    assert (Row0 : first_row p0 n (S t) k).
    { split; intros.
      - rewrite Hp0 by lia. apply Ha0. lia.
      - unfold p0, set at 1. cases. rewrite Hq2 by lia. unfold set. cases; auto. apply Hb0. lia.
      - unfold p0, set. cases; auto.
      - rewrite Hp1 by lia. apply Hd0. lia.
      - rewrite Hp1 by lia. apply He0. lia. }
    assert (HA' : val p0 (Z.of_nat t) n = A).
    { assert (Slide : forall j x, (forall a, x - Z.of_nat j < a <= x -> p0 a = r0 (a - 1)) ->
        val p0 x j = val r0 (x - 1) j).
      { induction j as [|j IH]; intros x Hx; simpl; auto. rewrite Hx by lia. rewrite IH; auto. intros. apply Hx. lia.
        }
      apply Slide. intros. apply Hp0. lia. }
    clearbody p0. clear Hq0 Hq1 Hq2 Em q0.
    (* P becomes m A *)
    assert (p1 (Z.of_nat t + 1) = blank) by (apply He1; lia). keep_ (Z.of_nat t) (-1).
    assert (p1 (Z.of_nat t) = blank) by (apply He1; lia). keep_ (Z.of_nat t - 1) (-1).
    assert (Pow : b ^ Z.of_nat (S (n + t)) = b ^ Z.of_nat n * (b * b ^ Z.of_nat t)).
    { rewrite <- Z.pow_succ_r, <- Z.pow_add_r by lia. f_equal. lia. }
    assert (0 < b ^ Z.of_nat t) by (apply Z.pow_pos_nonneg; lia).
    assert (Bound : b * z + m * A < b ^ Z.of_nat (S (n + t))).
    { rewrite Pow, Hz. assert (b * used + m < b * b ^ Z.of_nat t) by (unfold m; nia). 
      assert (0 <= b * used + m) by (unfold m; nia).
      replace (b * (A * used) + m * A) with (A * (b * used + m)) by ring. nia. }
    assert (0 <= b * z) by (rewrite Hz; nia).
    apply (multiplies_row _ _ _ (S (n + t))).
    { intros a Ha. apply Hd1. lia. }
    { apply He1. lia. }
    { rewrite HP. fold m. lia. }
    replace (Z.of_nat t - 1 - Z.of_nat (S (n + t)) + 1) with (- Z.of_nat n - 1) by lia.
    intros q1 Hdq Hsq Hvq. rewrite HP in Hvq. fold m in Hvq.
    assert (Hd1' : forall a, - Z.of_nat n - 1 <= a < Z.of_nat t -> (q1 a < radix)%nat) by (intros; apply Hdq; lia).
    assert (He1' : forall a, a < - Z.of_nat n - 1 \/ Z.of_nat t <= a ->
      q1 a = blank) by (intros; rewrite Hsq by lia; apply He1; lia).
    apply (walk_right _ _ _ _ _ _ _ (Z.of_nat t)); [lia| |].
    { intros a Ha. assert (q1 a < radix)%nat by (apply Hd1'; lia). run_rule. }
    assert (q1 (Z.of_nat t) = blank) by (apply He1'; lia). keep_ (Z.of_nat t - 1) (-1).
    (* and is added; its digits become zeros *)
    apply (accumulates n t _ _ _ z); auto; [lia|]. intros p2 Hd2 Hb2 Hv2.
    apply (sweep_right _ _ _ _ _ (-1) _ _ _ (fun _ => 0%nat)) with (n := S (n + t)) (x' := Z.of_nat t); [here|lia| |].
    { intros a Ha. assert (q1 a < radix)%nat by (apply Hd1'; lia). run_rule. }
    unfold on; cbn [Z.eqb Pos.eqb]. set (o1 := fill q1 _ _ _).
    assert (Row1 : second_row o1 n (S t)).
    { split; intros; unfold o1, fill; cases; auto. }
    assert (o1 (Z.of_nat t) = blank) by (apply Row1; lia). keep_ (Z.of_nat t) 0.
    assert (p0 (Z.of_nat t) < radix)%nat by (apply (in_a _ _ _ _ Row0); lia). keep_ (Z.of_nat t + 1) 0.
    assert (p0 (Z.of_nat t + 1) = cross) by (rewrite <- (middle _ _ _ _ Row0); f_equal; lia).
    keep_ (Z.of_nat t + 2) 0.
    apply G; auto. right. repeat split; [lia|intros; apply Hd2; lia|intros; apply Hb2; lia|].
    replace (Z.of_nat (S t) - 2) with (Z.of_nat t - 1) by lia. replace (n + S t)%nat with (S (n + t)) by lia. lia.
  Qed.

  Lemma rounds n k : (1 <= n)%nat -> forall t r0 r1 r2 z used, first_row r0 n t (S k) ->
    second_row r1 n t \/ t = 0%nat /\ (forall a, r1 a = blank) -> third_row r2 n t z ->
    let A := val r0 (Z.of_nat t - 1) n in z = A * used -> 0 <= used < b ^ Z.of_nat t ->
    z * b ^ Z.of_nat (S k) + A * val r0 (Z.of_nat t + Z.of_nat (S k)) (S k) = answer ->
    ends Copy (Z.of_nat t - 1) 0 (rows r0 r1 r2).
  Proof.
    intros Hn. induction k as [|k IH]; intros t r0 r1 r2 z used H0 H1 H2 A Hz Hused Hanswer;
      apply (round n _ t r0 r1 r2 z used Hn H0 H1 H2 Hz Hused); intros p0 p1 p2 R0 R1 R2 HA Hsame; fold A in HA, R2;
      remember (Z.of_nat (r0 (Z.of_nat t + 1))) as m eqn:Em;
      rewrite val_top in Hanswer; replace (Z.of_nat t + Z.of_nat _ - Z.of_nat _)
        with (Z.of_nat t + 1) in Hanswer by lia;
      rewrite <- Em, Nat2Z.inj_succ, Z.pow_succ_r in Hanswer by lia.
    - assert (p0 (Z.of_nat t + 2) = blank) by (apply (behind _ _ _ _ R0); lia).
      replace (Z.of_nat t + 2) with (Z.of_nat (S t) + 1) by lia.
      replace (Z.of_nat t + 2) with (Z.of_nat (S t) + 1) in * by lia. keep_ (Z.of_nat (S t)) 0.
      destruct R0 as [Ra Rb Rc Rd Re], R1 as [Rz Rn], R2 as [[? _]|(_ & Rd2 & Rb2 & Rv)]; [lia|].
      apply (finishes n (S t)); auto; try lia.
      + intros a [?|?]; [apply Rb|apply Re]; lia.
      + rewrite <- Rv, <- Hanswer. change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. cbn [Runs.val]. ring.
    - assert (p0 (Z.of_nat t + 2)%Z < radix)%nat by (apply (in_b _ _ _ _ R0); lia).
      keep_ (Z.of_nat t + 1) 0.
      assert (p0 (Z.of_nat t + 1) = cross) by (rewrite <- (middle _ _ _ _ R0); f_equal; lia).
      keep_ (Z.of_nat (S t) - 1) 0.
      replace (Z.of_nat t) with (Z.of_nat (S t) - 1) in HA by lia.
      apply (IH (S t) _ _ _ (b * z + m * A) (b * used + m)); auto.
      + rewrite HA, Hz. ring.
      + rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. assert ((r0 (Z.of_nat t + 1)%Z < radix)%nat)
          by (apply (in_b _ _ _ _ H0); lia). nia.
      + rewrite HA, <- Hanswer. replace (Z.of_nat (S t) + Z.of_nat (S k))
          with (Z.of_nat t + Z.of_nat (S (S k))) by lia.
        rewrite (val_same _ p0 r0) by (intros; apply Hsame; lia). rewrite !Nat2Z.inj_succ, !Z.pow_succ_r by lia. ring.
  Qed.
End Multiplier.

Theorem multiplier_multiplies radix u v : (2 <= radix)%nat -> digits radix u -> digits radix v ->
  ends _ (multiplier radix) (shows radix (value radix u * value radix v)) Start 0 0 (question radix u v).
Proof.
  intros Hradix Hu Hv. eapply ends_same; [|intros; apply question_rows].
  destruct (question_row radix u v Hu Hv) as ([Qa Qb Qc Qd Qe] & Eu & Ev).
  set (r := fun x => question radix u v x 0) in *.
  assert (1 <= length u)%nat by (destruct Hu as [Hu _]; destruct u; simpl; [congruence|lia]).
  assert (exists k, length v = S k) as (k & Ek) by (destruct Hv as [Hv _]; destruct v; simpl; [congruence|eauto]).
  assert (r 0 = S radix) by exact Qc. rewrite Ek in *. eapply (keep_to _ _ _ (Z.of_nat 0 - 1) 0);
    [rule multiplier|reflexivity|reflexivity|].
  apply (rounds radix Hradix _ (length u) k) with (z := 0) (used := 0); auto; try lia.
  - split; intros; auto; [apply Qa|apply Qb|apply Qd|apply Qe]; lia.
  - left. auto.
  - change (Z.of_nat 0 - 1) with (-1). change (Z.of_nat 0 + Z.of_nat (S k)) with (Z.of_nat (S k)).
    rewrite <- Eu, <- Ev. ring.
Qed.

(** So a DFST that acts as this expert does multiplies. *)
Theorem multiplies_if radix w : (2 <= radix)%nat -> alphabet w = digit_names radix ++ ["λ"; "×"]%string ->
  start w = "operator"%string -> check _ multiplier_state_beq (multiplier radix) (S (S radix)) w Start = true ->
    multiplies w radix.
Proof.
  intros Hradix Hnames Hstart H. repeat split; auto. intros u v Hu Hv.
  eapply check_sound; [exact internal_multiplier_state_dec_bl| |exact H|apply multiplier_multiplies; auto].
  intros q s Hs. apply no_more_symbols; auto.
Qed.
