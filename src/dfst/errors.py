"""What can go wrong: every message is one line that says what was expected, what was found, what to do.

On the command line an InputError is exit status 2, any other DfstError 1.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

MOST_SHOWN = 60  # characters of a name that a message repeats
MOST_NAMES = 12  # names that a message gives where a command lists them all


class DfstError(Exception):
    """The root of everything this package raises on purpose."""


class InputError(DfstError):
    """Input that cannot be used as it stands."""


def placed(where: str, error: InputError) -> InputError:
    """The complaint with its place before it, as in `machine.tm, line 3: …`."""
    more = ", " if re.match(r"(line|column|rule|transition) \d", str(error)) else ": "
    return InputError(f"{where}{more}{error}")


class UnknownName(InputError):
    """A name that is not registered; suggests the nearest ones that are. listed: the command that lists all
    of them; where there is none, the message has to."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "", listed: str = "") -> None:
        known = sorted(known)
        near = difflib.get_close_matches(name, known, n=3)
        guess = f"did you mean {_either(near)}?" if near else f"known: {_some(known, listed)}"
        shown = name if len(name) <= MOST_SHOWN else name[: MOST_SHOWN - 1] + "…"
        super().__init__(f"unknown {kind} {shown!r}: {guess}{' ' + hint if hint else ''}")
        self.name = name
        self.suggestions = near


def _either(names: list[str]) -> str:
    """`a`, `a or b`, `a, b or c`"""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _some(names: list[str], listed: str) -> str:
    if len(names) <= MOST_NAMES or not listed:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMES])}, …; {listed} shows all"


class Stuck(DfstError):
    """A control unit has no answer to a symbol. It knows why; the loop it works in adds where."""

    def at(self, cell: tuple[int, int], step: int) -> Stuck:
        """The same, told with its place in a run."""
        raise NotImplementedError


class MissingRule(Stuck):
    """An agent read a symbol for which its state has no rule."""

    def __init__(
        self,
        agent: str,
        state: str,
        symbol: str,
        cell: tuple[int, int] | None = None,
        step: int | None = None,
    ) -> None:
        place = "" if cell is None else f" (cell x={cell[0]}, y={cell[1]}, step {step})"
        self.gap = f"state {state!r} reading {symbol!r}"
        super().__init__(f"{agent} has no rule for {self.gap}{place}; add that rule or change the input")
        self.agent, self.state, self.symbol, self.cell, self.step = agent, state, symbol, cell, step

    def at(self, cell: tuple[int, int], step: int) -> MissingRule:
        return MissingRule(self.agent, self.state, self.symbol, cell, step)


class Overflow(Stuck):
    """A hidden state became infinite or undefined."""

    def __init__(self, model: str, step: int | None = None) -> None:
        place = "" if step is None else f" at step {step:,}"
        super().__init__(f"{model}: the hidden state overflowed{place}")
        self.model, self.step = model, step

    def at(self, cell: tuple[int, int], step: int) -> Overflow:
        return Overflow(self.model, step)


class OutOfCells(DfstError):
    """A run touched more cells than it may."""

    def __init__(self, limit: int, step: int) -> None:
        super().__init__(
            f"the run touched more than {limit:,} {'cell' if limit == 1 else 'cells'} by step {step:,}; "
            "raise --max-cells or give a smaller input"
        )
        self.limit, self.step = limit, step


class OutOfTime(DfstError):
    """A training stopped because its time was up; a checkpoint holds all of it."""

    def __init__(self, seconds: float, iteration: int, iterations: int) -> None:
        left = f"at step {iteration:,} of {iterations:,}" if iteration < iterations else "after the training"
        super().__init__(f"stopped after {seconds:.0f} s, {left}; everything so far is saved")


class MissingExtra(InputError):
    """An optional dependency is absent."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs {package}, which is not installed; run: pip install 'dfst[{extra}]'")
