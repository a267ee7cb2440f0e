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

from itertools import pairwise

from dfst.experts.arithmetic import trim_zeros
from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import NumberTask
from dfst.world.grid import BLANK, D, L, R, U

COMMA = ","
BELOW_0 = COMMA
"""What a borrow makes of 0, until the divisor's digit is taken off as well; no comma is left by then."""


def gcd(rules: RuleBook, task: NumberTask) -> None:
    digits = task.digits
    _lay_out(rules, digits)
    _exchange(rules, digits)
    _begin_alike(rules)
    _move(rules, digits)
    _compare(rules, digits)
    _subtract(rules, digits)
    trim_zeros(rules, digits)


def _lay_out(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Zeros below a; then b goes down, the last digit first, and the comma becomes a zero below."""
    rules.on("start", digits, D, to="lay")
    rules.on("lay", BLANK, U, write="0", to="laid")
    rules.on("laid", digits, R, to="start")
    rules.on("start", COMMA, R, to="to_end")
    rules.on("above", COMMA, D, write=BLANK, to="lay")
    rules.on("laid", BLANK, L, to="home")
    rules.on("home", digits, L)


def _exchange(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Each digit of row 0 changes places with the one below it, the last first; b's, with nothing below
    them, just go down, and the next one is found above."""
    rules.on("to_end", digits, R)
    rules.on("to_end", BLANK, L, to="above")
    for x in digits:
        for state in ("above", "pick"):
            rules.on(state, x, D, write=BLANK, to=f"(swap,{x})")
        for y in digits:
            rules.on(f"(swap,{x})", y, U, write=x, to=f"(swap,{y})")
        rules.on(f"(swap,{x})", BLANK, L, write=x, to="pick")
    rules.on("pick", BLANK, U, to="above")
    rules.on("above", BLANK, D, to="home")
    rules.on("home", BLANK, R, to="strip")


def _begin_alike(rules: RuleBook) -> None:
    """For each leading zero of the divisor, which is dropped, the dividend goes one place to the right."""
    rules.on("strip", "0", D, write=BLANK, to="over")
    rules.on("top", BLANK, U, to="up")
    rules.on("up", BLANK, U, to="home")
    rules.on("strip", BLANK, D, to="trim")


def _move(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """A number one place to the right, its last digit first.

    Where it was the divisor, the dividend's digit below its old place comes first from now on: the top, for
    which the divisor has no digit. It is dropped if it is 0. Below the dividend there is nothing.
    """
    rules.on("less", digits, R)
    rules.on("less", BLANK, D, to="more")
    rules.on("more", digits, U, to="over")
    rules.on("more", BLANK, U, to="to_end")
    rules.on("over", digits, R)
    rules.on("over", BLANK, L, to="shift")
    for x in digits:
        rules.on("shift", x, R, write=BLANK, to=f"(hold,{x})")
        rules.on(f"(hold,{x})", BLANK, L, write=x, to="over")
    rules.on("shift", BLANK, R, to="shifted")
    rules.on("shifted", BLANK, D, to="top")
    rules.on("top", "0", U, write=BLANK, to="lead")
    rules.on("top", digits[1:], U, to="longer")


def _compare(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """From the divisor's first digit on, the first that differs says whether it is greater."""
    for state in ("lead", "longer"):
        rules.on(state, BLANK, R)
    rules.on("longer", digits[1:], R, to="greater")
    for i, d in enumerate(digits):
        for state in ("strip", "lead", "compare") if i else ("compare",):
            rules.on(state, d, D, to=f"(hold,{d})")
        rules.on(f"(hold,{d})", d, U, to="equal")
        rules.on(f"(hold,{d})", digits[:i], U, to="less")
        rules.on(f"(hold,{d})", digits[i + 1 :], U, to="greater")
    rules.on("equal", digits, R, to="compare")
    rules.on("compare", BLANK, L, to="take")
    rules.on("greater", digits, R)
    rules.on("greater", BLANK, L, to="take")


def _subtract(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Take the divisor off, from the last digit on; a borrow is taken from a digit before the divisor's."""
    for d, digit in enumerate(digits):
        for state in ("take", "taken"):
            rules.on(state, digit, D, to=f"(minus,{digit})")
        for x, above in enumerate(digits):
            rest, borrow = digits[x - d], int(x < d)
            rules.on(f"(minus,{digit})", above, L, write=rest, to=f"(borrow,{borrow})")
        rules.on(f"(minus,{digit})", BELOW_0, L, write=digits[-1 - d], to="(borrow,1)")
    rules.on("(borrow,0)", digits, U, to="take")
    for less, digit in pairwise((BELOW_0, *digits)):
        rules.on("(borrow,1)", digit, U, write=less, to="taken")
    rules.on("(borrow,0)", BLANK, U, to="lead")
    for state in ("take", "taken") if len(digits) > 2 else ("taken",):
        rules.on(state, BLANK, D, to="top")
