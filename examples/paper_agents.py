"""Adders as near to the paper's own as its text tells: what they share with those, and what they teach.

    dfst learn examples/paper_agents.py:add2 --preset paper --hidden-size 12 --set told_apart=0 --seeds 16
    dfst learn examples/paper_agents.py:add10 --preset paper --hidden-size 20 --set told_apart=0 --seeds 16

The paper does not print its agents. It gives 12 and 20 states, an alphabet without a marker, runs of at most
70 steps in training, and about 30 and 12 million steps at 3,850 and 2,450 digits. These have 12 and 20
states, runs of at most 69 steps, and take 29.7 and 12.0 million. Our experts, with runs of at most 81, were
built later, so that small examples show every rule (docs/concepts/teaching.md). For multiplication nothing is
nearer to the paper than our experts are.

Row 0 is `aaa bbb`: the sum grows inside a, b is eaten from the right. Row -1 holds + under the digit of a
that is next. A carry ripples at once, so that no state stores one.
"""

from __future__ import annotations

from dfst import RuleBook
from dfst.machines import Agent
from dfst.tasks import find_task
from dfst.tasks.numbers import DIGITS
from dfst.world.grid import BLANK, D, L, R, U


def adder(name: str) -> Agent:
    """R + 10 states."""
    task = find_task(name)
    digits = tuple(symbol for symbol in task.alphabet if symbol in DIGITS)
    rules, radix = RuleBook(task.alphabet), len(digits)
    rules.on("left", digits, L)
    rules.on("left", BLANK, R, to="trim")
    rules.on("left", "+", L, write=BLANK, to="mark")
    rules.on("mark", digits, D)
    rules.on("mark", BLANK, U, write="+", to="pad")
    rules.on("pad", digits, R, to="over_a")
    rules.on("pad", BLANK, R, write="0", to="over_a")
    rules.on("over_a", digits, R)
    rules.on("over_a", BLANK, R, to="over_b")
    rules.on("over_b", digits, R)
    rules.on("over_b", BLANK, L, to="take")
    for digit in digits:
        rules.on("take", digit, D, write=BLANK, to=f"(add,{digit})")
    rules.on("take", BLANK, D, to="finish")
    for d in range(radix):
        state = f"(add,{DIGITS[d]})"
        for x in range(radix):
            carry, total = divmod(x + d, radix)
            motion, to = (L, "carry") if carry else (D, "advance")
            rules.on(state, DIGITS[x], motion, write=DIGITS[total], to=to)
        rules.on(state, BLANK, L)
        rules.on(state, "+", U)
    for x in range(radix - 1):
        rules.on("carry", DIGITS[x], D, write=DIGITS[x + 1], to="advance")
    rules.on("carry", DIGITS[radix - 1], L, write="0")
    rules.on("carry", BLANK, D, write="1", to="advance")
    rules.on("advance", BLANK, R)
    rules.on("advance", "+", L, write=BLANK, to="mark")
    rules.on("finish", BLANK, L)
    rules.on("finish", "+", U, write=BLANK, to="left")
    rules.on("trim", "0", R, write=BLANK)
    rules.halt("trim", digits[1:])
    rules.halt("trim", BLANK, write="0")
    return rules.agent(f"paper's {name}", task)


add2, add10 = adder("add2"), adder("add10")
