"""Experts for long division: div and mod, for every radix 2 to 36.

Row 0 is `a/b`. Row -1 holds the remainder r so far, under the operator and b, in zeros at first. Each round
brings a's next digit down to the end of r, which makes room for it, and takes b off r while r is not smaller.

    div  6R + 34 states     the quotient's digits take the places of a's; row 1 counts each of them
    mod  5R + 27            a is used up, r is left

By 0 the answer is `?`.
"""

from collections.abc import Sequence
from itertools import pairwise

from dfst.experts.arithmetic import trim_zeros
from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import DIGITS, NumberTask
from dfst.world.grid import BLANK, D, L, R, U


def div(rules: RuleBook, task: NumberTask) -> None:
    """Where a digit of a was taken stands a second operator; above it the agent counts how often b is taken
    off, and then puts that digit of the quotient in its place."""
    digits, sign = task.digits, "/"
    _lay_out(rules, digits, sign)
    _impossible(rules, digits, sign)
    for x in digits:
        rules.on("take", x, R, write=sign, to=f"(bring,{x})")
    _divide(rules, task, sign, L, "to_count")
    for walk, then in (("to_count", "count"), ("to_counted", "counted")):
        rules.on(walk, digits, L)
        rules.on(walk, sign, U, to=then)
    rules.on("count", BLANK, D, write="1", to="again")
    for less, more in pairwise(digits[1:]):
        rules.on("count", less, D, write=more, to="again")
    rules.on("again", sign, R, to="return")
    rules.on("return", digits, R)
    rules.on("return", sign, D, to="rest")
    rules.on("less", digits, L)
    rules.on("less", sign, L, to="to_counted")
    rules.on("counted", BLANK, D, to="(put,0)")
    for x in digits[1:]:
        rules.on("counted", x, D, write=BLANK, to=f"(put,{x})")
    for x in digits:
        rules.on(f"(put,{x})", sign, R, write=x, to="take")
    rules.on("take", sign, R, write=BLANK, to="wipe_b")
    rules.on("wipe_b", digits, R, write=BLANK)
    rules.on("wipe_b", BLANK, D, to="turn")
    rules.on("turn", BLANK, L, to="wipe_r")
    rules.on("wipe_r", digits, L, write=BLANK)
    rules.on("wipe_r", BLANK, U, to="left")
    trim(rules, digits)


def mod(rules: RuleBook, task: NumberTask) -> None:
    digits, sign = task.digits, "%"
    _lay_out(rules, digits, sign)
    _impossible(rules, digits, sign)
    for x in digits:
        rules.on("take", x, R, write=BLANK, to=f"(bring,{x})")
    _divide(rules, task, sign, D, "rest")
    rules.on("less", digits, L)
    rules.on("less", sign, L, to="home")
    rules.on("take", sign, R, write=BLANK, to="wipe_b")
    rules.on("wipe_b", digits, R, write=BLANK)
    rules.on("wipe_b", BLANK, D, to="turn")
    rules.on("turn", BLANK, L, to="left")
    trim(rules, digits)


def _impossible(rules: RuleBook, digits: tuple[str, ...], sign: str) -> None:
    """Division by 0."""
    rules.on("zero", BLANK, L, to="impossible")
    rules.on("impossible", (*digits, sign), L, write=BLANK)
    rules.halt("impossible", BLANK, write="?")


def _lay_out(rules: RuleBook, digits: tuple[str, ...], sign: str) -> None:
    """See whether b is 0; put zeros under b and the operator; go to a's first digit.

    At b's first digit other than 0 the agent turns back: no other walk over b does, and so none is mixed up
    with this one, which alone knows that b may be 0.
    """
    rules.on("start", digits, R)
    rules.on("start", sign, R, to="zero")
    rules.on("zero", "0", R)
    rules.on("zero", digits[1:], L, to="not_zero")
    rules.on("not_zero", "0", L)
    rules.on("not_zero", sign, R, to="number")
    rules.on("number", digits, R)
    rules.on("number", BLANK, L, to="lay")
    rules.on("lay", (*digits, sign), D, to="put_zero")
    rules.on("put_zero", BLANK, U, write="0", to="laid")
    rules.on("laid", digits, L, to="lay")
    rules.on("laid", sign, L, to="home")
    rules.on("home", digits, L)
    rules.on("home", BLANK, R, to="take")


def bring(rules: RuleBook, digits: tuple[str, ...], sign: str, last: Sequence[str]) -> None:
    """Carry a's digit to b's end and down, and move r's digits left to make room for it.

    last: what b may end with.
    """
    for x in digits:
        rules.on(f"(bring,{x})", (*digits, sign), R)
        rules.on(f"(bring,{x})", BLANK, L, to=f"(down,{x})")
        rules.on(f"(down,{x})", last, D, to=f"(shift,{x})")
        for y in digits:
            rules.on(f"(shift,{x})", y, L, write=x, to=f"(shift,{y})")
    rules.on("(shift,0)", BLANK, R, to="top")


def compare(rules: RuleBook, digits: tuple[str, ...], sign: str, on_equal: str, on_greater: str) -> None:
    """From the highest digit on, the first that differs says which is greater, r or b.

    Where r is not smaller it goes on at b's last digit, in one state or the other.
    """
    rules.on("top", "0", U, to="compare")
    rules.on("compare", sign, R)
    for i, d in enumerate(digits):
        rules.on("compare", d, D, to=f"(compare,{d})")
        rules.on(f"(compare,{d})", d, U, to="equal")
        if i + 1 < len(digits):
            rules.on(f"(compare,{d})", digits[i + 1 :], U, to="greater")
        if i:
            rules.on(f"(compare,{d})", digits[:i], U, to="less")
    rules.on("compare", BLANK, L, to=on_equal)
    rules.on("equal", digits, R, to="compare")
    rules.on("greater", digits, R)
    rules.on("greater", BLANK, L, to=on_greater)


def _divide(rules: RuleBook, task: NumberTask, sign: str, motion: int, then: str) -> None:
    """Bring a's digit down, and take b off r if r is not smaller; then leave the sign.

    r has a digit more than b, its top one, under the sign. Where that is not 0, b does not begin with 0
    either, since r is less than b times the radix; and once b was taken off, it is not the highest of all
    digits. Of the top digit only a borrow is taken, and only where it is at least 1.
    """
    digits = task.digits
    bring(rules, digits, sign, digits)
    compare(rules, digits, sign, on_equal="(take,0)", on_greater="(take,0)")
    rules.on("rest", "0", U, to="compare")
    for top, others in (("top", digits[1:]), ("rest", digits[1:-1])):
        rules.on(top, others, U, to="longer")
    rules.on("longer", sign, R)
    rules.on("longer", digits[1:], R, to="greater")
    subtract(rules, task.radix)
    rules.on("(take,0)", sign, motion, to=then)
    rules.on("(take,1)", sign, D, to="borrow")
    for less, x in pairwise(digits):
        rules.on("borrow", x, U, write=less, to="(take,0)")


def subtract(rules: RuleBook, radix: int) -> None:
    """Take b off r from the last digit on, the borrow in (take,k) and (up,k)."""
    for k in (0, 1):
        for d in range(radix):
            rules.on(f"(take,{k})", DIGITS[d], D, to=f"(minus,{d + k})")
            rules.on(f"(up,{k})", DIGITS[d], L, to=f"(take,{k})")
    for v in range(radix + 1):
        for x in range(radix):
            borrow, digit = (0, x - v) if x >= v else (1, x - v + radix)
            rules.on(f"(minus,{v})", DIGITS[x], U, write=DIGITS[digit], to=f"(up,{borrow})")


def trim(rules: RuleBook, digits: tuple[str, ...]) -> None:
    rules.on("left", digits, L)
    rules.on("left", BLANK, R, to="trim")
    trim_zeros(rules, digits)
