"""Experts that need their tape: they carry letters about, and write what is done in other letters.

    reverse 3k+3, duplicate k+4, odds_first 2k+6 states for k letters; modular_brackets 55, solve 91 states;
    in tables/: missing_duplicate 12, stack 7

Like the adders they are built to be learnt from: what is walked over are letters and marks, not blanks; what
has been done and what is left to do are written in different symbols, so that their border is a landmark.
"""

from dfst.experts.regular import after_number, before_number, evaluate, evaluating
from dfst.machines.rulebook import RuleBook
from dfst.tasks.word_tasks import KEPT, MODULUS, SO_FAR, TIMES_X
from dfst.tasks.words import WordTask


def reverse(rules: RuleBook, task: WordTask) -> None:
    """The first and the last letter change places, as capitals, then the next two; then all become small."""
    small, capital = task.letters, task.letters.upper()
    rules.rows(f"next  {small} {capital}R (go,$)  {capital} R end")
    for x, X in zip(small, capital, strict=True):
        rules.rows(f"""
            (go,{x})    {small} R                {capital}λ L (swap,{x})
            (swap,{x})  {small} {X}L (back,$)    {X} R end
            (back,{x})  {small} L                {capital} {X}R next
        """)
    rules.rows(f"""
        end    {capital} R           λ L lower
        lower  {capital} {small}L    λ S
    """)


def duplicate(rules: RuleBook, task: WordTask) -> None:
    """Each letter becomes a capital, and so does its copy behind the last one; at last all become small."""
    small, capital = task.letters, task.letters.upper()
    rules.rows(f"take  {small} {capital}R (carry,$)")
    for x, X in zip(small, capital, strict=True):
        rules.rows(f"(carry,{x})  {small}{capital} R  λ {X}L over_copy")
    rules.rows(f"""
        over_copy  {capital} L           {small} L over_rest   λ R lower
        over_rest  {small} L             {capital} R take
        lower      {capital} {small}R    λ S
    """)


def odds_first(rules: RuleBook, task: WordTask) -> None:
    """Each odd letter is carried behind the word, each even one marked as kept; then those are carried.

    Where the last odd letter was taken stands a landmark until the agent is back.
    """
    small, capital = task.letters, task.letters.upper()
    rules.rows(f"odd  {small} oR (carry,$)  {capital} L home")
    for x, X in zip(small, capital, strict=True):
        rules.rows(f"(carry,{x})  {small}{capital} R  λ {X}L back")
    rules.rows(f"""
        back  {small}{capital} L    o #R even
        even  {small} {KEPT}R odd   {capital} L home
        home  {capital}{KEPT}# L    λ R kept
    """)
    for x, kept in zip(small, KEPT, strict=True):
        rules.rows(f"kept  {kept} λR (bring,{x})")
    rules.rows(f"kept  # λR  {capital} {small}R lower")
    for x, X in zip(small, capital, strict=True):
        rules.rows(f"(bring,{x})  {capital}{KEPT}# R  λ {X}L home")
    rules.rows(f"lower  {capital} {small}R  λ S")


def modular_brackets(rules: RuleBook, task: WordTask) -> None:
    """The first bracket that closes holds no other and is worked out; then the next; at last what is left.

    In place of each symbol that is done the agent leaves a letter for the value so far. Where a bracket ends,
    the last letter becomes the value; the others become # when the agent next goes left. What is left of a
    bracket is walked over, and after a number it becomes ; on the way: so before a number and after it are
    states that act differently.
    """
    rules.rows(f"""
        close  01234+-*(; R   )λ L open
        open   01234+-*# L    {SO_FAR}; #L   ( #R {before_number(0, 1)}   λ R {before_number(0, 1)}
    """)
    evaluate(rules, SO_FAR.__getitem__, lambda operator, value: SO_FAR[value])
    for total, product in evaluating():
        rules.rows(f"""
            {before_number(total, product)}  # R
            {after_number(total, product)}   # ;R   ) ;L keep   λ L last
        """)
    rules.rows(f"""
        keep  {SO_FAR} 01234R close   ; L
        last  {SO_FAR} 01234L wipe    ; λL
        wipe  {SO_FAR}#; λL           λ S
    """)


def solve(rules: RuleBook, task: WordTask) -> None:
    """The left side is worked out without the product that holds x; what is missing is divided by its factor.

    Rightwards the agent leaves in place of each number a letter for the value so far, in place of x one for
    what stands before x in its product, and the numbers behind x in that product it leaves alone; in place of
    the right side, what the product must be. Back at x, it multiplies the factor by those that were left
    alone, takes it to the right, and leaves a letter for it in place of each number; there it divides. Then
    all but x is wiped out.
    """
    evaluate(rules, SO_FAR.__getitem__, lambda operator, value: operator)
    for total, product in evaluating():
        if product:  # 0 times x would leave x open
            rules.rows(f"{before_number(total, product)}  x {TIMES_X[product - 1]}R ({total},x)")
        rules.rows(f"{after_number(total, product)}  = R (is,{(total + product) % MODULUS})")
    for total in range(MODULUS):
        rest = "0123401234"[MODULUS - total :][:MODULUS]
        rules.rows(f"""
            ({total},x)   * R ({total},x·)    + R {before_number(total, 1)}
            ({total},x)   - R {before_number(total, MODULUS - 1)}    = R (is,{total})
            ({total},x·)  1234 R ({total},x)
            (is,{total})  01234 {rest}L back
        """)
    rules.rows(f"""
        back   = L home
        home   {SO_FAR}1234 L home·
        home·  +-* L home
    """)
    for factor, letter in enumerate(TIMES_X, 1):
        rules.rows(f"""
            home              {letter} R (by,{factor})
            (by,{factor})     * R (by,{factor}·)    +- R (take,{factor}·)    = R (solve,{factor})
            (take,{factor}·)  {SO_FAR} {letter}R (take,{factor})
            (take,{factor})   +-* R (take,{factor}·)    = R (solve,{factor})
        """)
        for digit in range(1, MODULUS):
            product = factor * digit % MODULUS
            rules.rows(f"""
                (by,{factor}·)    {digit} {TIMES_X[product - 1]}R (by,{product})
                (solve,{factor})  {product} {digit}L done
            """)
        rules.rows(f"(solve,{factor})  0 L done")
    rules.rows(f"""
        done   = λL wipe
        wipe   {SO_FAR}{TIMES_X} λL wipe·
        wipe·  +-* λL wipe   λ S
    """)
