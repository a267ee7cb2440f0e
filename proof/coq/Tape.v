(** Experts that stay on row 0: a tape, as the word left of the head, nearest first, and the word from the head on. *)
From Coq Require Import String List ZArith Bool Lia Arith.
From dfst Require Import Definitions Runs Checker.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

Section Tape.
  Variables (state : Type) (act : expert state) (empty : nat).
  Definition tape (x : Z) (p l : list nat) : plane := fun a c =>
    if negb (c =? 0) then empty
    else if a <? x then nth (Z.to_nat (x - 1 - a)) p empty else nth (Z.to_nat (a - x)) l empty.

  Lemma tape_here x p l : tape x p l x 0 = hd empty l.
  Proof. unfold tape. cbn [Z.eqb negb]. cases. rewrite Z.sub_diag. destruct l; reflexivity. Qed.
  Lemma nth_tl (l : list nat) n : nth n (tl l) empty = nth (S n) l empty.
  Proof. destruct l; simpl; auto. destruct n; reflexivity. Qed.
  Lemma to_nat_S a b : b < a -> Z.to_nat (a - b) = S (Z.to_nat (a - 1 - b)).
  Proof. lia. Qed.

  Variable good : plane -> Prop.
  Notation ends := (ends state act good).

  Lemma halt_here q x p l s : act q (hd empty l) = Some (s, None) ->
    (forall g, (forall a c, g a c = tape x p (s :: tl l) a c) -> good g) -> ends q x 0 (tape x p l).
  Proof.
    intros H G. eapply halts; [rewrite tape_here; exact H|]. intros g E. apply G. intros a c. rewrite E.
    unfold write, tape.
    cases; subst; try rewrite Z.sub_diag; try reflexivity. cbn [negb]. rewrite (to_nat_S a x) by lia.
    cbn [nth]. rewrite nth_tl. reflexivity.
  Qed.
  Lemma right q x p l s q' : act q (hd empty l) = Some (s, Some (R, q')) ->
    ends q' (x + 1) 0 (tape (x + 1) (s :: p) (tl l)) ->
    ends q x 0 (tape x p l).
  Proof.
    intros H G. eapply goes; [rewrite tape_here; exact H|]. cbn [dx dy]. eapply ends_same; [exact G|].
    intros a c. unfold write, tape. cases; subst; cbn [negb andb]; auto.
    - replace (x + 1 - 1 - x) with 0 by lia. reflexivity.
    - replace (x + 1 - 1 - a) with (x - a) by lia. rewrite (to_nat_S x a) by lia. reflexivity.
    - rewrite nth_tl. rewrite (to_nat_S a x) by lia. do 2 f_equal. lia.
  Qed.
  Lemma left q x p l s q' : act q (hd empty l) = Some (s, Some (L, q')) ->
    ends q' (x + -1) 0 (tape (x + -1) (tl p) (hd empty p :: s :: tl l)) -> ends q x 0 (tape x p l).
  Proof.
    intros H G. eapply goes; [rewrite tape_here; exact H|]. cbn [dx dy]. eapply ends_same; [exact G|].
    intros a c. unfold write, tape. cases; subst; cbn [negb andb]; auto.
    - replace (x - (x + -1)) with 1 by lia. reflexivity.
    - rewrite nth_tl. do 2 f_equal. lia.
    - replace a with (x + -1) by lia. replace (x - 1 - (x + -1)) with 0 by lia. rewrite Z.sub_diag.
      destruct p; reflexivity.
    - replace (Z.to_nat (a - (x + -1))) with (S (S (Z.to_nat (a - 1 - x)))) by lia. rewrite (to_nat_S a x) by lia.
      symmetry. apply nth_tl.
  Qed.

  (** The input. *)
  Lemma laid_tape u a c : laid empty 0 0 u a c = tape 0 [] u a c.
  Proof. unfold laid, tape. cases; subst; cbn [negb]; auto. destruct (Z.to_nat _); reflexivity. Qed.
End Tape.

(** The answer [v ++ w]: what stands left of the head and from it on may have blanks behind it. *)
Definition alike (empty : nat) (l m : list nat) : Prop := forall n, nth n l empty = nth n m empty.
Definition leaves (empty : nat) (right : list nat -> Prop) (g : plane) : Prop :=
  exists x y v, right v /\ forall a c, g a c = laid empty x y v a c.
Lemma tape_leaves empty (right : list nat -> Prop) x p l v w g : right (v ++ w) -> alike empty p (rev v) ->
  alike empty l w ->
  (forall a c, g a c = tape empty x p l a c) -> leaves empty right g.
Proof.
  intros Hr Hv Hw Hg. exists (x - Z.of_nat (length v)), 0, (v ++ w). split; auto.
  intros a c. rewrite Hg. unfold tape, laid. rewrite Hv, Hw. cases; cbn [negb]; auto.
  - rewrite app_nth1 by lia. rewrite rev_nth by lia. f_equal. lia.
  - rewrite app_nth2 by lia. f_equal. lia.
  - apply nth_overflow. rewrite rev_length. lia.
Qed.

(** A tape is the same wherever on it one stands. *)
Lemma tape_skips empty m : forall x p l a c,
  tape empty x p (m ++ l) a c = tape empty (x + Z.of_nat (length m)) (rev_append m p) l a c.
Proof.
  induction m as [|s m IH]; intros x p l a c; [cbn [length Z.of_nat]; rewrite Z.add_0_r; reflexivity|].
  replace (x + Z.of_nat (length (s :: m))) with (x + 1 + Z.of_nat (length m)) by (cbn [length]; lia).
  cbn [rev_append]. rewrite <- IH. unfold tape. cases; try reflexivity.
  - rewrite (to_nat_S (x + 1 - 1) a) by lia. replace (x + 1 - 1 - 1 - a) with (x - 1 - a) by lia. reflexivity.
  - replace a with x by lia. replace (x + 1 - 1 - x) with 0 by lia. rewrite Z.sub_diag. reflexivity.
  - rewrite (to_nat_S a x) by lia. replace (a - (x + 1)) with (a - 1 - x) by lia. reflexivity.
Qed.

(** * Walks over a word; [k] is the blank *)
Section Walks.
  Variables (k : nat) (state : Type) (act : expert state) (good : plane -> Prop).
  Definition at_ (q : state) (p l : list nat) : Prop := forall x, ends _ act good q x 0 (tape k x p l).
  Lemma go_right q p s l w q' : act q s = Some (w, Some (R, q')) -> at_ q' (w :: p) l -> at_ q p (s :: l).
  Proof. intros H G x. eapply right; [exact H|apply G]. Qed.
  Lemma go_left q p s l w q' : act q s = Some (w, Some (L, q')) -> at_ q' (tl p) (hd k p :: w :: l) ->
    at_ q p (s :: l).
  Proof. intros H G x. eapply left; [exact H|apply G]. Qed.
  (** Two states with the same rule. *)
  Lemma at_same q q' p s l : act q s = act q' s -> at_ q' p (s :: l) -> at_ q p (s :: l).
  Proof.
    intros H G x. assert (E := tape_here k x p (s :: l)). cbn [hd] in E. specialize (G x). inversion G; subst.
    - eapply halts; [rewrite E, H, <- E; eassumption|auto].
    - eapply goes; [rewrite E, H, <- E; eassumption|auto].
  Qed.
  (** Blanks behind a word make no difference. *)
  Lemma at_alike q p l p' l' : alike k p' p -> alike k l' l -> at_ q p l -> at_ q p' l'.
  Proof. intros Hp Hl G x. eapply ends_same; [apply G|]. intros a c. unfold tape. rewrite Hp, Hl. reflexivity. Qed.
  Lemma alike_blank l : alike k (l ++ [k]) l.
  Proof.
    intros n. destruct (Nat.lt_ge_cases n (length l)); [apply app_nth1; auto|].
    rewrite app_nth2, (nth_overflow l) by auto. destruct (n - length l)%nat as [|[|]]; reflexivity.
  Qed.
  Lemma at_end q p l : at_ q p (l ++ [k]) -> at_ q p l.
  Proof. apply at_alike; intros n; [reflexivity|symmetry; apply alike_blank]. Qed.
  Lemma walk_right q m : forall p l, (forall s, In s m -> act q s = Some (s, Some (R, q))) ->
    at_ q (rev_append m p) l -> at_ q p (m ++ l).
  Proof.
    induction m as [|s m IH]; intros p l H G; [exact G|]. apply (go_right _ _ _ _ s q); [apply H; simpl; auto|].
    apply IH; auto. intros t Ht. apply H. simpl; auto.
  Qed.
  (** From the last letter of a word, [n] backwards, to what stands before it. *)
  Lemma walk_left q n : forall p l, (forall s, In s n -> act q s = Some (s, Some (L, q))) ->
    at_ q (tl p) (hd k p :: rev_append n l) -> at_ q (tl (n ++ p)) (hd k (n ++ p) :: l).
  Proof.
    induction n as [|s n IH]; intros p l H G; [exact G|]. cbn [app tl hd].
    apply (go_left _ _ _ _ s q); [apply H; simpl; auto|]. apply IH; auto. intros t Ht. apply H. simpl; auto.
  Qed.
End Walks.

(** So a DFST that acts as an expert does answers as it does. *)
Lemma answers_as (state : Type) same (act : expert state) symbols w q0 names letters right :
  (forall p q, same p q = true -> p = q) -> (forall q s, (symbols <= s)%nat -> act q s = None) ->
  alphabet w = names -> start w = "first"%string -> check state same act symbols w q0 = true ->
  (forall u, digits letters u -> ends _ act (leaves letters (right u)) q0 0 0 (tape letters 0 [] u)) ->
  answers w names letters right.
Proof.
  intros Hsame Hmore Hnames Hstart H G. repeat split; auto. intros u Hu. eapply check_sound; eauto.
  eapply ends_same; [exact (G u Hu)|]. intros. apply laid_tape.
Qed.
