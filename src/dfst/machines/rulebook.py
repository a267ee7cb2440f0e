"""Building a table of rules, a row for each state, so that a builder reads like the table it makes.

    rules = RuleBook("01λ+")
    rules.rows("left  01 L   λ R trim   + λL mark")
    rules.rows("trim  0 λR   1 S        λ 0S")

A row is a state and, two spaces apart, its rules: the symbols read, what is written and how the head moves,
the next state. No symbol before the motion keeps what is there, one is written for all that are read, several
are one for each. No next state keeps the state; S halts. `$` in a next state is the symbol read, and a row
with `&` stands for one row for each of the symbols that the caller names.

States come into being when they are first named; the first one named is the start.
"""

import re
from collections.abc import Iterable

from dfst.errors import InputError
from dfst.machines.agent import HALT, Agent, arrays_of
from dfst.tasks.task import Layout, Task
from dfst.world.grid import BLANK, MOTIONS, S

SAME = "\0same state"
RULE = re.compile(r"(\S+) (\S*)([UDLRS])(?: (.+))?")  # reads, writes, motion, next state


class RuleBook:
    """Collects rules; `agent()` checks them and makes the table."""

    def __init__(self, alphabet: Iterable[str], blank: str = BLANK) -> None:
        self.alphabet = tuple(alphabet)
        self.blank = blank
        self._symbol = {s: i for i, s in enumerate(self.alphabet)}
        self._state: dict[str, int] = {}
        self._rules: dict[tuple[int, int], tuple[int, int, int]] = {}

    def state(self, name: str) -> int:
        """The number of a state, which is new if the name is."""
        return self._state.setdefault(name, len(self._state))

    def rows(self, text: str, each: str = "") -> None:
        """Add the rules of a text, of symbols that are one character each. each: what `&` stands for"""
        for row in filter(None, map(str.strip, text.splitlines())):
            for symbol in each if "&" in row else "&":
                state, *rules = re.split(" {2,}", row.replace("&", symbol))
                for rule in rules:
                    found = RULE.fullmatch(rule)
                    if found is None:
                        raise InputError(
                            f"state {state!r}: expected a rule like `01 λL next`, found {rule!r}"
                        )
                    reads, write, motion, to = found.groups()
                    then = None if motion == "S" else to or SAME
                    self.on(state, reads, MOTIONS.index(motion), write or None, then)

    def on(
        self, state: str, reads: str | Iterable[str], motion: int, write: str | None = None,
        to: str | None = SAME,
    ) -> None:  # fmt: skip
        """Add a rule for each symbol in `reads`. No `write` keeps it, no `to` keeps the state; None halts."""
        q = self.state(state)
        symbols = self._symbols(reads)
        written = symbols if write is None else self._symbols(write)
        if len(written) == 1:
            written = written * len(symbols)
        if len(written) != len(symbols):
            raise InputError(f"state {state!r} reads {reads!r} and writes {write!r}; write one for each")
        for symbol, left in zip(symbols, written, strict=True):
            k = self._index(symbol, state)
            if (q, k) in self._rules:
                raise InputError(f"two rules for state {state!r} reading {symbol!r}; keep one")
            target = q if to == SAME else HALT if to is None else self.state(to.replace("$", symbol))
            self._rules[q, k] = self._index(left, state), motion, target

    def _symbols(self, given: str | Iterable[str]) -> list[str]:
        """One symbol, or several, which may be the characters of a text."""
        return [given] if isinstance(given, str) and given in self._symbol else list(given)

    def halt(self, state: str, reads: str | Iterable[str], write: str | None = None) -> None:
        """Add rules that write and halt."""
        self.on(state, reads, S, write=write, to=None)

    def _index(self, symbol: str, state: str) -> int:
        if symbol not in self._symbol:
            raise InputError(
                f"state {state!r} uses symbol {symbol!r}; the alphabet is {' '.join(self.alphabet)}"
            )
        return self._symbol[symbol]

    def agent(self, name: str, task: Task | None = None, layout: Layout = "first", source: str = "") -> Agent:
        """The table."""
        table = arrays_of(self._rules, len(self._state), len(self.alphabet))
        about = task, task.layout if task else layout, source
        blank = self._index(self.blank, "the blank")
        return Agent(name, self.alphabet, tuple(self._state), *table, blank, *about)
