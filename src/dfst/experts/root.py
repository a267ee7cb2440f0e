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

from itertools import pairwise

from dfst.errors import InputError
from dfst.experts.arithmetic import trim_zeros
from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import NumberTask
from dfst.world.grid import BLANK, D, L, R, U

BELOW_0 = "|"  # what a borrow makes of 0, until the digit of p below is taken off as well


def sqrt(rules: RuleBook, task: NumberTask) -> None:
    if task.radix % 2:
        raise InputError(f"{task.name}: the expert works at even radices; try sqrt10")
    digits = task.digits
    _halve(rules, digits)
    _move_p(rules, digits)
    _compare(rules, digits)
    _subtract(rules, digits)
    _finish(rules, digits)


def _has_further_digit(digits: tuple[str, ...]) -> bool:
    """At radix 2 the root is worked out to one digit more, which is dropped at the end.

    Four digits show every rule without it, too, but there are only thirty such inputs, and some rules come
    once in all of them: too little to tell what belongs to the rule and what to that one run.
    """
    return len(digits) == 2


def _halve(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Half of n from the first digit on; then back, putting a 0 before an even number of digits."""
    further = _has_further_digit(digits)
    for k in (0, 1):
        for x, digit in enumerate(digits):
            half = (k * len(digits) + x) // 2
            rules.on(f"(half,{k})", digit, R, write=digits[half], to=f"(half,{x % 2})")
        end = digits[k * len(digits) // 2]
        rules.on(f"(half,{k})", BLANK, R if further else L, write=end, to="further" if further else "odd")
    if further:
        rules.on("further", BLANK, R, write="0", to="even")
    rules.on("odd", digits, L, to="even")
    rules.on("odd", BLANK, R, to="onward")
    rules.on("even", digits, L, to="odd")
    rules.on("even", BLANK, L, write="0", to="odd")


def _move_p(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Where another pair is left: p one place on, last digit first, with a 0 before it and one behind it."""
    rules.on("onward", digits, R, to="more")
    rules.on("more", digits, D, to="(hold,0)")
    for x in digits:
        rules.on(f"(hold,{x})", BLANK, L, write=x, to="over")
        rules.on("pick", x, R, write=BLANK, to=f"(hold,{x})")
    rules.on("over", BLANK, L, to="pick")
    rules.on("pick", BLANK, R, to="lead")
    rules.on("lead", BLANK, U, write="0", to="(hold,0)")


def _compare(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """From the first digit on, the first that differs says whether p + ½ is greater than what is left."""
    for i, d in enumerate(digits):
        rules.on("compare", d, U, to=f"(hold,{d})")
        rules.on(f"(hold,{d})", d, D, to="equal")
        rules.on(f"(hold,{d})", digits[:i], D, to="less")
        rules.on(f"(hold,{d})", digits[i + 1 :], D, to="greater")
    rules.on("equal", digits, R, to="compare")
    rules.on("compare", BLANK, U, to="tie")
    rules.on("tie", digits[: len(digits) // 2], R, to="more")
    rules.on("less", digits, R)
    rules.on("less", BLANK, U, to="onward")
    rules.on("greater", digits, R)
    rules.on("greater", BLANK, U, to="minus_half")


def _subtract(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Take p + ½ off, from the last digit on, and raise p's last digit on the way."""
    radix = len(digits)
    for x, digit in enumerate(digits):
        rest, borrow = digits[x - radix // 2], int(x < radix // 2)
        rules.on("minus_half", digit, L, write=rest, to=f"(low,{borrow})")
        if not borrow:
            rules.on("tie", digit, L, write=rest, to="(low,0)")
    for state, then in (("low", "raise"), ("borrow", "take")):
        rules.on(f"({state},0)", digits, D, to=then)
        for less, digit in pairwise((BELOW_0, *digits)):
            rules.on(f"({state},1)", digit, D, write=less, to=then)
    for d, digit in enumerate(digits):
        if d + 1 < radix:
            rules.on("raise", digit, U, write=digits[d + 1], to=f"(minus,{digit})")
        rules.on("take", digit, U, to=f"(minus,{digit})")
        for x in range(radix):
            rules.on(f"(minus,{digit})", digits[x], L, write=digits[x - d], to=f"(borrow,{int(x < d)})")
        rules.on(f"(minus,{digit})", BELOW_0, L, write=digits[-1 - d], to="(borrow,1)")
    rules.on("(borrow,0)", BLANK, D, to="take")
    rules.on("take", BLANK, R, to="compare")


def _finish(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Wipe out what is left of n, and p's leading zeros; before that the further digit, if there is one."""
    if _has_further_digit(digits):
        rules.on("more", BLANK, L, to="last")
        rules.on("last", digits, D, write=BLANK, to="drop")
        rules.on("drop", BLANK, L)
        rules.on("drop", digits, U, write=BLANK, to="wipe")
    else:
        rules.on("more", BLANK, L, to="wipe")
    rules.on("wipe", digits, L, write=BLANK)
    rules.on("wipe", BLANK, D, to="right")
    rules.on("right", BLANK, R, to="trim")
    trim_zeros(rules, digits)
