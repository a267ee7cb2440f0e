"""The expert for the greatest common divisor: Euclid by long division, 3R + 25 states at every radix R.

Row 0 holds the divisor, row -1 the dividend, of which the remainder is left where it stands. At first a is
the divisor and b the dividend, with zeros before it; of 12,180 becomes

    12              the divisor goes one place to the right at a time, and is taken off what stands below
    000180          it as often as that is not smaller

Once both end in the same column, the remainder is what is left in row -1, and the rows change places, column
by column. The new divisor, which was the remainder, loses its leading zeros; for each of them the new
dividend goes one place to the right, so that both begin in the same column. Where nothing but zeros was
left, there is no divisor any more, and the dividend is the answer.

    12                   60                   60
    000060       →        12        →          12        …

Nothing is carried far: a digit goes to the cell beside it or to the other row, so that an exchange takes a
few steps for each digit, and runs are short. And a state has rules for what it can meet and no others, since
the traces show no more: the divisor's first digit is not 0 (`lead` and `longer` against `compare` and
`greater`), and at radix 2 the digit before it is used up by the first borrow (`taken` against `take`).
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import NumberTask
from dfst.world.grid import L, U

BELOW_0 = ","
"""What a borrow makes of 0, until the divisor's digit is taken off as well; no comma is left by then."""


def gcd(rules: RuleBook, task: NumberTask) -> None:
    n = task.digits
    # Zeros below a; then b goes down, the last digit first, and the comma becomes a zero below.
    rules.rows(f"""
        start   {n} D lay
        lay     λ 0U laid
        laid    {n} R start
        start   , R to_end
        above   , λD lay
        laid    λ L home
        home    {n} L
        to_end  {n} R           λ L above
    """)
    # Each digit of row 0 changes places with the one below it, the last first; b's, with nothing below them,
    # just go down, and the next one is found above.
    for x in n:
        rules.rows(f"""
            above      {x} λD (swap,$)
            pick       {x} λD (swap,$)
            (swap,{x})  {n} {x}U (swap,$)   λ {x}L pick
        """)
    # For each leading zero of the divisor, which is dropped, the dividend goes one place to the right.
    rules.rows("""
        pick   λ U above
        above  λ D home
        home   λ R strip
        strip  0 λD over
        top    λ U up
        up     λ U home
        strip  λ D trim
    """)
    _move(rules, n)
    _compare(rules, n)
    _subtract(rules, n)
    rules.rows(f"trim  0 λR  {n[1:]} S  λ 0S")


def _move(rules: RuleBook, n: str) -> None:
    """A number one place to the right, its last digit first.

    Where it was the divisor, the dividend's digit below its old place comes first from now on: the top, for
    which the divisor has no digit. It is dropped if it is 0. Below the dividend there is nothing.
    """
    rules.rows(
        f"""
        less      {n} R             λ D more
        more      {n} U over        λ U to_end
        over      {n} R             λ L shift
        shift     {n} λR (hold,$)
        (hold,&)  λ &L over
        shift     λ R shifted
        shifted   λ D top
        top       0 λU lead         {n[1:]} U longer
        """,
        each=n,
    )


def _compare(rules: RuleBook, n: str) -> None:
    """From the divisor's first digit on, the first that differs says whether it is greater."""
    rules.rows(f"""
        lead     λ R
        longer   λ R                {n[1:]} R greater
        strip    {n[1:]} D (hold,$)
        lead     {n[1:]} D (hold,$)
        compare  {n} D (hold,$)
    """)
    for i, d in enumerate(n):
        rules.on(f"(hold,{d})", d, U, to="equal")
        rules.on(f"(hold,{d})", n[:i], U, to="less")
        rules.on(f"(hold,{d})", n[i + 1 :], U, to="greater")
    rules.rows(f"""
        equal    {n} R compare
        compare  λ L take
        greater  {n} R           λ L take
    """)


def _subtract(rules: RuleBook, n: str) -> None:
    """Take the divisor off, from the last digit on; a borrow is taken from a digit before the divisor's."""
    for d, digit in enumerate(n):
        rules.rows(f"""
            take   {digit} D (minus,$)
            taken  {digit} D (minus,$)
        """)
        rules.on(f"(minus,{digit})", n[d:], L, write=n[: len(n) - d], to="(borrow,0)")
        rules.on(f"(minus,{digit})", BELOW_0 + n[:d], L, write=n[len(n) - d - 1 :], to="(borrow,1)")
    rules.rows(f"""
        (borrow,0)  {n} U take                     λ U lead
        (borrow,1)  {n} {BELOW_0}{n[:-1]}U taken
        taken       λ D top
    """)
    if len(n) > 2:
        rules.rows("take  λ D top")
