"""An adder that computes rightly and teaches badly: the paper's set never shows some of its rules."""

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
