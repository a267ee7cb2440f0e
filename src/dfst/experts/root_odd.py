"""The expert for the square root, rounded down, at odd radices: 7R + 32 states.

The digits of n are taken in pairs. Row 0 is `n|u`, where u is twice the root p so far; row -1 holds the
remainder r under the bar and u. A round appends 0 to u and a pair to r, and then, while r is greater than u,
takes u + 1 off r and adds 2 to u: (p + 1)² is greater than p² by 2p + 1. At last u is halved.
"""

from __future__ import annotations

from dfst.experts.division import bring, compare, subtract
from dfst.machines.agent import Agent
from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import NumberTask
from dfst.world.grid import BLANK, D, L, R, U

BAR = "|"


def sqrt_at_odd_radix(task: NumberTask) -> Agent:
    rules, digits, radix = RuleBook(task.alphabet), task.digits, task.radix
    _lay_out(rules, digits)
    _append(rules, digits)
    bring(rules, digits, BAR, "0")
    compare(rules, digits, BAR, on_equal="less", on_greater="(take,1)")
    rules.on("top", digits[1:], U, to="greater")
    rules.on("greater", BAR, R)
    subtract(rules, radix)
    for k in (0, 1):
        rules.on(f"(take,{k})", BAR, D, to=f"(minus,{k})")
    rules.on("(up,0)", BAR, R, to="to_end")
    rules.on("to_end", digits, R)
    rules.on("to_end", BLANK, L, to="add_2")
    for x, digit in enumerate(digits):
        rules.on("add_2", digit, L, write=digits[x + 2 - radix], to="back" if x + 2 < radix else "carry")
        rules.on("carry", digit, L, write=digits[x + 1 - radix], to="back" if x + 1 < radix else "carry")
    rules.on("back", digits, L)
    rules.on("back", BAR, D, to="top")
    rules.on("less", digits, L)
    rules.on("less", BAR, L, to="home")
    _halve(rules, digits)
    return rules.agent(task.name, task)


def _lay_out(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Put a zero before an odd number of digits, `|0` behind them, and zeros under that."""
    rules.on("even", digits, R, to="odd")
    rules.on("even", BLANK, R, write=BAR, to="put_u")
    rules.on("odd", digits, R, to="even")
    rules.on("odd", BLANK, L, to="pad")
    rules.on("pad", digits, L)
    rules.on("pad", BLANK, R, write="0", to="padded")
    rules.on("padded", digits, R)
    rules.on("padded", BLANK, R, write=BAR, to="put_u")
    rules.on("put_u", BLANK, D, write="0", to="put_r")
    rules.on("put_r", BLANK, L, write="0", to="put_top")
    rules.on("put_top", BLANK, U, write="0", to="less")


def _append(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """The pair's first digit goes to r's new last place, under u's new zero; the second is brought there."""
    rules.on("home", digits, L)
    rules.on("home", BLANK, R, to="one")
    for x in digits:
        rules.on("one", x, R, write=BLANK, to=f"(one,{x})")
        rules.on(f"(one,{x})", (*digits, BAR), R)
        rules.on(f"(one,{x})", BLANK, D, write="0", to=f"(put,{x})")
        rules.on(f"(put,{x})", BLANK, U, write=x, to="return")
        rules.on("two", x, R, write=BLANK, to=f"(bring,{x})")
    rules.on("return", digits, L)
    rules.on("return", BAR, L, to="rest")
    rules.on("rest", digits, L)
    rules.on("rest", BLANK, R, to="two")


def _halve(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Half of u, from the first digit on; r is wiped out, and leading zeros are."""
    rules.on("one", BAR, R, write=BLANK, to="(half,0)")
    for k in (0, 1):
        for x, digit in enumerate(digits):
            half, rest = divmod(k * len(digits) + x, 2)
            rules.on(f"(half,{k})", digit, R, write=digits[half], to=f"(half,{rest})")
    rules.on("(half,0)", BLANK, D, to="turn")
    rules.on("turn", BLANK, L, to="wipe_r")
    rules.on("wipe_r", digits, L, write=BLANK)
    rules.on("wipe_r", BLANK, U, to="right")
    rules.on("right", BLANK, R)
    rules.on("right", "0", R, write=BLANK, to="trim")
    rules.on("trim", "0", R, write=BLANK)
    rules.halt("trim", digits[1:])
    rules.halt("trim", BLANK, write="0")
