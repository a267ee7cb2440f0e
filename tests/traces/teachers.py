"""Adders and multipliers that teach well or badly, as training has shown: what the report is measured by.

All compute rightly. They differ in what their traces show; docs/research/teachers.md has what became of each.
"""

from __future__ import annotations

from dfst.machines.agent import Agent
from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import DIGITS
from dfst.tasks.task import Task
from dfst.world.grid import BLANK, D, L, R, U


def _trim(rules: RuleBook, digits: tuple[str, ...]) -> None:
    rules.on("trim", "0", R, write=BLANK)
    rules.halt("trim", digits[1:])
    rules.halt("trim", BLANK, write="0")


def _add_digits(rules: RuleBook, radix: int, done: str, over: str, motion: int) -> None:
    """(add,d) walks left to the marker and adds d to the digit above it."""
    for d in range(radix):
        state = f"(add,{DIGITS[d]})"
        for x in range(radix):
            if x + d < radix:
                rules.on(state, DIGITS[x], D, write=DIGITS[x + d], to=done)
            else:
                rules.on(state, DIGITS[x], motion, write=DIGITS[x + d - radix], to=over)
        rules.on(state, BLANK, L)
        rules.on(state, "+", U)


def _carry_on_the_spot(rules: RuleBook, radix: int) -> None:
    for x in range(radix - 1):
        rules.on("carry", DIGITS[x], D, write=DIGITS[x + 1], to="advance")
    rules.on("carry", DIGITS[radix - 1], L, write="0")
    rules.on("carry", BLANK, D, write="1", to="advance")
    rules.on("advance", BLANK, R)
    rules.on("advance", "+", L, write=BLANK, to="mark")


def _mark(rules: RuleBook, digits: tuple[str, ...]) -> None:
    rules.on("mark", digits, D)
    rules.on("mark", BLANK, U, write="+", to="pad")
    rules.on("pad", digits, R, to="over_a")
    rules.on("pad", BLANK, R, write="0", to="over_a")


def _over_both(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """To b's last digit, over the operator between a and b; where it is gone, back over the sum."""
    rules.on("over_a", digits, R)
    rules.on("over_a", "+", R, to="over_b")
    rules.on("over_a", BLANK, L, to="left")
    rules.on("over_b", digits, R)
    rules.on("over_b", BLANK, L, to="take")
    for x in digits:
        rules.on("take", x, D, write=BLANK, to=f"(add,{x})")
    rules.on("take", "+", D, write=BLANK, to="finish")


def add_at_first(task: Task) -> Agent:
    """The operator is wiped out at once, so the last walk crosses only what of a is longer than b."""
    rules, digits = RuleBook(task.alphabet), task.digits
    rules.on("left", digits, L)
    rules.on("left", BLANK, R, to="trim")
    rules.on("left", "+", L, write=BLANK, to="mark")
    _mark(rules, digits)
    rules.on("over_a", digits, R)
    rules.on("over_a", BLANK, R, to="over_b")
    rules.on("over_b", digits, R)
    rules.on("over_b", BLANK, L, to="take")
    for x in digits:
        rules.on("take", x, D, write=BLANK, to=f"(add,{x})")
    rules.on("take", BLANK, D, to="finish")
    _add_digits(rules, task.radix, "advance", "carry", L)
    _carry_on_the_spot(rules, task.radix)
    rules.on("finish", BLANK, L)
    rules.on("finish", "+", U, write=BLANK, to="left")
    _trim(rules, digits)
    return rules.agent(task.name, task)


def add_operator_kept(task: Task, zero_first: bool = False) -> Agent:
    """The operator stays until b is used up, so the last walk crosses the whole sum."""
    rules, digits = RuleBook(task.alphabet), task.digits
    rules.on("left", digits, L)
    rules.on("left", "+", L, to="mark")
    _mark(rules, digits)
    _over_both(rules, digits)
    if zero_first:
        rules.on("left", BLANK, U, write="0", to="take")
        rules.on("take", BLANK, D, to="trim")
    else:
        rules.on("left", BLANK, R, to="trim")
    _add_digits(rules, task.radix, "advance", "carry", L)
    _carry_on_the_spot(rules, task.radix)
    rules.on("finish", BLANK, L)
    rules.on("finish", "+", U, write=BLANK, to="over_a")
    _trim(rules, digits)
    return rules.agent(task.name, task)


def add_zero_trimmed(task: Task) -> Agent:
    """The same, and a zero is always put before the sum, so that trimming always begins alike."""
    return add_operator_kept(task, zero_first=True)


def add_padded_ahead(task: Task) -> Agent:
    """A zero is put one cell ahead, so that a carry finds a blank only after two of the highest digit."""
    rules, digits, radix = RuleBook(task.alphabet), task.digits, task.radix
    rules.on("left", digits, L)
    rules.on("left", BLANK, U, write="0", to="take")
    rules.on("left", "+", L, to="mark")
    rules.on("mark", digits, D)
    rules.on("mark", BLANK, U, write="+", to="finish")
    rules.on("mark", "+", L, write=BLANK)
    rules.on("carried", "+", L, write=BLANK)
    rules.on("carried", BLANK, U, write="+", to="carry")
    rules.on("finish", digits, L, to="pad")
    rules.on("finish", BLANK, L)
    rules.on("finish", "+", U, write=BLANK, to="over_a")
    rules.on("pad", digits, R, to="over_a")
    rules.on("pad", BLANK, R, write="0", to="over_a")
    for x in range(radix - 1):
        rules.on("carry", DIGITS[x], L, write=DIGITS[x + 1], to="pad")
    rules.on("carry", DIGITS[radix - 1], L, write="0")
    rules.on("carry", BLANK, L, write="1", to="pad")
    _over_both(rules, digits)
    rules.on("take", BLANK, D, to="trim")
    _add_digits(rules, radix, "mark", "carried", D)
    _trim(rules, digits)
    return rules.agent(task.name, task)


def _times(rules: RuleBook, radix: int) -> None:
    """(bring,m) carries a digit of b to P, a copy of A, and P becomes m·A."""
    for m in range(radix):
        bring = f"(bring,{DIGITS[m]})"
        rules.on(bring, BLANK, L)
        for x in range(radix):
            carry, digit = divmod(m * x, radix)
            rules.on(bring, DIGITS[x], L, write=DIGITS[digit], to=f"(mult,{DIGITS[m]},{DIGITS[carry]})")
        for k in range(max(m, 1)):
            state = f"(mult,{DIGITS[m]},{DIGITS[k]})"
            for x in range(radix):
                carry, digit = divmod(m * x + k, radix)
                rules.on(state, DIGITS[x], L, write=DIGITS[digit], to=f"(mult,{DIGITS[m]},{DIGITS[carry]})")
            rules.on(state, BLANK, R, write=DIGITS[k], to="end_P")


def _accumulate(rules: RuleBook, radix: int, keep_P: bool, then: str) -> None:
    """Add P into the sum below it."""
    digits = tuple(DIGITS[:radix])
    rules.on("end_P", digits, R)
    rules.on("end_P", BLANK, L, to="(take,0)")
    for k in (0, 1):
        for x in range(radix):
            write = None if keep_P else BLANK
            rules.on(f"(take,{k})", DIGITS[x], D, write=write, to=f"(add,{x + k})")
        rules.on(f"(up,{k})", digits if keep_P else BLANK, L, to=f"(take,{k})")
    rules.on("(take,0)", BLANK, U, to=then)
    for v in range(radix + 1):
        for x in range(radix):
            carry, digit = divmod(x + v, radix)
            rules.on(f"(add,{v})", DIGITS[x], U, write=DIGITS[digit], to=f"(up,{carry})")
        if v < radix:
            rules.on(f"(add,{v})", BLANK, U, write=DIGITS[v], to="(up,0)")


def _shift(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """A moves one cell left, away from b: the gap grows."""
    rules.on("end_A", digits, R)
    rules.on("end_A", (BLANK, "×"), L, to="lift")
    for x in digits:
        rules.on("lift", x, L, write=BLANK, to=f"(shift,{x})")
    for d in digits:
        for x in digits:
            rules.on(f"(shift,{d})", x, L, write=d, to=f"(shift,{x})")
        rules.on(f"(shift,{d})", BLANK, D, write=d, to=f"(copy,{d})")


def mult_at_first(task: Task) -> Agent:
    """A moves away from b by one cell each round; six of the 31 states of mult2 are not needed."""
    rules, digits, radix = RuleBook(task.alphabet), task.digits, task.radix
    rules.on("home", digits, L)
    rules.on("home", BLANK, R, to="copy")
    rules.on("home", "×", L)
    for x in digits:
        rules.on("copy", x, D, to=f"(copy,{x})")
        rules.on(f"(copy,{x})", BLANK, U, write=x, to="next")
    rules.on("copy", BLANK, R, to="to_b")
    rules.on("copy", "×", R, to="over_b")
    rules.on("next", digits, R, to="copy")
    rules.on("to_b", BLANK, R)
    rules.on("to_b", "×", R, to="over_b")
    rules.on("over_b", digits, R)
    rules.on("over_b", BLANK, L, to="take_m")
    for x in digits:
        rules.on("take_m", x, D, write=BLANK, to=f"(bring,{x})")
    rules.on("take_m", "×", L, write=BLANK, to="wipe_to_A")
    _times(rules, radix)
    _accumulate(rules, radix, keep_P=False, then="to_A")
    rules.on("to_A", digits, R, to="end_A")
    rules.on("to_A", BLANK, R)
    _shift(rules, digits)
    rules.on("wipe_to_A", digits, L, write=BLANK, to="wipe_A")
    rules.on("wipe_to_A", BLANK, L)
    rules.on("wipe_A", digits, L, write=BLANK)
    rules.on("wipe_A", BLANK, D, to="turn")
    rules.on("turn", BLANK, R, to="wipe_P")
    rules.on("wipe_P", digits, R, write=BLANK)
    rules.on("wipe_P", BLANK, D, to="left")
    rules.on("left", digits, L)
    rules.on("left", BLANK, R, to="trim")
    _trim(rules, digits)
    return rules.agent(task.name, task)


def mult_with_a_gap(task: Task) -> Agent:
    """The same gap, but all of the states are needed."""
    rules, digits, radix = RuleBook(task.alphabet), task.digits, task.radix
    rules.on("home", (*digits, "×"), L)
    rules.on("home", BLANK, R, to="copy")
    for x in digits:
        rules.on("copy", x, D, to=f"(copy,{x})")
        rules.on(f"(copy,{x})", (*digits, BLANK), U, write=x, to="next")
    rules.on("copy", (BLANK, "×"), D, to="stale")
    rules.on("next", digits, R, to="copy")
    rules.on("stale", (*digits, BLANK), U, write=BLANK, to="right")
    rules.on("right", digits, R, to="end_A")
    rules.on("right", BLANK, R)
    rules.on("right", "×", R, to="over_b")
    rules.on("over_b", digits, R)
    rules.on("over_b", BLANK, L, to="take_m")
    for x in digits:
        rules.on("take_m", x, D, write=BLANK, to=f"(bring,{x})")
    rules.on("take_m", "×", D, to="wipe_to_P")
    _times(rules, radix)
    _accumulate(rules, radix, keep_P=True, then="right")
    _shift(rules, digits)
    rules.on("wipe_to_P", BLANK, L)
    rules.on("wipe_to_P", digits, L, write=BLANK, to="wipe_P")
    rules.on("wipe_P", digits, L, write=BLANK)
    rules.on("wipe_P", BLANK, U, to="wipe_A")
    rules.on("wipe_A", digits, R, write=BLANK)
    rules.on("wipe_A", BLANK, R)
    rules.on("wipe_A", "×", L, write=BLANK, to="drop")
    rules.on("drop", BLANK, D)
    rules.on("drop", digits, L, to="left")
    rules.on("left", digits, L)
    rules.on("left", BLANK, R, write="0", to="first")
    rules.on("first", digits, L, to="trim")
    _trim(rules, digits)
    return rules.agent(task.name, task)
