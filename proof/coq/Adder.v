(** An expert adds: on every input it halts, and leaves the digits of the sum.

    It is the expert of [src/dfst/experts/arithmetic.py], with more states, each of which has rules only for what it can
    meet: `left` there is [Start] and [Left] here, by what may come next, and so on. Row 0 is `aaa+bbb`: the sum grows
    inside a, b is eaten from the right. Row -1 holds a second operator under the digit of a that is next. A carry ripples
    at once. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Checker.
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
  Notation good := (shows radix sum).
  Notation rows := (rows radix).
  Notation ends := (ends adder_state adder good).
  Notation val := (val radix).

  Ltac here := unfold among; lia.
  Ltac run_rule := rule adder.
  Ltac by_rule := unfold adder; cases; reflexivity.
  Ltac go_ x' y' := eapply (go_to _ _ _ _ x' y');
    [here|run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|unfold on; cbn [Z.eqb Pos.eqb]].

  (** A carry adds 1 to the digits from column [x] on leftwards, of which there may be one more then. *)
  Lemma carries r1 r2 n : forall r x, (forall a, x - Z.of_nat n < a <= x -> (r a < radix)%nat) ->
    r (x - Z.of_nat n) = blank -> (S (r (x + 1)%Z) < radix)%nat ->
    (forall n' r' x', (n <= n' <= S n)%nat -> (forall a, x - Z.of_nat n' < a <= x -> (r' a < radix)%nat) ->
       (forall a, x < a \/ a <= x - Z.of_nat n' -> r' a = r a) ->
       val r' x n' = val r x n + 1 -> x' <= x -> ends Advance x' (-1) (rows r' r1 r2)) ->
    ends Carry x 0 (rows r r1 r2).
  Proof.
    induction n as [|n IH]; intros r x Hd Hb Hx G.
    - replace (x - Z.of_nat 0) with x in Hb by lia.
      go_ (x + 1) 0. assert (E : set r x 0 (x + 1)%Z = r (x + 1)%Z) by (unfold set; cases; auto).
      eapply (keep_to _ _ _ x 0); [rewrite <- E in Hx; run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].
      assert (E0 : set r x 0 x = 0%nat) by (unfold set; cases; auto).
      go_ x (-1). apply (G 1%nat); try lia.
      + intros a Ha. unfold set. cases.
      + intros a Ha. unfold set. cases; auto.
      + simpl. unfold set. cases.
    - destruct (Nat.eq_dec (r x) (radix - 1)) as [E|E].
      + go_ (x - 1) 0. apply IH.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * unfold set. cases. rewrite <- Hb. f_equal. lia.
        * unfold set. cases.
        * intros n' r' x' Hn' Hd' Hf Hv Hx'. assert (r' x = 0%nat) by (rewrite Hf by lia; unfold set; cases; auto).
          apply (G (S n')); try lia.
          -- intros a Ha. destruct (Z.eq_dec a x) as [->|]; [lia|]. apply Hd'. lia.
          -- intros a Ha. rewrite Hf by lia. unfold set. cases; auto.
          -- simpl Runs.val. rewrite Hv, H, E. rewrite (val_same _ (set r x 0) r)
               by (intros; unfold set; cases; auto). nia.
      + assert (r x < radix)%nat by (apply Hd; lia).
        go_ x (-1). apply (G (S n)); try lia.
        * intros a Ha. unfold set. cases. apply Hd. lia.
        * intros a Ha. unfold set. cases; auto.
        * simpl Runs.val. rewrite (val_same _ (set r x (S (r x))) r) by (intros; unfold set; cases; auto).
          unfold set at 1. cases. 
  Qed.

  (** The row: the sum so far, of [len] digits, the operator, and [k] digits of b that are left. *)
  Notation going := (two_numbers radix).
  (** From the digit that has been marked to the last digit of b. *)
  Lemma fetches len k r x r1 r2 : going r len k -> - Z.of_nat len <= x <= 0 ->
    ends Take (Z.of_nat k) 0 (rows r r1 r2) -> ends OverA x 0 (rows r r1 r2).
  Proof.
    intros [in_a0 before0 middle0 in_b0 behind0] Hx G. apply (walk_right _ _ _ _ _ _ _ 0); [lia| |].
    { intros a Ha. assert (r a < radix)%nat by (apply in_a0; lia). run_rule. }
    eapply (keep_to _ _ _ 1 0); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].
    apply (walk_right _ _ _ _ _ _ _ (Z.of_nat k + 1)); [lia| |].
    { intros a Ha. assert (r a < radix)%nat by (apply in_b0; lia). run_rule. }
    assert (r (Z.of_nat k + 1) = blank) by (apply behind0; lia).
    eapply (keep_to _ _ _ (Z.of_nat k) 0); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|]. exact G.
  Qed.

  (** The next digit of the sum, in column -1-i, is marked; where there is none a 0 is put. *)
  Lemma marks i len k r r1 r2 : going r len k -> (i <= len)%nat -> (1 <= len)%nat -> (forall a, r1 a = blank) ->
    (forall r' len', going r' len' k -> (i < len')%nat -> val r' (-1) len' = val r (-1) len ->
       (forall a, 0 <= a -> r' a = r a) ->
       ends Take (Z.of_nat k) 0 (rows r' (set r1 (-1 - Z.of_nat i) plus) r2)) ->
    ends Mark (-1 - Z.of_nat i) (-1) (rows r r1 r2).
  Proof.
    intros Hr Hi Hlen H1 G. assert (r1 (-1 - Z.of_nat i) = blank) by auto.
    go_ (-1 - Z.of_nat i) 0. destruct (Nat.eq_dec i len) as [->|Hne].
    - assert (r (-1 - Z.of_nat len) = blank) by (apply Hr; lia).
      go_ (- Z.of_nat len) 0. set (r' := set r (-1 - Z.of_nat len) 0).
      assert (Hr' : going r' (S len) k).
      { destruct Hr as [in_a0 before0 middle0 in_b0 behind0]. split; intros; unfold r', set; cases; auto;
          try (apply in_a0; lia). apply before0. lia. }
      assert (r' (- Z.of_nat len) < radix)%nat by (apply Hr'; lia).
      eapply (keep_to _ _ _ (- Z.of_nat len + 1) 0); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].
      apply (fetches (S len) k); auto; [lia|]. apply (G r' (S len)); auto; try lia.
      + rewrite val_top. replace (-1 - Z.of_nat len) with (- 1 - Z.of_nat len) by lia.
        replace (r' (- 1 - Z.of_nat len)) with 0%nat by (unfold r', set; cases; auto).
        rewrite (val_same _ r' r) by (intros; unfold r', set; cases; auto). lia.
      + intros a Ha. unfold r', set. cases; auto.
    - assert (r (-1 - Z.of_nat i)%Z < radix)%nat by (apply Hr; lia).
      eapply (keep_to _ _ _ (- Z.of_nat i) 0); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].
      apply (fetches len k); auto; [lia|]. apply (G r len); auto; lia.
  Qed.

  Lemma all_set_back (r1 : row) x s : (forall a, r1 a = blank) -> forall a, set (set r1 x s) x blank a = blank.
  Proof. intros H a. unfold set. cases; auto. Qed.

  Lemma rounds k : forall i len r r1 r2, going r len k -> (i <= len)%nat -> (1 <= len)%nat ->
    (forall a, r1 a = blank) -> (forall a, r2 a = blank) ->
    val r (-1) len + b ^ Z.of_nat i * val r (Z.of_nat k) k = sum -> ends Mark (-1 - Z.of_nat i) (-1) (rows r r1 r2).
  Proof.
    induction k as [|k IH]; intros i len0 r0 r1 r2 Hr0 Hi Hlen0 H1 H2 Hsum;
      apply (marks i len0 _ r0 r1 r2 Hr0 Hi Hlen0 H1); intros r len Hr Hlen Hv Hsame;
      remember (-1 - Z.of_nat i) as x eqn:Hxi; assert (Hx : set r1 x plus x = plus) by (unfold set; cases; auto).
    - change (Z.of_nat 0) with 0 in *. assert (r 0 = plus) by apply Hr.
      go_ 0 (-1). apply (walk_left _ _ _ _ _ _ _ x); [lia| |].
      { intros a Ha. assert (set r1 x plus a = blank) by (unfold set; cases; auto). run_rule. }
      go_ x 0. set (r' := set r 0 blank). assert (H1' := all_set_back r1 x plus H1).
      assert (Hd : forall a, - Z.of_nat len <= a < 0 -> (r' a < radix)%nat) by (intros; unfold r', set; cases;
        apply Hr; lia).
      assert (Hb : forall a, a < - Z.of_nat len \/ 0 <= a -> r' a = blank) by (intros a [?|?]; unfold r', set;
        cases; auto; solve [apply (before _ _ _ _ Hr); lia | apply (behind _ _ _ _ Hr); lia]).
      apply (walk_right _ _ _ _ _ _ _ 0); [lia| |].
      { intros a Ha. assert (r' a < radix)%nat by (apply Hd; lia). run_rule. }
      assert (r' 0 = blank) by (apply Hb; lia).
      eapply (keep_to _ _ _ (-1) 0); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].
      apply (walk_left _ _ _ _ _ _ _ (- Z.of_nat len - 1)); [lia| |].
      { intros a Ha. assert (r' a < radix)%nat by (apply Hd; lia). run_rule. }
      assert (r' (- Z.of_nat len - 1) = blank) by (apply Hb; lia).
      go_ (- Z.of_nat len - 1) 1.
      eapply (keep_to _ _ _ (- Z.of_nat len - 1) 0); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].
      apply (trims radix _ adder Trim sum) with (n := S len); auto; [lia|by_rule|by_rule|intros; by_rule| | |].
      + intros a Ha. unfold set. cases. apply Hd. lia.
      + intros a Ha. unfold set. cases. apply Hb. lia.
      + replace (- Z.of_nat len - 1 + Z.of_nat (S len) - 1) with (-1) by lia. rewrite val_top.
        replace (-1 - Z.of_nat len) with (- Z.of_nat len - 1) by lia. unfold set at 2. cases.
        rewrite (val_same _ _ r) by (intros; unfold r', set; cases; auto). simpl in Hsum. lia.
    - assert (Hd : (r (Z.of_nat (S k)) < radix)%nat) by (apply (in_b _ _ _ _ Hr); lia).
      remember (r (Z.of_nat (S k))) as d eqn:Ed.
      go_ (Z.of_nat (S k)) (-1). rewrite <- Ed. apply (walk_left _ _ _ _ _ _ _ x); [lia| |].
      { intros a Ha. assert (set r1 x plus a = blank) by (unfold set; cases; auto). run_rule. }
      eapply (keep_to _ _ _ x 0); [run_rule|cbn [dx dy]; lia|cbn [dx dy]; lia|].
      set (r' := set r (Z.of_nat (S k)) blank).
      assert (Hr' : going r' len k).
      { destruct Hr as [in_a0 before0 middle0 in_b0 behind0]. split; intros; unfold r', set; cases; auto;
          [apply in_b0|apply behind0]; lia. }
      assert (Hdx : (r' x < radix)%nat) by (apply Hr'; lia).
      (* the sum so far, from the lowest digit up to column x, and beyond *)
      assert (Split : forall q, (forall a, x < a -> q a = r' a) -> forall n, val q (-1) (i + S n) =
        val r' (-1) i + b ^ Z.of_nat i * (Z.of_nat (q x) + b * val q (x - 1) n)).
      { intros q Hq n. rewrite val_split. rewrite (val_same _ q r') by (intros; apply Hq; lia).
        rewrite <- Hxi. reflexivity. }
      assert (Old : val r0 (-1) len0 =
        val r' (-1) i + b ^ Z.of_nat i * (Z.of_nat (r' x) + b * val r' (x - 1) (len - i - 1))).
      { rewrite <- Hv, <- (Split r') by auto. replace (i + S (len - i - 1))%nat with len by lia.
        apply val_same. intros a Ha. unfold r', set. cases; auto. }
      assert (OldB : val r0 (Z.of_nat (S k)) (S k) = Z.of_nat d + b * val r' (Z.of_nat k) k).
      { cbn [Runs.val]. rewrite <- Hsame, <- Ed by lia. replace (Z.of_nat (S k) - 1) with (Z.of_nat k) by lia.
        do 2 f_equal.
        apply val_same. intros a Ha. rewrite <- Hsame by lia. unfold r', set. cases; auto. }
      assert (Pow : b ^ Z.of_nat (S i) = b ^ Z.of_nat i * b) by (rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia; ring).
      destruct (Nat.ltb_spec (r' x + d) radix).
      + go_ x (-1). go_ (-1 - Z.of_nat (S i)) (-1). eapply (IH (S i) len); auto; try lia.
        * destruct Hr' as [in_a0 before0 middle0 in_b0 behind0]. split; intros; unfold set; cases; auto. 
        * apply all_set_back; auto.
        * replace len with (i + S (len - i - 1))%nat at 1 by lia. rewrite Split by (intros; unfold set; cases; auto).
          rewrite (val_same _ (set r' x _) r') by (intros; unfold set; cases; auto).
          rewrite (val_same _ (set r' x _) r') by (intros; unfold set; cases; auto).
          unfold set at 1. cases; rewrite Pow, Nat2Z.inj_add, <- Hsum, Old, OldB; ring.
      + go_ (x - 1) 0. set (r'' := set r' x (r' x + d - radix)).
        apply (carries _ _ (len - i - 1)).
        * intros a Ha. unfold r'', set. cases. apply Hr'. lia.
        * unfold r'', set. cases. apply Hr'. lia.
        * unfold r'', set. cases.
        * intros n q x' Hn Hq Hf Hval Hx'. apply (walk_right _ _ _ _ _ _ _ x); [lia| |].
          { intros a Ha. assert (set r1 x plus a = blank) by (unfold set; cases; auto). run_rule. }
          go_ (-1 - Z.of_nat (S i)) (-1). eapply (IH (S i) (i + S n)%nat); auto; try lia.
          -- assert (Hqx : (q x < radix)%nat) by (rewrite Hf by lia; unfold r'', set; cases).
             assert (Hq' : forall a, x < a \/ a <= x - 1 - Z.of_nat n -> q a = r' a).
             { intros a Ha. rewrite Hf by lia. unfold r'', set. cases; auto. }
             destruct Hr' as [in_a0 before0 middle0 in_b0 behind0]. split; try intros a Ha.
             ++ destruct (Z.lt_trichotomy a x) as [|[->|]]; auto; [apply Hq; lia|].
                rewrite Hq' by lia. apply in_a0. lia.
             ++ rewrite Hq' by lia. apply before0. lia.
             ++ rewrite Hq' by lia. auto.
             ++ rewrite Hq' by lia. auto.
             ++ rewrite Hq' by lia. auto.
          -- apply all_set_back; auto.
          -- assert (Hq' : forall a, x < a -> q a = r' a) by (intros; rewrite Hf by lia; unfold r'', set; cases;
               auto).
             rewrite Split by auto. rewrite Hval. rewrite (val_same _ r'' r')
               by (intros; unfold r'', set; cases; auto).
             rewrite (val_same _ q r') by (intros; apply Hq'; lia).
             rewrite Hf by lia. unfold r'' at 1, set at 1.
             cases; rewrite Pow, Nat2Z.inj_sub, Nat2Z.inj_add, <- Hsum, Old, OldB by lia; ring.
  Qed.
End Adder.

Theorem adder_adds radix u v : (2 <= radix)%nat -> digits radix u -> digits radix v ->
  ends _ (adder radix) (shows radix (value radix u + value radix v)) Start 0 0 (question radix u v).
Proof.
  intros Hradix Hu Hv. eapply ends_same; [|intros; apply question_rows].
  destruct (question_row radix u v Hu Hv) as (Hr & Eu & Ev). set (r := fun x => question radix u v x 0) in *.
  assert (1 <= length u)%nat by (destruct Hu as [Hu _]; destruct u; simpl; [congruence|lia]).
  assert (r 0 = S radix) by apply Hr. assert (r (-1)%Z < radix)%nat by (apply Hr; lia).
  eapply (keep_to _ _ _ (-1) 0); [rule adder|reflexivity|reflexivity|].
  eapply (keep_to _ _ _ (-1) (-1)); [rule adder|reflexivity|reflexivity|].
  apply (rounds radix Hradix _ (length v) 0 (length u)); auto; try lia.
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
