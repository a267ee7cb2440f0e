"""The expert for the square root, rounded down: 2R + 24 states at even radices, 2R + 27 at radix 2.

(p + 1)² is greater than p² by 2p + 1. So p + ½ is taken off half of n as long as that is not smaller, and p
counts how often: nothing has to be doubled, no digit of p ever carries into another, and two digits of root,
which is what four digits have, show every rule. (F. Jarvis, "Square roots by subtraction", does it with 5n.)

Row 0 holds half of n, one place longer than n, with a zero in front where an odd number of digits wants it.
Row -1 holds p, and ½ goes without saying: its one digit, R/2, belongs where p ends. Here p is 34, and 34½ can
be taken off what is left of half of 1225, once:

    00345       what is left: places 1 to 2k + 1 count in round k, and the pairs behind them wait
    0034        p, its last digit at place 2k

A round moves p one place to the right, puts a new digit 0 behind it and counts that up. At odd radices half a
number may have no last digit, and there is no expert.
"""

from dfst.errors import InputError
from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import NumberTask
from dfst.world.grid import D, L

BELOW_0 = "|"  # what a borrow makes of 0, until the digit of p below is taken off as well
FURTHER = 2
"""At this radix the root is worked out to one digit more, which is dropped at the end. Four digits show every
rule without it, too, but there are only thirty such inputs, and some rules come once in all of them: too
little to tell what belongs to the rule and what to that one run."""


def sqrt(rules: RuleBook, task: NumberTask) -> None:
    if task.radix % 2:
        raise InputError(f"{task.name}: the expert works at even radices; try sqrt10")
    n = task.digits
    _halve(rules, n)
    # Where another pair is left: p one place on, last digit first, with a 0 before it and one behind it.
    rules.rows(
        f"""
        onward    {n} R more
        more      {n} D (hold,0)
        over      λ L pick
        pick      {n} λR (hold,$)   λ R lead
        (hold,&)  λ &L over
        lead      λ 0U (hold,0)
        """,
        each=n,
    )
    _compare(rules, n)
    _subtract(rules, n)
    # What is left of n is wiped out, and p's leading zeros; before that the further digit, if there is one.
    if len(n) == FURTHER:
        rules.rows(f"""
            more  λ L last
            last  {n} λD drop
            drop  λ L           {n} λU wipe
        """)
    else:
        rules.rows("more  λ L wipe")
    rules.rows(f"""
        wipe   {n} λL      λ D right
        right  λ R trim
        trim   0 λR        {n[1:]} S   λ 0S
    """)


def _halve(rules: RuleBook, n: str) -> None:
    """Half of n from the first digit on; then back, putting a 0 before an even number of digits."""
    for k in (0, 1):
        for x, digit in enumerate(n):
            rules.rows(f"(half,{k})  {digit} {n[(k * len(n) + x) // 2]}R (half,{x % 2})")
        rules.rows(f"(half,{k})  λ {n[k * len(n) // 2]}{'R further' if len(n) == FURTHER else 'L odd'}")
    if len(n) == FURTHER:
        rules.rows("further  λ 0R even")
    rules.rows(f"""
        odd   {n} L even   λ R onward
        even  {n} L odd    λ 0L odd
    """)


def _compare(rules: RuleBook, n: str) -> None:
    """From the first digit on, the first that differs says whether p + ½ is greater than what is left."""
    rules.rows(f"""
        compare  {n} U (hold,$)
        equal    {n} R compare
        less     {n} R                       λ U onward
        greater  {n} R
        compare  λ U tie
        tie      {n[: len(n) // 2]} R more
        greater  λ U minus_half
    """)
    for i, d in enumerate(n):
        rules.on(f"(hold,{d})", d, D, to="equal")
        rules.on(f"(hold,{d})", n[:i], D, to="less")
        rules.on(f"(hold,{d})", n[i + 1 :], D, to="greater")


def _subtract(rules: RuleBook, n: str) -> None:
    """Take p + ½ off, from the last digit on, and raise p's last digit on the way."""
    low, high = n[: len(n) // 2], n[len(n) // 2 :]
    rules.rows(f"""
        minus_half  {low} {high}L (low,1)
        minus_half  {high} {low}L (low,0)
        tie         {high} {low}L (low,0)
        (low,0)     {n} D raise
        (low,1)     {n} {BELOW_0}{n[:-1]}D raise
        (borrow,0)  {n} D take
        (borrow,1)  {n} {BELOW_0}{n[:-1]}D take
    """)
    for d, digit in enumerate(n):
        if d + 1 < len(n):
            rules.rows(f"raise  {digit} {n[d + 1]}U (minus,$)")
        rules.rows(f"take  {digit} U (minus,$)")
        rules.on(f"(minus,{digit})", n[d:], L, write=n[: len(n) - d], to="(borrow,0)")
        rules.on(f"(minus,{digit})", BELOW_0 + n[:d], L, write=n[len(n) - d - 1 :], to="(borrow,1)")
    rules.rows("""
        (borrow,0)  λ D take
        take        λ R compare
    """)
