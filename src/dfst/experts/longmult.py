"""Long multiplication on squared paper: 38 states at radix 2, 106 at radix 10.

The experts of arithmetic.py wipe out all but the answer; this one leaves its working.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.longmult import LINE
from dfst.tasks.plane import PlaneTask
from dfst.world.grid import BLANK, D, L, R, U


def longmult(rules: RuleBook, task: PlaneTask) -> None:
    """Row 0 is `A×b`. Below, A is copied row after row, each time one place further to the right.

    Row 1 becomes the line. Row k + 1 ends below digit k of b, which is brought down to it and multiplies it;
    the row above is added to it, and its leading zeros are wiped out.
    """
    digits = tuple(task.letters[:-1])
    _copy(rules, digits)
    _line(rules, digits)
    for m in range(len(digits)):
        _times(rules, m, digits)
    _accumulate(rules, digits)
    _trim(rules, digits)


def _copy(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """A zero below the first digit of a row; then each digit goes down, and right to the first free cell."""
    rules.on("start", digits, D, to="corner")
    rules.on("corner", BLANK, U, write="0", to="copy")
    for x in digits:
        rules.on("copy", x, D, to=f"(put,{x})")
        rules.on(f"(put,{x})", digits, R)
        rules.on(f"(put,{x})", BLANK, U, write=x, to="copy")
    rules.on("copy", "×", R, to="first more")
    rules.on("copy", BLANK, U, to="copied")
    rules.on("copied", BLANK, U)
    rules.on("copied", digits, R, to="more")
    for more, back, met in (("first more", "first return", "×"), ("more", "return", digits)):
        rules.on(more, digits, L, to=back)
        rules.on(back, met, D, to="down")
    rules.on("more", BLANK, L, to="seek ×")
    rules.on("down", BLANK, D)
    rules.on("down", digits, L, to="left")
    rules.on("left", digits, L)
    rules.on("left", BLANK, D, to="below")
    rules.on("below", BLANK, R, to="corner")


def _line(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """The first copy becomes the line, from its end to its start and back to the first digit of b."""
    rules.on("seek ×", digits, L)
    rules.on("seek ×", "×", D, to="rule")
    rules.on("rule", digits, L, write=LINE)
    rules.on("rule", BLANK, R, to="ruled")
    rules.on("ruled", LINE, R)
    rules.on("ruled", BLANK, U, to="next")


def _times(rules: RuleBook, m: int, digits: tuple[str, ...]) -> None:
    """Bring the digit m down to the end of its row and multiply by it, the carry k in the state."""
    radix, bring = len(digits), f"(bring,{digits[m]})"
    rules.on("next", digits[m], D, to=bring)
    rules.on(bring, BLANK, D)
    for k in range(max(m, 1)):
        for x in range(radix):
            carry, digit = divmod(m * x + k, radix)
            then = f"(mult,{digits[m]},{digits[carry]})"
            rules.on(f"(mult,{digits[m]},{digits[k]})", digits[x], L, write=digits[digit], to=then)
            if k == 0:
                rules.on(bring, digits[x], L, write=digits[digit], to=then)
    rules.on(f"(mult,{digits[m]},0)", BLANK, U, to="above")


def _accumulate(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Add the row above from its end, the carry in (take,k) and (up,k); not if it is the line."""
    radix = len(digits)
    rules.on("above", BLANK, R)
    rules.on("above", LINE, D, to="trim")
    rules.on("above", digits, R, to="to end")
    rules.on("to end", digits, R)
    rules.on("to end", BLANK, L, to="(take,0)")
    for k in (0, 1):
        for x in range(radix):
            rules.on(f"(take,{k})", digits[x], D, to=f"(add,{x + k})")
        rules.on(f"(up,{k})", digits, L, to=f"(take,{k})")
    rules.on("(take,1)", BLANK, D, to="carry")  # the sum has one digit more than the row above, at most
    rules.on("carry", "0", U, write="1", to="carried")
    rules.on("carried", BLANK, L, to="(take,0)")
    rules.on("(take,0)", BLANK, D, to="home")
    for v in range(radix + 1):
        for x in range(radix):
            carry, digit = divmod(x + v, radix)
            rules.on(f"(add,{v})", digits[x], U, write=digits[digit], to=f"(up,{carry})")


def _trim(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Wipe out the leading zeros of a row, but not the only one; then up to b for its next digit."""
    rules.on("home", digits, L)
    rules.on("home", BLANK, R, to="trim")
    rules.on("trim", "0", R, write=BLANK)
    rules.on("trim", digits[1:], R, to="end")
    rules.on("trim", BLANK, L, to="zero")
    rules.on("zero", BLANK, U, write="0", to="rise")
    rules.on("end", digits, R)
    rules.on("end", BLANK, L, to="lift")
    rules.on("lift", digits, U, to="rise")
    rules.on("rise", BLANK, U)
    rules.on("rise", digits, R, to="next")
    rules.halt("next", BLANK)
