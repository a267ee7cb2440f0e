(** An expert sorts: it walks right while the digits ascend, swaps a pair that does not, and looks left again. *)
From Coq Require Import String List ZArith Bool Lia Arith Permutation Sorted.
From dfst Require Import Definitions Runs Tape Checker.
Import ListNotations.
Open Scope list_scope.
Open Scope nat_scope.

(** [Again] is [At 0], but a digit is sure to follow. *)
Inductive sorter_state := At (d : nat) | Put (d : nat) | Look | Again.
Scheme Equality for sorter_state.

Section Sorter.
  Variable radix : nat.
  Hypothesis radix_1 : 1 <= radix.
  Definition sorter (q : sorter_state) (s : nat) : option (nat * option (motion * sorter_state)) :=
    if s =? radix then match q with At _ => Some (s, None) | Look => Some (s, Some (R, Again)) | _ => None end
    else if negb (s <? radix) then None
    else match q with
    | At d => if d <=? s then Some (s, Some (R, At s)) else Some (d, Some (L, Put s))
    | Put d => if d <? s then Some (d, Some (L, Look)) else None
    | Look | Again => Some (s, Some (R, At s))
    end.

  Lemma no_more_symbols q s : S radix <= s -> sorter q s = None.
  Proof. intros H. unfold sorter. cases; reflexivity. Qed.

  (** What stands left of the head is in order; with [t] behind it, it is [rev_append p t]. *)
  Lemma sorted_tail p : forall t, Sorted le (rev_append p t) -> Sorted le t.
  Proof. induction p as [|d p IH]; intros t H; auto. apply IH in H. inversion H; auto. Qed.
  Lemma sorted_other_tail p : forall d t t', Sorted le (rev_append p (d :: t)) -> Sorted le (d :: t') ->
    Sorted le (rev_append p (d :: t')).
  Proof.
    induction p as [|e p IH]; intros d t t' H H'; auto. simpl in *. apply (IH e (d :: t)); auto.
    apply sorted_tail in H. inversion H as [|? ? _ He]; subst. inversion He; subst. constructor; auto.
  Qed.

  Variable good : plane -> Prop.
  Notation ends := (ends sorter_state sorter good).
  Notation tape := (tape radix).
  Notation small := (Forall (fun d => d < radix)).
  Definition at_ (p l : list nat) : Prop := forall x, ends (At (hd 0 p)) x 0 (tape x p l).

  Lemma ascends p s l : hd 0 p <= s -> s < radix -> at_ (s :: p) l -> at_ p (s :: l).
  Proof.
    intros H Hs G x. eapply right; [|apply G]. unfold sorter. simpl.
    destruct (Nat.eqb_spec s radix), (Nat.ltb_spec s radix), (Nat.leb_spec (hd 0 p) s); simpl; try lia. reflexivity.
  Qed.
  Lemma swaps d p s l : s < d -> d < radix -> small p -> at_ p (s :: d :: l) -> at_ (d :: p) (s :: l).
  Proof.
    intros H Hd Hp G x. eapply left; [|eapply left]; [| |].
    - unfold sorter. simpl. destruct (Nat.eqb_spec s radix), (Nat.ltb_spec s radix); simpl; try lia.
      destruct d; [lia|]. destruct (Nat.leb_spec (S d) s); [lia|]. reflexivity.
    - unfold sorter. simpl. destruct (Nat.eqb_spec d radix), (Nat.ltb_spec d radix), (Nat.ltb_spec s d); simpl;
        try lia. reflexivity.
    - cbn [tl hd]. destruct Hp as [|y p Hy _].
      + eapply right with (s := radix) (q' := Again); [unfold sorter; simpl; rewrite Nat.eqb_refl; reflexivity|].
        cbn [tl hd]. apply ends_alike with (q := At 0).
        * (* the blank that has been walked over is still one *)
          eapply ends_same; [apply G|]. intros a c. unfold Tape.tape. cases; try reflexivity.
          destruct (Z.to_nat _) as [|[|]]; reflexivity.
        * rewrite tape_here. unfold sorter. cbn [hd]. destruct (Nat.eqb_spec s radix); [lia|]. reflexivity.
      + eapply right with (s := y) (q' := At y); [|apply G]. unfold sorter. simpl.
        destruct (Nat.eqb_spec y radix), (Nat.ltb_spec y radix); simpl; try lia. reflexivity.
  Qed.

  Lemma walks t : forall p l, small t -> Sorted le (rev_append p t) -> at_ (rev t ++ p) l -> at_ p (t ++ l).
  Proof.
    induction t as [|s t IH]; intros p l Ht H G; [exact G|]. inversion Ht as [|? ? Hs Ht']; subst. simpl in *.
    apply ascends; auto.
    - destruct p as [|d p]; simpl; [lia|]. assert (Sorted le (d :: s :: t)) as S by (apply (sorted_tail p); exact H).
      inversion S as [|? ? _ Hd]; subst. inversion Hd; auto.
    - apply IH; auto. rewrite <- app_assoc in G. exact G.
  Qed.

  (** The digit [s] finds its place; [t] are those that it has passed. *)
  Lemma inserts l s : s < radix -> forall p t, small p -> small t -> Sorted le (rev_append p t) ->
    Sorted le (s :: t) ->
    (forall p', small p' -> Permutation p' (s :: t ++ p) -> Sorted le (rev_append p' []) -> at_ p' l) ->
      at_ p (s :: t ++ l).
  Proof.
    intros Hs. induction p as [|d p IH]; intros t Hp Ht H Hst G.
    - apply ascends; simpl; auto; [lia|]. apply walks; auto. apply G.
      + apply Forall_app. split; [apply Forall_rev; auto|auto].
      + rewrite app_nil_r, <- Permutation_rev. symmetry. apply Permutation_cons_append.
      + rewrite rev_append_rev, app_nil_r, rev_app_distr, rev_involutive. exact Hst.
    - inversion Hp as [|? ? Hd Hp']; subst. destruct (Nat.le_gt_cases d s) as [Hds|Hds].
      + assert (Sorted le (rev_append (d :: p) (s :: t))) as H'.
        { simpl. apply (sorted_other_tail p d t); auto. }
        apply ascends; simpl; auto. apply walks; auto. apply G.
        * apply Forall_app. split; [apply Forall_rev; auto|auto].
        * rewrite <- Permutation_rev. symmetry. apply Permutation_middle.
        * rewrite rev_append_rev, app_nil_r, rev_app_distr, rev_involutive. simpl. simpl in H'.
          rewrite rev_append_rev in H'. rewrite <- !app_assoc. exact H'.
      + apply swaps; auto. apply (IH (d :: t)); auto.
        * constructor; [apply (sorted_tail p); exact H|constructor; lia].
        * intros p' Hs' P S. apply G; auto. rewrite P. simpl. apply perm_skip. apply Permutation_middle.
  Qed.

  Lemma all_inserted l : forall p, small p -> small l -> Sorted le (rev_append p []) ->
    (forall v, small v -> Permutation v (p ++ l) -> Sorted le (rev_append v []) -> at_ v []) -> at_ p l.
  Proof.
    induction l as [|s l IH]; intros p Hp Hl H G.
    - apply G; auto. rewrite app_nil_r. reflexivity.
    - inversion Hl as [|? ? Hs Hl']; subst. apply (inserts l s Hs p []); auto. intros p' Hp' P H'. apply IH; auto.
      intros v Hv Pv Hv'. apply G; auto. rewrite Pv, P. simpl. apply Permutation_middle.
  Qed.
End Sorter.

Theorem sorts_if radix w : 1 <= radix -> alphabet w = digit_names radix ++ ["λ"%string] -> start w = "first"%string ->
  check _ sorter_state_beq (sorter radix) (S radix) w (At 0) = true -> sorts w radix.
Proof.
  intros Hr Hnames Hstart H. eapply answers_as; eauto; [exact internal_sorter_state_dec_bl| |].
  { intros q s Hs. apply no_more_symbols; auto. }
  intros u [_ Hu]. apply (all_inserted radix Hr _ u []); auto; [constructor|].
  intros v _ P S x. eapply halt_here; [unfold sorter; simpl; rewrite Nat.eqb_refl; reflexivity|]. intros g Hg.
  apply (tape_leaves radix _ x v [radix] (rev v) [] g); auto.
  - rewrite app_nil_r. rewrite rev_append_rev, app_nil_r in S. split; auto. rewrite <- Permutation_rev, P.
    reflexivity.
  - intros n. rewrite rev_involutive. reflexivity.
  - intros [|[|]]; reflexivity.
Qed.
