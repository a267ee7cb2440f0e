(** Sums in place: what the adder and the totaller have in common.

    On row 0 stands the sum so far, and it ends before column [e]; the last operator stands in column [y], and behind it
    a number that is eaten from the right. Row -1 holds a mark under the digit of the sum that is next. A carry ripples
    at once. At last the leading zeros of the sum go; of 0 itself one is left. *)
From Coq Require Import List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs.
Import ListNotations.
Open Scope Z_scope.

Section Sums.
  Variables (radix : nat) (state : Type) (act : expert state) (number : Z) (e y : Z) (mark : nat) (home : Z).
  Variables (look take erase carry advance finish first leftmost top trim : state) (seek add : nat -> state).
  Hypothesis radix_2 : (2 <= radix)%nat.
  Hypothesis e_y : e <= y.
  Notation blank := radix.
  Notation plus := (S radix).
  Notation b := (Z.of_nat radix).
  Notation rows := (rows radix).
  Notation ends := (ends state act (shows radix number)).
  Notation val := (val radix).

  (** The sum has [len] digits, and [k] digits of the last number are left; other numbers may stand between. *)
  Record going (r : row) (len k : nat) : Prop := {
    in_sum : forall a, e - Z.of_nat len <= a < e -> (r a < radix)%nat;
    before : forall a, a < e - Z.of_nat len -> r a = blank;
    others : forall a, e <= a < y -> (r a < radix)%nat \/ r a = plus;
    last_operator : r y = plus;
    in_last : forall a, y < a <= y + Z.of_nat k -> (r a < radix)%nat;
    behind : forall a, y + Z.of_nat k < a -> r a = blank }.

  (** What such an expert does; how it marks a digit, puts a carry where there is none, and comes back is its own. *)
  Record in_place : Prop := {
    marks : forall i len k r r1 r2, going r len k -> (i <= len)%nat -> (1 <= len)%nat -> (forall a, r1 a = blank) ->
      (forall r' len', going r' len' k -> (i < len')%nat -> val r' (e - 1) len' = val r (e - 1) len ->
         (forall a, e <= a -> r' a = r a) ->
         ends take (y + Z.of_nat k) 0 (rows r' (set r1 (e - 1 - Z.of_nat i) mark) r2)) ->
      ends look (e - 1 - Z.of_nat i) home (rows r r1 r2);
    carries_out : forall r r1 r2 x, r x = blank -> (S (r (x + 1)%Z) < radix)%nat ->
      ends advance x (-1) (rows (set r x 1) r1 r2) -> ends carry x 0 (rows r r1 r2);
    returns : forall q r r1 r2 x, q = erase \/ q = advance -> (r x < radix)%nat -> r1 x = mark ->
      ends look (x - 1) home (rows r (set r1 x blank) r2) -> ends q x (-1) (rows r r1 r2);
    takes : forall d, (d < radix)%nat -> act take d = Some (blank, Some (D, seek d));
    seeks : forall d, act (seek d) blank = Some (blank, Some (L, seek d));
    found : forall d, act (seek d) mark = Some (mark, Some (U, add d));
    sums : forall s d, (s + d < radix)%nat -> act (add d) s = Some ((s + d)%nat, Some (D, erase));
    sums_over : forall s d, (s < radix)%nat -> (radix <= s + d)%nat ->
      act (add d) s = Some ((s + d - radix)%nat, Some (L, carry));
    carries_on : act carry (radix - 1)%nat = Some (0%nat, Some (L, carry));
    carries_in : forall s, (S s < radix)%nat -> act carry s = Some (S s, Some (D, advance));
    advances : act advance blank = Some (blank, Some (R, advance));
    used_up : act take plus = Some (blank, Some (D, finish));
    finishes : act finish blank = Some (blank, Some (L, finish));
    unmarks : act finish mark = Some (blank, Some (U, first));
    over : forall d, (d < radix)%nat -> act first d = Some (d, Some (R, first));
    beyond : act first blank = Some (blank, Some (L, leftmost));
    back : forall d, (d < radix)%nat -> act leftmost d = Some (d, Some (L, leftmost));
    puts : act leftmost blank = Some (0%nat, Some (U, top));
    falls : act top blank = Some (blank, Some (D, trim));
    trims_all : act trim blank = Some (0%nat, None);
    trims_zero : act trim 0%nat = Some (blank, Some (R, trim));
    trims_none : forall d, (0 < d < radix)%nat -> act trim d = Some (d, None) }.
  Hypothesis how : in_place.
  Ltac by_ tac := unfold pick, Runs.rows; cbn [Z.eqb Pos.eqb]; tac.

  (** A carry adds 1 to the digits from column [x] on leftwards, of which there may be one more then. *)
  Lemma carries r1 r2 n : forall r x, (forall a, x - Z.of_nat n < a <= x -> (r a < radix)%nat) ->
    r (x - Z.of_nat n) = blank -> (S (r (x + 1)%Z) < radix)%nat ->
    (forall n' r' x', (n <= n' <= S n)%nat -> (forall a, x - Z.of_nat n' < a <= x -> (r' a < radix)%nat) ->
       (forall a, x < a \/ a <= x - Z.of_nat n' -> r' a = r a) ->
       val r' x n' = val r x n + 1 -> x' <= x -> ends advance x' (-1) (rows r' r1 r2)) ->
    ends carry x 0 (rows r r1 r2).
  Proof.
    induction n as [|n IH]; intros r x Hd Hb Hx G.
    - replace (x - Z.of_nat 0) with x in Hb by lia. apply (carries_out how); auto. apply (G 1%nat); try lia.
      + intros a Ha. unfold set. cases.
      + intros a Ha. unfold set. cases; auto.
      + simpl. unfold set. cases.
    - destruct (Nat.eq_dec (r x) (radix - 1)) as [E|E].
      + goes ltac:(by_ ltac:(rewrite E; apply (carries_on how))) (x - 1) 0. apply IH.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * unfold set. cases. rewrite <- Hb. f_equal. lia.
        * unfold set. cases.
        * intros n' r' x' Hn' Hd' Hf Hv Hx'. assert (r' x = 0%nat) by (rewrite Hf by lia; unfold set; cases; auto).
          apply (G (S n')); try lia.
          -- intros a Ha. destruct (Z.eq_dec a x) as [->|]; [lia|]. apply Hd'. lia.
          -- intros a Ha. rewrite Hf by lia. unfold set. cases; auto.
          -- simpl Runs.val. rewrite Hv, H, E.
             rewrite (val_same _ (set r x 0) r) by (intros; unfold set; cases; auto). nia.
      + assert (r x < radix)%nat by (apply Hd; lia).
        goes ltac:(by_ ltac:(apply (carries_in how); lia)) x (-1). apply (G (S n)); try lia.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * intros a Ha. unfold set. cases; auto.
        * unfold pick. cbn [Runs.val]. rewrite (val_same _ (set r x (S (r x))) r) by (intros; unfold set; cases; auto).
          unfold set at 1. cases.
  Qed.

  (** The last number is eaten. *)
  Lemma eats r2 : forall k i len r r1, going r len k -> (i <= len)%nat -> (1 <= len)%nat -> (forall a, r1 a = blank) ->
    (forall r' len' r1' x, (1 <= len')%nat -> (forall a, e - Z.of_nat len' <= a < e -> (r' a < radix)%nat) ->
       (forall a, a < e - Z.of_nat len' -> r' a = blank) -> (forall a, e <= a < y -> r' a = r a) ->
       (forall a, y <= a -> r' a = blank) -> (forall a, r1' a = blank) -> e - Z.of_nat len' <= x <= e ->
       val r' (e - 1) len' = val r (e - 1) len + b ^ Z.of_nat i * val r (y + Z.of_nat k) k ->
       ends first x 0 (rows r' r1' r2)) ->
    ends look (e - 1 - Z.of_nat i) home (rows r r1 r2).
  Proof.
    induction k as [|k IH]; intros i len0 r0 r1 Hr0 Hi Hlen0 H1 G;
      apply (marks how i len0 _ r0 r1 r2 Hr0 Hi Hlen0 H1); intros r len Hr Hlen Hv Hsame;
      remember (e - 1 - Z.of_nat i) as x eqn:Hxi; assert (Hx : set r1 x mark x = mark) by (unfold set; cases; auto);
      assert (Hr2 := Hr); destruct Hr2 as [D0 D1 D2 D3 D4 D5];
      assert (H1' : forall a, set (set r1 x mark) x blank a = blank) by (intros; unfold set; cases; auto);
      assert (Under : forall a, a <> x -> set r1 x mark a = blank) by (intros; unfold set; cases; auto).
    - rewrite Z.add_0_r in *. goes ltac:(by_ ltac:(rewrite D3; apply (used_up how))) y (-1).
      apply (walk_left _ _ _ _ _ _ _ x); [lia| |].
      { intros a Ha. by_ ltac:(rewrite Under by lia; apply (finishes how)). }
      goes ltac:(by_ ltac:(rewrite Hx; apply (unmarks how))) x 0. apply (G _ len); auto; try lia.
      + intros a Ha. unfold set. cases. apply D0. lia.
      + intros a Ha. unfold set. cases. apply D1. lia.
      + intros a Ha. unfold set. cases. apply Hsame. lia.
      + intros a Ha. unfold set. cases; auto. apply D5. lia.
      + rewrite (val_same _ (set r y blank) r) by (intros; unfold set; cases; auto). rewrite Hv. simpl. lia.
    - set (z := y + Z.of_nat (S k)) in *. assert (Hz : z = y + Z.of_nat k + 1) by lia. clearbody z.
      assert (Hd : (r z < radix)%nat) by (apply D4; lia). remember (r z) as d eqn:Ed.
      goes ltac:(by_ ltac:(rewrite <- Ed; apply (takes how); exact Hd)) z (-1). apply (walk_left _ _ _ _ _ _ _ x); [lia| |].
      { intros a Ha. by_ ltac:(rewrite Under by lia; apply (seeks how)). }
      keeps ltac:(by_ ltac:(rewrite Hx; apply (found how))) x 0.
      set (r' := set r z blank). assert (Hdx : (r' x < radix)%nat) by (unfold r', set; cases; apply D0; lia).
      assert (Keep : forall a, a <> z -> r' a = r a) by (intros; unfold r', set; cases; auto).
      assert (Hblank : r' z = blank) by (unfold r', set; cases; auto). clearbody r'.
      (* what is done to the sum leaves the rest as it is *)
      assert (Going : forall q len', (forall a, e <= a -> q a = r' a) ->
        (forall a, e - Z.of_nat len' <= a < e -> (q a < radix)%nat) ->
        (forall a, a < e - Z.of_nat len' -> q a = blank) -> going q len' k).
      { intros q len' Hq Q0 Q1. split; auto; intros.
        - rewrite Hq, Keep by lia. apply D2. lia.
        - rewrite Hq, Keep by lia. exact D3.
        - rewrite Hq, Keep by lia. apply D4. lia.
        - rewrite Hq by lia. destruct (Z.eq_dec a z) as [->|]; auto. rewrite Keep by lia. apply D5. lia. }
      assert (Split : forall q, (forall a, x < a -> q a = r' a) -> forall n, val q (e - 1) (i + S n) =
        val r' (e - 1) i + b ^ Z.of_nat i * (Z.of_nat (q x) + b * val q (x - 1) n)).
      { intros q Hq n. rewrite val_split. rewrite (val_same _ q r') by (intros; apply Hq; lia). rewrite <- Hxi.
        reflexivity. }
      assert (Old : val r0 (e - 1) len0 =
        val r' (e - 1) i + b ^ Z.of_nat i * (Z.of_nat (r' x) + b * val r' (x - 1) (len - i - 1))).
      { rewrite <- Hv, <- (Split r') by auto. replace (i + S (len - i - 1))%nat with len by lia.
        apply val_same. intros a Ha. rewrite Keep by lia. reflexivity. }
      assert (OldLast : val r0 z (S k) = Z.of_nat d + b * val r' (y + Z.of_nat k) k).
      { cbn [Runs.val]. rewrite <- Hsame, <- Ed by lia. replace (z - 1) with (y + Z.of_nat k) by lia. do 2 f_equal.
        apply val_same. intros a Ha. rewrite <- Hsame, Keep by lia. reflexivity. }
      assert (Pow : b ^ Z.of_nat (S i) = b ^ Z.of_nat i * b) by (rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia; ring).
      (* the next round, from a row whose sum has grown by d b^i *)
      assert (Round : forall q len' s, (forall a, e <= a -> q a = r' a) -> (i < len')%nat ->
        (forall a, e - Z.of_nat len' <= a < e -> (q a < radix)%nat) ->
        (forall a, a < e - Z.of_nat len' -> q a = blank) ->
        val q (e - 1) len' = val r0 (e - 1) len0 + b ^ Z.of_nat i * Z.of_nat d -> s = erase \/ s = advance ->
        ends s x (-1) (rows q (set r1 x mark) r2)).
      { intros q len' s Hq Hl Q0 Q1 Hval Hs. apply (returns how); auto; [apply Q0; lia|].
        replace (x - 1) with (e - 1 - Z.of_nat (S i)) by lia.
        apply (IH (S i) len' q); auto; try lia. intros r'' len'' p1'' x'' Rl R0 R1 R2 R3 Rp Rx Rv.
        apply (G r'' len''); auto.
        - intros a Ha. rewrite R2, Hq, Keep by lia. apply Hsame. lia.
        - rewrite Rv, Hval, OldLast, Pow. rewrite (val_same _ q r') by (intros; apply Hq; lia). ring. }
      destruct (Nat.ltb_spec (r' x + d) radix).
      + goes ltac:(by_ ltac:(apply (sums how); lia)) x (-1). apply (Round _ len); auto; try lia.
        * intros a Ha. unfold set. cases; auto.
        * intros a Ha. unfold set. cases; auto. rewrite Keep by lia. apply D0. lia.
        * intros a Ha. unfold set. cases. rewrite Keep by lia. apply D1. lia.
        * replace len with (i + S (len - i - 1))%nat by lia. rewrite Split by (intros; unfold set; cases; auto).
          rewrite (val_same _ (set r' x _) r') by (intros; unfold set; cases; auto).
          unfold set at 1. cases; rewrite Nat2Z.inj_add, Old; ring.
      + goes ltac:(by_ ltac:(apply (sums_over how); lia)) (x - 1) 0.
        set (r'' := set r' x (r' x + d - radix)). apply (carries _ _ (len - i - 1)).
        * intros a Ha. unfold r'', set. cases. rewrite Keep by lia. apply D0. lia.
        * unfold r'', set. cases. rewrite Keep by lia. apply D1. lia.
        * unfold r'', set. cases.
        * intros n q x' Hn Hq Hf Hval Hx'. apply (walk_right _ _ _ _ _ _ _ x); [lia| |].
          { intros a Ha. by_ ltac:(rewrite Under by lia; apply (advances how)). }
          assert (Hf' : forall a, x < a \/ a <= x - 1 - Z.of_nat n -> q a = r' a).
          { intros a Ha. rewrite Hf by lia. unfold r'', set. cases; auto. }
          assert (Hqx : q x = (r' x + d - radix)%nat) by (rewrite Hf by lia; unfold r'', set; cases; auto).
          apply (Round q (i + S n)%nat); auto; try lia.
          -- intros a Ha. apply Hf'. lia.
          -- intros a Ha. destruct (Z.lt_trichotomy a x) as [|[->|]]; [apply Hq; lia|lia|].
             rewrite Hf', Keep by lia. apply D0. lia.
          -- intros a Ha. rewrite Hf', Keep by lia. apply D1. lia.
          -- rewrite Split by (intros; apply Hf'; lia). rewrite Hval, Hqx.
             rewrite (val_same _ r'' r') by (intros; unfold r'', set; cases; auto).
             rewrite Nat2Z.inj_sub, Nat2Z.inj_add, Old by lia. ring.
  Qed.

  (** ** The end *)
  Lemma trims r1 r2 n : forall r x, (forall a, x <= a < x + Z.of_nat n -> (r a < radix)%nat) ->
    (forall a, a < x \/ x + Z.of_nat n <= a -> r a = blank) -> (forall a, r1 a = blank) -> (forall a, r2 a = blank) ->
    val r (x + Z.of_nat n - 1) n = number -> ends trim x 0 (rows r r1 r2).
  Proof.
    induction n as [|n IH]; intros r x Hd Hb H1 H2 Hv.
    - eapply halt_at; [here|by_ ltac:(rewrite Hb by lia; apply (trims_all how))|].
      intros g E'. replace number with (val (set r x 0) (x + Z.of_nat 1 - 1) 1).
      + apply (shows_row _ _ _ 0); auto; [intros a Ha; unfold set; cases|].
        intros a c. rewrite E'. unfold on, Runs.rows, set. cases; auto; try (apply Hb; lia).
      + rewrite <- Hv. simpl. unfold set. cases.
    - assert (r x < radix)%nat by (apply Hd; lia). destruct (Nat.eq_dec (r x) 0) as [E|E].
      + goes ltac:(by_ ltac:(rewrite E; apply (trims_zero how))) (x + 1) 0. apply IH; auto.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * intros a Ha. unfold set. cases; auto. apply Hb. lia.
        * rewrite <- Hv. rewrite val_top. replace (x + Z.of_nat (S n) - 1 - Z.of_nat n) with x by lia. rewrite E.
          replace (x + 1 + Z.of_nat n - 1) with (x + Z.of_nat (S n) - 1) by lia.
          rewrite (val_same _ (set r x radix) r) by (intros; unfold set; cases; auto). lia.
      + eapply halt_at; [here|by_ ltac:(apply (trims_none how); lia)|].
        intros g E'. rewrite <- Hv. apply (shows_row _ _ _ 0); auto; [lia|].
        intros a c. rewrite E'. unfold on, Runs.rows, set. cases; subst; auto; try (apply Hb; lia).
  Qed.

  Lemma is_alone r len x r1 r2 : (1 <= len)%nat -> (forall a, e - Z.of_nat len <= a < e -> (r a < radix)%nat) ->
    (forall a, a < e - Z.of_nat len -> r a = blank) -> (forall a, e <= a -> r a = blank) ->
    (forall a, r1 a = blank) -> (forall a, r2 a = blank) -> e - Z.of_nat len <= x <= e ->
    val r (e - 1) len = number -> ends first x 0 (rows r r1 r2).
  Proof.
    intros Hlen Hd Hb Hz H1 H2 Hx Hv. apply (walk_right _ _ _ _ _ _ _ e); [lia| |].
    { intros a Ha. by_ ltac:(apply (over how), Hd; lia). }
    keeps ltac:(by_ ltac:(rewrite Hz by lia; apply (beyond how))) (e - 1) 0.
    apply (walk_left _ _ _ _ _ _ _ (e - Z.of_nat len - 1)); [lia| |].
    { intros a Ha. by_ ltac:(apply (back how), Hd; lia). }
    goes ltac:(by_ ltac:(rewrite Hb by lia; apply (puts how))) (e - Z.of_nat len - 1) 1.
    keeps ltac:(by_ ltac:(apply (falls how))) (e - Z.of_nat len - 1) 0. apply (trims _ _ (S len)); auto.
    - intros a Ha. unfold set. cases. apply Hd. lia.
    - intros a [Ha|Ha]; unfold set; cases; [apply Hb; lia|apply Hz; lia].
    - replace (e - Z.of_nat len - 1 + Z.of_nat (S len) - 1) with (e - 1) by lia. rewrite val_top.
      replace (e - 1 - Z.of_nat len) with (e - Z.of_nat len - 1) by lia. unfold set at 2. cases.
      rewrite (val_same _ _ r) by (intros; unfold set; cases; auto). lia.
  Qed.
End Sums.
