"""Building a table of rules line by line, so that a builder reads like the table it makes.

    rules = RuleBook(digits + (BLANK, "+"))
    rules.on("left", digits, L)                      keep the symbol, move left, stay in the state
    rules.on("left", BLANK, R, to="trim")
    rules.on("left", "+", L, write=BLANK, to="mark")
    rules.on("trim", "0", S, write="0", to=None)     halt

States come into being when they are first named; the first one named is the start.
"""

from collections.abc import Iterable

from dfst.errors import InputError
from dfst.machines.agent import HALT, Agent, arrays_of
from dfst.tasks.task import Layout, Task
from dfst.world.grid import BLANK, S

SAME = "\0same state"


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

    def on(
        self, state: str, reads: str | Iterable[str], motion: int, write: str | None = None,
        to: str | None = SAME,
    ) -> None:  # fmt: skip
        """Add a rule for each symbol in `reads`. No `write` keeps it, no `to` keeps the state; None halts."""
        q = self.state(state)
        target = q if to == SAME else HALT if to is None else self.state(to)
        for symbol in [reads] if isinstance(reads, str) else reads:
            k = self._index(symbol, state)
            if (q, k) in self._rules:
                raise InputError(f"two rules for state {state!r} reading {symbol!r}; keep one")
            written = k if write is None else self._index(write, state)
            self._rules[q, k] = (written, motion, target)

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
