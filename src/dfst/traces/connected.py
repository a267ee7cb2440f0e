"""What examples connect: how a state is entered, and the symbols that are read next.

A way into a state is a rule; where the rule is a loop, a rule used so many times in a row, since hidden
states may come to rest one round after another. Where a trace shows a way and then a symbol, it connects the
two. A way and a symbol that follow each other in other runs and are not connected, not by detours either,
leave it open whether the state is the same. Merging assumes that it is; gradient descent alone does not
(docs/concepts/teaching-sets.md).

Legend: R places of rules, the start last; Σ symbols; T steps; W ways.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import Agent
from dfst.traces.traceset import TraceSet


@dataclass(frozen=True, eq=False)
class Ways:
    """The ways into states that traces go, and how they go on."""

    agent: Agent
    places: NDArray[np.int64]  # (W,) ascending
    rounds: NDArray[np.int64]  # (W,) how often a loop is used in a row, 0 of other rules; ascending
    shown: NDArray[np.bool_]  # (W, Σ) which symbols are read next
    first: NDArray[np.int64]  # (W, Σ) the first trace that shows it, or -1

    @cached_property
    def targets(self) -> NDArray[np.int64]:
        """(R,) the state that each place leads to."""
        return np.append(self.agent.next.ravel(), 0)

    @cached_property
    def alike(self) -> NDArray[np.bool_]:
        """(Q, Σ, Σ) two symbols that are connected in a state."""
        symbols = self.shown.shape[1]
        found = np.zeros((len(self.agent.states), symbols, symbols), dtype=np.bool_)
        for state, alike in enumerate(found):
            entries = self.shown[self.targets[self.places] == state]
            alike |= entries.T @ entries  # two symbols that one way was seen to go on with
            while (wider := alike | alike @ alike).sum() > alike.sum():
                alike[:] = wider
        return found


def ways(agent: Agent, traces: TraceSet, states: NDArray[np.int32]) -> Ways:
    """states: (T,) in which each step was taken"""
    symbols, reads = len(agent.alphabet), traces.x.astype(np.int64)
    places = states.astype(np.int64) * symbols + reads
    trace_of = np.repeat(np.arange(len(traces)), np.diff(traces.start))
    begins = np.zeros(len(reads), dtype=np.bool_)
    begins[traces.start[:-1]] = True
    steps = np.arange(len(reads))
    again = (places == np.roll(places, 1)) & ~begins  # a rule that follows itself is a loop
    loops = agent.next.ravel()[places] == states
    rounds = np.where(loops, steps - np.maximum.accumulate(np.where(again, 0, steps)) + 1, 0)
    before = np.where(begins, agent.next.size, np.roll(places, 1))
    past = np.where(begins, 0, np.roll(rounds, 1))
    most = int(past.max(initial=0)) + 1
    keys, at = np.unique((before * most + past) * symbols + reads, return_index=True)
    found, row = np.unique(keys // symbols, return_inverse=True)
    first = np.full((len(found), symbols), -1)
    first[row, keys % symbols] = trace_of[at]
    return Ways(agent, found // most, found % most, first >= 0, first)


def unconnected(taught: Ways, possible: Ways) -> NDArray[np.bool_]:
    """(W of the possible, Σ) each symbol that may be read after a way and that is not connected with it.

    More rounds of a loop than were taught count as all rounds that were.
    """
    pooled = np.zeros((len(taught.targets), taught.shown.shape[1]), dtype=np.bool_)
    np.logical_or.at(pooled, taught.places, taught.shown)
    most = 1 + int(max(taught.rounds.max(initial=0), possible.rounds.max(initial=0)))
    known = {key: row for row, key in enumerate((taught.places * most + taught.rounds).tolist())}
    found = possible.shown.copy()
    for row, (place, rounds) in enumerate(zip(possible.places, possible.rounds, strict=True)):
        way = known.get(int(place * most + rounds))
        read = pooled[place] if way is None else taught.shown[way]
        found[row] &= ~(read @ taught.alike[taught.targets[place]])
    return found
