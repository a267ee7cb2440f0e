"""What examples connect: ways into a state, and the symbols that are read next.

A way into a state is the last few rules that were used, as many as are looked at: the *depth*. The deepest
count rounds too: of a loop, how often it was used in a row, as hidden states may take some to come to rest.
Where a trace shows a way and then a symbol, it connects the two. A way and a symbol that examples show,
each with others, and do not connect, not by detours either, leave it open whether the state is the same.
Merging assumes that it is; gradient descent alone does not (docs/concepts/teaching-sets.md).

Legend: R places of rules, the start last; Σ symbols; T steps; W ways.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import Agent
from dfst.traces.replay import replayed_states
from dfst.traces.traceset import TraceSet

DEPTH = 4
"""Rules that are looked at, at most; of machines with thousands of rules as many as 64 bits hold."""
MOST_ROUNDS = 4_095  # more are counted as so many


@dataclass(frozen=True, eq=False)
class Ways:
    """The ways into states that traces go, and how they go on."""

    agent: Agent
    depth: int
    keys: NDArray[np.int64]
    """(W,) ascending: the places of a way's rules as digits, the last rule's the last; before them, of the
    deepest, how often more the last one was used"""
    shown: NDArray[np.bool_]  # (W, Σ) which symbols are read next
    first: NDArray[np.int64]  # (W, Σ) the first trace that shows it, or -1

    @property
    def places(self) -> NDArray[np.int64]:
        """(W,) of the last rule."""
        return self.keys % (self.agent.next.size + 1)

    @cached_property
    def states(self) -> NDArray[np.int64]:
        """(W,) that the ways lead to."""
        return np.append(self.agent.next.ravel(), 0)[self.places].astype(np.int64)

    @cached_property
    def alike(self) -> NDArray[np.bool_]:
        """(Q, Σ, Σ) two symbols that are connected in a state; each one with itself, if it is read there."""
        symbols = self.shown.shape[1]
        found = np.zeros((len(self.agent.states), symbols, symbols), dtype=np.bool_)
        for state, alike in enumerate(found):
            ways = self.shown[self.states == state]
            alike |= ways.T @ ways  # two symbols that one way was seen to go on with
            while (wider := alike | alike @ alike).sum() > alike.sum():
                alike[:] = wider
        return found

    def rules(self, way: int) -> list[int]:
        """The places of a way's rules, the last one last; of the start only the last."""
        key, base = int(self.keys[way]), self.agent.next.size + 1
        places = [key // base**i % base for i in range(self.depth)]
        return [place for i, place in enumerate(places) if place != base - 1 or not i][::-1]


def ways(agent: Agent, traces: TraceSet, states: NDArray[np.int32], depth: int) -> Ways:
    """states: (T,) in which each step was taken"""
    symbols, base, reads = len(agent.alphabet), agent.next.size + 1, traces.x.astype(np.int64)
    deepest = depth == DEPTH
    while depth > 1 and base**depth * symbols * (MOST_ROUNDS + 1) >= 2**63:
        depth -= 1
    places = states.astype(np.int64) * symbols + reads
    trace_of = np.repeat(np.arange(len(traces)), traces.lengths)
    steps = np.arange(len(reads))
    age = steps - traces.start[trace_of]
    again = (age > 0) & (places == np.roll(places, 1))  # what follows itself is a loop
    rounds = steps - np.maximum.accumulate(np.where(again, 0, steps)) + 1
    keys = deepest * base**depth * np.where(age > 0, np.roll(rounds, 1) - depth, 0).clip(0, MOST_ROUNDS)
    for back in range(1, depth + 1):
        keys += base ** (back - 1) * np.where(age >= back, np.roll(places, back), base - 1)
    pairs, at = np.unique(keys * symbols + reads, return_index=True)
    found, row = np.unique(pairs // symbols, return_inverse=True)
    first = np.full((len(found), symbols), -1)
    first[row, pairs % symbols] = trace_of[at]
    return Ways(agent, depth, found, first >= 0, first)


def unconnected(taught: Ways, possible: Ways) -> NDArray[np.bool_]:
    """(W of the possible, Σ) each symbol that may be read after a way and is not connected with it, of those
    that were taught."""
    found = np.zeros_like(possible.shown)
    if not len(taught.keys):
        return found
    at = np.searchsorted(taught.keys, possible.keys).clip(max=len(taught.keys) - 1)
    for state, alike in enumerate(taught.alike):
        here = np.flatnonzero((possible.states == state) & (taught.keys[at] == possible.keys))
        connected = taught.shown[at[here]] @ alike
        found[here] = possible.shown[here] & alike.diagonal() & ~connected
    return found


def pairs_shown(agent: Agent, traces: TraceSet) -> int:
    """How many pairs of a rule, or the start, and the symbol read after it."""
    return int(ways(agent, traces, replayed_states(agent, traces), 1).shown.sum())
