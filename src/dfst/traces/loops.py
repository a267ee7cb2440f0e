"""Loops: what a set of traces shows of each rule that stays in its state.

A machine knows a loop by one rule. A learner knows only what it was shown: this was read after no round, that
after three. It takes the rounds for one state if what ends a walk was read after different numbers of them.
Where a number of rounds has an end of its own, it may as well count, and is lost one round later. Where all
numbers are even, a cycle of two states fits as well as the loop, and is lost after the first odd one.

Legend: T tokens; a rule (state q, symbol x) as one number q·Σ + x.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import Agent
from dfst.traces.replay import replayed_states
from dfst.traces.traceset import TraceSet

SEVERAL = 2
"""Rounds that make a loop: one alone may as well be a step that is sometimes taken."""
GROWING = 3
"""Different lengths within one run that make a walk over blanks a gap that grows."""


@dataclass(frozen=True)
class Loop:
    """A state and a symbol that keeps it, as far as traces show them."""

    state: str
    symbol: str
    walks: Mapping[tuple[str | None, str], tuple[int, ...]]
    """(state before a walk, what else was read after it) → the numbers of rounds, ascending; 0: at once.

    The state before is None where a trace begins, and the loop's own after another symbol that keeps it. A
    walk that the end of a trace cuts off is left out, since nothing tells how long it was to be.
    """
    over_blanks: bool
    """Whether it walks over blanks and leaves them as they are"""
    lengths_in_a_run: int
    """The most different numbers of rounds, 0 aside, that one trace shows"""

    @property
    def name(self) -> str:
        return f"({self.state}, {self.symbol})"

    @property
    def exits(self) -> dict[str, tuple[int, ...]]:
        """What else was read in the state → after which numbers of rounds, ascending; 0: at its entry.

        No round after another symbol that kept the state is no walk of this loop, but of that one.
        """
        found: dict[str, set[int]] = defaultdict(set)
        for (before, symbol), shown in self.walks.items():
            for n in shown:
                if n > 0 or before != self.state:
                    found[symbol].add(n)
        return {symbol: tuple(sorted(shown)) for symbol, shown in found.items()}

    @property
    def rounds(self) -> tuple[int, ...]:
        """Every number of rounds that was shown, ascending."""
        return tuple(sorted({n for shown in self.exits.values() for n in shown}))

    @property
    def cycle(self) -> int:
        """The longest cycle of states that fits the walks as well as one state that stays; 1: no cycle does.

        A cycle of g states fits if g divides the differences of all walks that began and ended alike: where a
        cycle is entered may depend on the state before, and where it is left on what is read. 0: no two
        such walks differ, so nothing tells, and the machine may well know no other length.
        """
        return gcd(*(n - shown[0] for shown in self.walks.values() for n in shown))

    @property
    def longest(self) -> int:
        return max(self.rounds, default=0)

    @property
    def untied(self) -> tuple[int, ...]:
        """Numbers of several rounds that share no exit with any other number: nothing says they are alike."""
        tied = {n for shown in self.exits.values() if len(shown) > 1 for n in shown}
        return tuple(n for n in self.rounds if n >= SEVERAL and n not in tied and len(self.rounds) > 1)

    @property
    def skips_one(self) -> bool:
        """Whether some symbol was read after none and after several rounds, and nothing after one."""
        both = any(shown[0] == 0 and shown[-1] >= SEVERAL for shown in self.exits.values())
        return both and 1 not in self.rounds

    @property
    def is_growing_gap(self) -> bool:
        """Whether it crosses blanks alone, and more or fewer of them as a run goes on."""
        return self.over_blanks and self.lengths_in_a_run >= GROWING


def shown_loops(agent: Agent, traces: TraceSet) -> tuple[Loop, ...]:
    """Every loop that the traces walk, in the order of the agent's rules."""
    symbols = len(agent.alphabet)
    q, x = replayed_states(agent, traces).astype(np.int64), traces.x.astype(np.int64)
    rule, trace = q * symbols + x, np.repeat(np.arange(len(traces)), traces.lengths)
    first = np.zeros(len(x), dtype=bool)
    first[traces.start[:-1][traces.lengths > 0]] = True
    before = np.where(first, len(agent.states), np.roll(q, 1))
    walks, most = _walks(rule, x, before, trace, first, agent)
    kept = np.where(q == before, np.roll(x, 1), symbols)  # the symbol that kept the state until now, if any
    passed: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for state, read, p, keeper in _distinct(q, x, before, kept):
        passed[state].append((read, p, keeper))
    names = [*agent.states, None]
    found = []
    for loop in np.intersect1d(rule, np.flatnonzero(_stays(agent))).tolist():
        state, symbol = divmod(loop, symbols)
        shown = walks[loop]
        for read, p, keeper in passed[state]:
            if symbol not in (read, keeper):
                shown[read, p].add(0)
        blank = symbol == agent.blank == agent.write[state, symbol]
        named = {(names[p], agent.alphabet[k]): tuple(sorted(shown[k, p])) for k, p in sorted(shown)}
        found.append(Loop(agent.states[state], agent.alphabet[symbol], named, bool(blank), most[loop]))
    return tuple(found)


def _walks(
    rule: NDArray[np.int64],
    x: NDArray[np.int64],
    before: NDArray[np.int64],
    trace: NDArray[np.int64],
    first: NDArray[np.bool_],
    agent: Agent,
) -> tuple[dict[int, dict[tuple[int, int], set[int]]], dict[int, int]]:
    """Of each loop: (what ended a walk, the state before) → the rounds; and the most lengths in a trace."""
    loops = _stays(agent)
    at = np.arange(len(rule))
    begins = first | (rule != np.roll(rule, 1))
    start = np.maximum.accumulate(np.where(begins, at, 0))
    ends = at[begins & ~first & loops[np.roll(rule, 1)]]
    loop, n, entry = rule[ends - 1], ends - start[ends - 1], before[start[ends - 1]]
    walks: dict[int, dict[tuple[int, int], set[int]]] = defaultdict(lambda: defaultdict(set))
    for r, k, p, rounds in _distinct(loop, x[ends], entry, n):
        walks[r][k, p].add(rounds)
    lengths = Counter((r, i) for r, i, _ in _distinct(loop, trace[ends], n))
    most: dict[int, int] = defaultdict(int)
    for (r, _), several in lengths.items():
        most[r] = max(most[r], several)
    return walks, most


def _stays(agent: Agent) -> NDArray[np.bool_]:
    """(Q·Σ,) which rules stay in their state."""
    return (agent.next == np.arange(len(agent.states))[:, None]).ravel()


def _distinct(*columns: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """The different rows of some columns; packed into one number each, which sorts a hundred times faster."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    packed = np.unique(np.ravel_multi_index(columns, sizes))
    return list(zip(*(column.tolist() for column in np.unravel_index(packed, sizes)), strict=True))
