(** An expert totals: on every input it halts, and leaves the digits of the sum of all numbers.

    Row 0 is `aaa+bbb+ccc`: the last number is eaten into the first, digit by digit, until that is alone ([Sums.v]).
    Row -1 holds a | under the digit of the first number that is next. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Checker Sums.
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
  Ltac run_rule := rule totaller.
  Ltac go_ x' y' := goes run_rule x' y'.
  Ltac keep_ x' y' := keeps run_rule x' y'.

  (** The next digit of the sum, in column e-1-i, is marked; where there is none a 0 is put. *)
  Lemma totaller_in_place e y : e <= y -> in_place radix _ totaller sum e y bar 0
    Look Take Advance Carry Advance Finish First Left Top Trim Seek Add.
  Proof.
    intros Hy. split; try solve [intros; unfold totaller; cases; reflexivity].
    - intros i len k r r1 r2 Hr Hi _ H1 G.
      assert (Go : forall r' len', going radix e y r' len' k -> (i < len')%nat ->
        val r' (e - 1) len' = val r (e - 1) len -> (forall a, e <= a -> r' a = r a) ->
        ends Mark (e - 1 - Z.of_nat i) (-1) (rows r' r1 r2)).
      { intros r' len' Hr' Hi' Hv Hs. assert (r1 (e - 1 - Z.of_nat i) = blank) by auto. go_ (e - 1 - Z.of_nat i) 0.
        assert (Hr2 := Hr'). destruct Hr2 as [D0 D1 D2 D3 D4 D5].
        apply (walk_right _ _ _ _ _ _ _ (y + Z.of_nat k + 1)); [lia| |].
        { intros a Ha. assert (r' a < radix \/ r' a = plus)%nat.
          { destruct (Z_lt_ge_dec a e); [left; apply D0; lia|]. destruct (Z_lt_ge_dec a y); [apply D2; lia|].
            destruct (Z.eq_dec a y) as [->|]; [right; exact D3|left; apply D4; lia]. }
          run_rule. }
        assert (r' (y + Z.of_nat k + 1) = blank) by (apply D5; lia). keep_ (y + Z.of_nat k) 0. apply (G r' len'); auto. }
      destruct (Nat.eq_dec i len) as [->|Hne].
      + assert (r (e - 1 - Z.of_nat len) = blank) by (apply (before _ _ _ _ _ _ Hr); lia).
        go_ (e - 1 - Z.of_nat len) (-1). apply (Go _ (S len)); try lia.
        * destruct Hr as [D0 D1 D2 D3 D4 D5]. split; try (intros a Ha); unfold set; cases; auto;
            [apply D0; lia|apply D1; lia].
        * rewrite val_top. replace (set r (e - 1 - Z.of_nat len) 0 (e - 1 - Z.of_nat len)) with 0%nat
            by (unfold set; cases; auto).
          rewrite (val_same _ (set r _ _) r) by (intros; unfold set; cases; auto). lia.
        * intros a Ha. unfold set. cases; auto.
      + assert (r (e - 1 - Z.of_nat i)%Z < radix)%nat by (apply (in_sum _ _ _ _ _ _ Hr); lia).
        keep_ (e - 1 - Z.of_nat i) (-1). apply (Go r len); auto; lia.
    - intros r r1 r2 x Hb Hx G. go_ x (-1). exact G.
    - intros q r r1 r2 x Hq Hx H1 G. assert (q = Advance) as -> by (destruct Hq; auto). go_ x 0. keep_ (x - 1) 0. exact G.
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
    intros H2. induction bs as [|w bs IH] using rev_ind; intros r len x r1 Hbs Hlen Hd Hb Ht H1 Hx Hsum.
    - assert (Hz : forall a, e <= a -> r a = blank).
      { intros a Ha. replace a with (e + Z.of_nat (Z.to_nat (a - e))) by lia. rewrite Ht.
        destruct (Z.to_nat _); reflexivity. }
      eapply (is_alone radix); [exact radix_2|apply (totaller_in_place e e), Z.le_refl|..]; eauto. simpl in Hsum. lia.
    - apply (walk_right _ _ _ _ _ _ _ e); [lia|intros a Ha; assert (r a < radix)%nat by (apply Hd; lia); run_rule|].
      apply Forall_app in Hbs as [Hbs Hw]. apply Forall_inv in Hw.
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
      assert (Hr : going radix e y r len (length w)).
      { split; auto.
        - intros a Ha. replace a with (e + Z.of_nat (Z.to_nat (a - e))) by lia. rewrite Hmid by lia. apply Hplus.
        - rewrite <- (Z.add_0_r y). apply (Hlast 0%nat).
        - intros a Ha. replace a with (y + Z.of_nat (S (Z.to_nat (a - y - 1)))) by lia. rewrite Hlast. cbn [nth].
          destruct Hw as [_ Hw]. rewrite Forall_forall in Hw. apply Hw, nth_In. lia.
        - intros a Ha. replace a with (y + Z.of_nat (S (Z.to_nat (a - y - 1)))) by lia. rewrite Hlast. cbn [nth].
          apply nth_overflow. lia. }
      assert (Hre : r e = plus).
      { assert (H0 := Ht 0%nat). rewrite Z.add_0_r in H0. rewrite H0. destruct bs; reflexivity. }
      keep_ (e - 1 - Z.of_nat 0) 0. assert (Hey : e <= y) by lia.
      apply (eats _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ radix_2 Hey (totaller_in_place e y Hey))
        with (k := length w) (len := len); auto; try lia.
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
