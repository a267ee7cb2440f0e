(** An expert totals: on every input it halts, and leaves the digits of the sum of all numbers.

    Row 0 is `aaa+bbb+ccc`: the last number is eaten into the first, digit by digit, until that is alone.
    Row -1 holds a |
    under the digit of the first number that is next. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Checker.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

Inductive totaller_state :=
| First | Look | Mark | Over | Take | Seek (d : nat) | Add (d : nat) | Carry | Advance | Next | Finish | Left | Top | Trim.
Scheme Equality for totaller_state.

Section Totaller.
  Variable radix : nat.
  Hypothesis radix_2 : (2 <= radix)%nat.
  Notation blank := radix.
  Notation plus := (S radix).
  Notation bar := (S (S radix)).
  Notation b := (Z.of_nat radix).

  Definition totaller (q : totaller_state) (s : nat) : option (nat * option (motion * totaller_state)) :=
    let go w m q := Some (w, Some (m, q)) in
    let digit m q := if (s <? radix)%nat then go s m q else None in
    match q with
    | First => if (s =? blank)%nat then go s L Left else if (s =? plus)%nat then go s L Look else digit R First
    | Look => if (s =? blank)%nat then go 0%nat D Mark else digit D Mark
    | Mark => if (s =? blank)%nat then go bar U Over else None
    | Over => if (s =? blank)%nat then go s L Take else if (s =? plus)%nat then go s R Over else digit R Over
    | Take => if (s =? plus)%nat then go blank D Finish else if (s <? radix)%nat then go blank D (Seek s) else None
    | Seek d => if (s =? blank)%nat then go s L (Seek d) else if (s =? bar)%nat then go s U (Add d) else None
    | Add d => if negb (s <? radix)%nat then None
               else if (s + d <? radix)%nat then go (s + d)%nat D Advance else go (s + d - radix)%nat L Carry
    | Carry => if (s =? blank)%nat then go 1%nat D Advance else if (s =? radix - 1)%nat then go 0%nat L Carry
               else if (s <? radix)%nat then go (S s) D Advance else None
    | Advance => if (s =? blank)%nat then go s R Advance else if (s =? bar)%nat then go blank U Next else None
    | Next => digit L Look
    | Finish => if (s =? blank)%nat then go s L Finish else if (s =? bar)%nat then go blank U First else None
    | Left => if (s =? blank)%nat then go 0%nat U Top else digit L Left
    | Top => if (s =? blank)%nat then go s D Trim else None
    | Trim => if (s =? blank)%nat then Some (0%nat, None) else if (s =? 0)%nat then go blank R Trim
              else if (s <? radix)%nat then Some (s, None) else None
    end.

  Lemma no_more_symbols q s : (S bar <= s)%nat -> totaller q s = None.
  Proof. intros H. unfold totaller. destruct q; cases; reflexivity. Qed.

  Variable sum : Z.
  Notation rows := (rows radix).
  Notation ends := (ends totaller_state totaller (shows radix sum)).
  Notation val := (val radix).
  Ltac here := unfold among; lia.
  Ltac run_rule := rule totaller.
  Ltac by_rule := unfold totaller; cases; reflexivity.
  Ltac go_ x' y' := eapply (go_to _ _ _ _ x' y');
    [here|run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|unfold on; cbn [Z.eqb Pos.eqb]].
  Ltac keep_ x' y' := eapply (keep_to _ _ _ x' y'); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].

  (** A carry adds 1 to the digits from column [x] on leftwards, of which there may be one more then. *)
  Lemma carries r1 r2 n : forall r x, (forall a, x - Z.of_nat n < a <= x -> (r a < radix)%nat) ->
    r (x - Z.of_nat n) = blank ->
    (forall n' r' x', (n <= n' <= S n)%nat -> (forall a, x - Z.of_nat n' < a <= x -> (r' a < radix)%nat) ->
       (forall a, x < a \/ a <= x - Z.of_nat n' -> r' a = r a) ->
       val r' x n' = val r x n + 1 -> x' <= x -> ends Advance x' (-1) (rows r' r1 r2)) ->
    ends Carry x 0 (rows r r1 r2).
  Proof.
    induction n as [|n IH]; intros r x Hd Hb G.
    - replace (x - Z.of_nat 0) with x in Hb by lia. go_ x (-1). apply (G 1%nat); try lia.
      + intros a Ha. unfold set. cases.
      + intros a Ha. unfold set. cases; auto.
      + simpl. unfold set. cases.
    - destruct (Nat.eq_dec (r x) (radix - 1)) as [E|E].
      + go_ (x - 1) 0. apply IH.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * unfold set. cases. rewrite <- Hb. f_equal. lia.
        * intros n' r' x' Hn' Hd' Hf Hv Hx'. assert (r' x = 0%nat) by (rewrite Hf by lia; unfold set; cases; auto).
          apply (G (S n')); try lia.
          -- intros a Ha. destruct (Z.eq_dec a x) as [->|]; [lia|]. apply Hd'. lia.
          -- intros a Ha. rewrite Hf by lia. unfold set. cases; auto.
          -- simpl Runs.val. rewrite Hv, H, E.
             rewrite (val_same _ (set r x 0) r) by (intros; unfold set; cases; auto). nia.
      + assert (r x < radix)%nat by (apply Hd; lia).
        go_ x (-1). apply (G (S n)); try lia.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * intros a Ha. unfold set. cases; auto.
        * simpl Runs.val. rewrite (val_same _ (set r x (S (r x))) r) by (intros; unfold set; cases; auto).
          unfold set at 1. cases.
  Qed.

  (** The row: the sum so far, of [len] digits, ends before column [e]; then come other numbers; the last operator stands
      in column [y], and [k] digits of the last number are left. *)
  Record going (r : row) (e : Z) (len : nat) (y : Z) (k : nat) : Prop := {
    in_sum : forall a, e - Z.of_nat len <= a < e -> (r a < radix)%nat;
    before : forall a, a < e - Z.of_nat len -> r a = blank;
    others : forall a, e <= a < y -> (r a < radix)%nat \/ r a = plus;
    last_operator : r y = plus;
    in_last : forall a, y < a <= y + Z.of_nat k -> (r a < radix)%nat;
    behind : forall a, y + Z.of_nat k < a -> r a = blank }.

  (** The next digit of the sum, in column e-1-i, is marked; where there is none a 0 is put. *)
  Lemma marks i e len y k r r1 r2 : e <= y -> going r e len y k -> (i <= len)%nat -> (forall a, r1 a = blank) ->
    (forall r' len', going r' e len' y k -> (i < len')%nat -> val r' (e - 1) len' = val r (e - 1) len ->
       (forall a, e <= a -> r' a = r a) ->
       ends Take (y + Z.of_nat k) 0 (rows r' (set r1 (e - 1 - Z.of_nat i) bar) r2)) ->
    ends Look (e - 1 - Z.of_nat i) 0 (rows r r1 r2).
  Proof.
    intros Hy Hr Hi H1 G.
    assert (Go : forall r' len', going r' e len' y k -> (i < len')%nat -> val r' (e - 1) len' = val r (e - 1) len ->
      (forall a, e <= a -> r' a = r a) -> ends Mark (e - 1 - Z.of_nat i) (-1) (rows r' r1 r2)).
    { intros r' len' Hr' Hi' Hv Hs. assert (r1 (e - 1 - Z.of_nat i) = blank) by auto. go_ (e - 1 - Z.of_nat i) 0.
      assert (Hr2 := Hr'). destruct Hr2 as [D0 D1 D2 D3 D4 D5].
      apply (walk_right _ _ _ _ _ _ _ (y + Z.of_nat k + 1)); [lia| |].
      { intros a Ha. assert (r' a < radix \/ r' a = plus)%nat.
        { destruct (Z_lt_ge_dec a e); [left; apply D0; lia|]. destruct (Z_lt_ge_dec a y); [apply D2; lia|].
          destruct (Z.eq_dec a y) as [->|]; [right; exact D3|left; apply D4; lia]. }
        run_rule. }
      assert (r' (y + Z.of_nat k + 1) = blank) by (apply D5; lia). keep_ (y + Z.of_nat k) 0. apply (G r' len'); auto.
      }
    destruct (Nat.eq_dec i len) as [->|Hne].
    - assert (r (e - 1 - Z.of_nat len) = blank) by (apply (before _ _ _ _ _ Hr); lia).
      go_ (e - 1 - Z.of_nat len) (-1). apply (Go _ (S len)); try lia.
      + destruct Hr as [D0 D1 D2 D3 D4 D5]. split; try (intros a Ha); unfold set; cases; auto;
          [apply D0; lia|apply D1; lia].
      + rewrite val_top. replace (set r (e - 1 - Z.of_nat len) 0 (e - 1 - Z.of_nat len)) with 0%nat
          by (unfold set; cases; auto).
        rewrite (val_same _ (set r _ _) r) by (intros; unfold set; cases; auto). lia.
      + intros a Ha. unfold set. cases; auto.
    - assert (r (e - 1 - Z.of_nat i)%Z < radix)%nat by (apply (in_sum _ _ _ _ _ Hr); lia).
      keep_ (e - 1 - Z.of_nat i) (-1). apply (Go r len); auto; lia.
  Qed.

  Lemma all_set_back (r1 : row) x s : (forall a, r1 a = blank) -> forall a, set (set r1 x s) x blank a = blank.
  Proof. intros H a. unfold set. cases; auto. Qed.

  (** The last number is eaten. *)
  Lemma eats e y r2 : e <= y -> forall k i len r r1, going r e len y k -> (i <= len)%nat -> (1 <= len)%nat ->
    (forall a, r1 a = blank) ->
    (forall r' len' r1' x, (1 <= len')%nat -> (forall a, e - Z.of_nat len' <= a < e -> (r' a < radix)%nat) ->
       (forall a, a < e - Z.of_nat len' -> r' a = blank) -> (forall a, e <= a < y -> r' a = r a) ->
       (forall a, y <= a -> r' a = blank) -> (forall a, r1' a = blank) -> e - Z.of_nat len' <= x <= e ->
       val r' (e - 1) len' = val r (e - 1) len + b ^ Z.of_nat i * val r (y + Z.of_nat k) k ->
       ends First x 0 (rows r' r1' r2)) ->
    ends Look (e - 1 - Z.of_nat i) 0 (rows r r1 r2).
  Proof.
    intros Hy. induction k as [|k IH]; intros i len0 r0 r1 Hr0 Hi Hlen0 H1 G;
      apply (marks i e len0 y _ r0 r1 r2 Hy Hr0 Hi H1); intros r len Hr Hlen Hv Hsame;
      remember (e - 1 - Z.of_nat i) as x eqn:Hxi; assert (Hx : set r1 x bar x = bar) by (unfold set; cases; auto);
      assert (Hr2 := Hr); destruct Hr2 as [D0 D1 D2 D3 D4 D5]; assert (H1' := all_set_back r1 x bar H1).
    - rewrite Z.add_0_r in *. go_ y (-1). apply (walk_left _ _ _ _ _ _ _ x); [lia| |].
      { intros a Ha. assert (set r1 x bar a = blank) by (unfold set; cases; auto). run_rule. }
      go_ x 0. apply (G _ len); auto; try lia.
      + intros a Ha. unfold set. cases. apply D0. lia.
      + intros a Ha. unfold set. cases. apply D1. lia.
      + intros a Ha. unfold set. cases. apply Hsame. lia.
      + intros a Ha. unfold set. cases; auto. apply D5. lia.
      + rewrite (val_same _ (set r y blank) r) by (intros; unfold set; cases; auto). rewrite Hv. simpl. lia.
    - set (z := y + Z.of_nat (S k)) in *. assert (Hz : z = y + Z.of_nat k + 1) by lia. clearbody z.
      assert (Hd : (r z < radix)%nat) by (apply D4; lia). remember (r z) as d eqn:Ed.
      go_ z (-1). rewrite <- Ed. apply (walk_left _ _ _ _ _ _ _ x); [lia| |].
      { intros a Ha. assert (set r1 x bar a = blank) by (unfold set; cases; auto). run_rule. }
      keep_ x 0. set (r' := set r z blank). assert (Hdx : (r' x < radix)%nat)
        by (unfold r', set; cases; apply D0; lia).
      assert (Keep : forall a, a <> z -> r' a = r a) by (intros; unfold r', set; cases; auto).
      assert (Hblank : r' z = blank) by (unfold r', set; cases; auto). clearbody r'.
      (* what is done to the sum leaves the rest as it is *)
      assert (Going : forall q len', (forall a, e <= a -> q a = r' a) ->
        (forall a, e - Z.of_nat len' <= a < e -> (q a < radix)%nat) -> (forall a, a < e - Z.of_nat len' ->
          q a = blank) ->
        going q e len' y k).
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
      assert (Round : forall q len' p1, (forall a, e <= a -> q a = r' a) -> (i < len')%nat ->
        (forall a, e - Z.of_nat len' <= a < e -> (q a < radix)%nat) -> (forall a, a < e - Z.of_nat len' ->
          q a = blank) ->
        (forall a, p1 a = blank) -> val q (e - 1) len' = val r0 (e - 1) len0 + b ^ Z.of_nat i * Z.of_nat d ->
        ends Next x 0 (rows q p1 r2)).
      { intros q len' p1 Hq Hl Q0 Q1 Hp Hval. assert (q x < radix)%nat by (apply Q0; lia).
        keep_ (e - 1 - Z.of_nat (S i)) 0.
        apply (IH (S i) len' q p1); auto; try lia. intros r'' len'' p1'' x'' Rl R0 R1 R2 R3 Rp Rx Rv.
        apply (G r'' len''); auto.
        - intros a Ha. rewrite R2, Hq, Keep by lia. apply Hsame. lia.
        - rewrite Rv, Hval, OldLast, Pow. rewrite (val_same _ q r') by (intros; apply Hq; lia). ring. }
      destruct (Nat.ltb_spec (r' x + d) radix).
      + go_ x (-1). go_ x 0. apply (Round _ len); auto; try lia.
        * intros a Ha. unfold set. cases; auto.
        * intros a Ha. unfold set. cases. rewrite Keep by lia. apply D0. lia.
        * intros a Ha. unfold set. cases. rewrite Keep by lia. apply D1. lia.
        * replace len with (i + S (len - i - 1))%nat by lia. rewrite Split by (intros; unfold set; cases; auto).
          rewrite (val_same _ (set r' x _) r') by (intros; unfold set; cases; auto).
          unfold set at 1. cases; rewrite Nat2Z.inj_add, Old; ring.
      + go_ (x - 1) 0. set (r'' := set r' x (r' x + d - radix)). apply (carries _ _ (len - i - 1)).
        * intros a Ha. unfold r'', set. cases. rewrite Keep by lia. apply D0. lia.
        * unfold r'', set. cases. rewrite Keep by lia. apply D1. lia.
        * intros n q x' Hn Hq Hf Hval Hx'. apply (walk_right _ _ _ _ _ _ _ x); [lia| |].
          { intros a Ha. assert (set r1 x bar a = blank) by (unfold set; cases; auto). run_rule. }
          go_ x 0. assert (Hf' : forall a, x < a \/ a <= x - 1 - Z.of_nat n -> q a = r' a).
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

  (** All numbers are, the last one first. *)
  Notation tail := (flat_map (cons plus)).
  Notation total := (fun bs => fold_right Z.add 0 (map (value radix) bs)).
  Lemma eats_all e r2 bs : (forall a, r2 a = blank) -> forall r len x r1, Forall (digits radix) bs ->
    (1 <= len)%nat ->
    (forall a, e - Z.of_nat len <= a < e -> (r a < radix)%nat) -> (forall a, a < e - Z.of_nat len -> r a = blank) ->
    (forall i, r (e + Z.of_nat i) = nth i (tail bs) blank) -> (forall a, r1 a = blank) ->
      e - Z.of_nat len <= x <= e ->
    val r (e - 1) len + total bs = sum -> ends First x 0 (rows r r1 r2).
  Proof.
    intros H2. induction bs as [|w bs IH] using rev_ind; intros r len x r1 Hbs Hlen Hd Hb Ht H1 Hx Hsum;
      (apply (walk_right _ _ _ _ _ _ _ e); [lia|intros a Ha; assert (r a < radix)%nat by (apply Hd; lia); run_rule|]).
    - assert (Hz : forall a, e <= a -> r a = blank).
      { intros a Ha. replace a with (e + Z.of_nat (Z.to_nat (a - e))) by lia. rewrite Ht.
        destruct (Z.to_nat _); reflexivity. }
      assert (r e = blank) by (apply Hz; lia). keep_ (e - 1) 0.
      apply (walk_left _ _ _ _ _ _ _ (e - Z.of_nat len - 1)); [lia| |].
      { intros a Ha. assert (r a < radix)%nat by (apply Hd; lia). run_rule. }
      assert (r (e - Z.of_nat len - 1) = blank) by (apply Hb; lia). go_ (e - Z.of_nat len - 1) 1.
      keep_ (e - Z.of_nat len - 1) 0.
      apply (trims radix _ totaller Trim sum) with (n := S len); auto; [lia|by_rule|by_rule|intros; by_rule| | |].
      + intros a Ha. unfold set. cases. apply Hd. lia.
      + intros a [Ha|Ha]; unfold set; cases; [apply Hb; lia|apply Hz; lia].
      + replace (e - Z.of_nat len - 1 + Z.of_nat (S len) - 1) with (e - 1) by lia. rewrite val_top.
        replace (e - 1 - Z.of_nat len) with (e - Z.of_nat len - 1) by lia. unfold set at 2. cases.
        rewrite (val_same _ _ r) by (intros; unfold set; cases; auto). simpl in Hsum. lia.
    - apply Forall_app in Hbs as [Hbs Hw]. apply Forall_inv in Hw.
      assert (Etail : tail (bs ++ [w]) = tail bs ++ plus :: w) by (rewrite flat_map_app; simpl;
        rewrite app_nil_r; reflexivity).
      rewrite Etail in Ht. set (n := length (tail bs)) in *.
      assert (Hplus : forall i, (nth i (tail bs) plus < radix \/ nth i (tail bs) plus = plus)%nat).
      { intros i. destruct (Nat.lt_ge_cases i n) as [Hi|Hi]; [|right; apply nth_overflow; auto].
        assert (Hin : In (nth i (tail bs) plus) (tail bs)) by (apply nth_In; auto).
        apply in_flat_map in Hin as (v & Hv & [<-|Hin]); auto. rewrite Forall_forall in Hbs.
        apply Hbs in Hv as [_ Hv].
        rewrite Forall_forall in Hv. auto. }
      assert (Hmid : forall i, (i < n)%nat -> r (e + Z.of_nat i) = nth i (tail bs) plus).
      { intros i Hi. rewrite Ht, app_nth1 by auto. apply nth_indep. auto. }
      assert (Hlast : forall j, r (e + Z.of_nat n + Z.of_nat j) = nth j (plus :: w) blank).
      { intros j. replace (e + Z.of_nat n + Z.of_nat j) with (e + Z.of_nat (n + j)) by lia.
        rewrite Ht, app_nth2 by lia.
        f_equal. lia. }
      set (y := e + Z.of_nat n) in *. assert (Hy : y = e + Z.of_nat n) by reflexivity. clearbody y.
      assert (Hr : going r e len y (length w)).
      { split; auto.
        - intros a Ha. replace a with (e + Z.of_nat (Z.to_nat (a - e))) by lia. rewrite Hmid by lia. apply Hplus.
        - rewrite <- (Z.add_0_r y). apply (Hlast 0%nat).
        - intros a Ha. replace a with (y + Z.of_nat (S (Z.to_nat (a - y - 1)))) by lia. rewrite Hlast. cbn [nth].
          destruct Hw as [_ Hw]. rewrite Forall_forall in Hw. apply Hw, nth_In. lia.
        - intros a Ha. replace a with (y + Z.of_nat (S (Z.to_nat (a - y - 1)))) by lia. rewrite Hlast. cbn [nth].
          apply nth_overflow. lia. }
      assert (Hre : r e = plus).
      { assert (H0 := Ht 0%nat). rewrite Z.add_0_r in H0. rewrite H0. destruct bs; reflexivity. }
      keep_ (e - 1 - Z.of_nat 0) 0. apply (eats e y r2) with (k := length w) (len := len); auto; try lia.
      intros r' len' r1' x' Rl R0 R1 R2 R3 Rp Rx Rv. apply (IH r' len'); auto; try lia.
      + intros i. destruct (Nat.lt_ge_cases i n) as [Hi|Hi].
        * rewrite R2, Hmid by lia. apply nth_indep. auto.
        * rewrite R3 by lia. rewrite nth_overflow by auto. reflexivity.
      + rewrite Rv. change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. rewrite <- Hsum, map_app, fold_right_app.
        cbn [map fold_right].
        rewrite (value_val radix r (y + Z.of_nat (length w)) w).
        * assert (Fold : forall l v, fold_right Z.add v l = v + fold_right Z.add 0 l)
            by (induction l as [|c l IHl]; intros v; simpl; [lia|rewrite IHl; lia]).
          rewrite (Fold _ (_ + 0)). lia.
        * intros j Hj. replace (y + Z.of_nat (length w) - Z.of_nat (length w) + 1 + Z.of_nat j)
            with (y + Z.of_nat (S j)) by lia.
          rewrite Hlast. cbn [nth]. apply nth_indep. auto.
  Qed.
End Totaller.

Theorem totaller_totals radix u bs : (2 <= radix)%nat -> digits radix u -> Forall (digits radix) bs ->
  ends _ (totaller radix) (shows radix (value radix u + fold_right Z.add 0 (map (value radix) bs))) First 0 0
    (laid radix 0 0 (u ++ flat_map (cons (S radix)) bs)).
Proof.
  intros Hradix [Hne Hu] Hbs. set (word := u ++ flat_map (cons (S radix)) bs).
  set (r := fun x => laid radix 0 0 word x 0).
  assert (E : forall i, r (Z.of_nat i) = nth i word radix).
  { intros i. unfold r, laid. cases. rewrite Z.sub_0_r, Nat2Z.id. reflexivity. }
  assert (Hlen : (1 <= length u)%nat) by (destruct u; simpl; [congruence|lia]).
  assert (Hu' : forall i, (i < length u)%nat -> r (Z.of_nat i) = nth i u 0%nat).
  { intros i Hi. rewrite E. unfold word. rewrite app_nth1 by auto. apply nth_indep. auto. }
  eapply ends_same.
  - apply (eats_all radix Hradix _ (Z.of_nat (length u)) (fun _ => radix) bs)
      with (r := r) (len := length u) (r1 := fun _ => radix);
      auto; try lia.
    + intros a Ha. rewrite <- (Z2Nat.id a) by lia. rewrite Hu' by lia. rewrite Forall_forall in Hu. apply Hu, nth_In.
      lia.
    + intros a Ha. unfold r, laid. cases; reflexivity.
    + intros i. rewrite <- Nat2Z.inj_add, E. unfold word. rewrite app_nth2 by lia. f_equal. lia.
    + rewrite (value_val radix r (Z.of_nat (length u) - 1) u); auto. intros i Hi. rewrite <- Hu' by auto. f_equal.
      lia.
  - intros a c. unfold rows, r. cases; subst; auto; unfold laid; cases; reflexivity.
Qed.

(** So a DFST that acts as this expert does totals. *)
Theorem totals_if radix w : (2 <= radix)%nat -> alphabet w = digit_names radix ++ ["λ"; "+"; "|"]%string ->
  start w = "first"%string -> check _ totaller_state_beq (totaller radix) (S (S (S radix))) w First = true ->
    totals w radix.
Proof.
  intros Hradix Hnames Hstart H. repeat split; auto. intros u bs Hu Hbs.
  eapply check_sound; [exact internal_totaller_state_dec_bl| |exact H|apply totaller_totals; auto].
  intros q s Hs. apply no_more_symbols; auto.
Qed.
