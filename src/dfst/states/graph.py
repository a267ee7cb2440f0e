"""Learnt states: the few points a model's hidden state keeps coming back to, and the edges between them.

Reading a symbol in a learnt state decides what is written, how the head moves and which learnt state follows.
That graph is a machine. It is found by following traces (`follow.py`) or by letting the model act
(`explore.py`). Any recurrent learner has a `StateTable`; a `StateGraph` knows the weights of its DFST.

Legend: n learnt states, Σ symbols, M motions, d hidden size, E edges.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import HALT, MISSING, Agent
from dfst.model.rollout.transducer import in_order, rescaled
from dfst.model.weights import Weights
from dfst.traces.recording import Recorded
from dfst.traces.replay import replay, states_along
from dfst.traces.traceset import TraceSet
from dfst.world.grid import MOTION_NAMES, N, S
from dfst.world.trace import UNKNOWN


@dataclass(frozen=True, eq=False)
class StateTable:
    """Learnt states and the edges that are known. State 0 is the start."""

    hidden: NDArray[np.floating] = field(repr=False)  # (n, d) the hidden state of each
    write: NDArray[np.uint8] = field(repr=False)  # (n, Σ) symbol written
    motion: NDArray[np.uint8] = field(repr=False)
    """(n, Σ) motion of `dfst.world.grid` that an onlooker sees: S where the run halts"""
    next: NDArray[np.int32] = field(repr=False)
    """(n, Σ) state that follows, HALT, or MISSING where there is no edge"""
    tolerance: float  # hidden states no farther apart than this were taken for one; 0: equal to the bit

    def __len__(self) -> int:
        return len(self.hidden)

    @property
    def edges(self) -> int:
        return int(np.count_nonzero(self.next != MISSING))

    @property
    def known(self) -> NDArray[np.int64]:
        """(E, 2) every (state, symbol) that has an edge."""
        return np.argwhere(self.next != MISSING)

    @property
    def scale(self) -> float:
        """How long hidden states are: the length of the start, or their mean where the start is zero."""
        lengths = np.linalg.norm(self.hidden, axis=1)
        return float(lengths[0] or lengths.mean())

    def separation(self) -> float:
        """The smallest distance between two states (largest component); infinite for a single one."""
        nearest = np.inf
        for i in range(1, len(self)):
            nearest = min(nearest, float(np.abs(self.hidden[:i] - self.hidden[i]).max(axis=1).min()))
        return nearest

    def agent(self, name: str, described: Recorded) -> Agent:
        """The table as a grid agent."""
        names = [f"c{i}" for i in range(len(self))]
        return agent_like(described, name, names, self.write.copy(), self.motion, self.next.copy())

    def acts_as(self, traces: TraceSet) -> bool:
        """Whether the table, as a machine, does what the traces show, step by step."""
        return not replay(self.write, self.motion, self.next, traces).leaves(traces).size


@dataclass(frozen=True, eq=False)
class StateGraph(StateTable):
    """The learnt states of a DFST."""

    weights: Weights

    @property
    def wanted(self) -> NDArray[np.float64]:
        """(E, Σ + M) the outputs that each edge of `known` asks for: one-hot symbol, one-hot motion."""
        edges, symbols = np.arange(self.edges), len(self.weights.alphabet)
        row = {MOTION_NAMES.index(name): i for i, name in enumerate(self.weights.motions)}
        states, read = self.known.T
        outputs = np.zeros((len(edges), symbols + len(row)))
        outputs[edges, self.write[states, read]] = 1
        outputs[edges, [symbols + row[m] for m in self.motion[states, read].tolist()]] = 1
        return outputs

    @cached_property
    def radius(self) -> float:
        """The farthest that a hidden state was from the state it was taken for, one step after one."""
        away, d = 0.0, self.hidden.shape[1]
        for c, x in np.argwhere(self.next >= 0).tolist():
            reached = rescaled(self._outputs(c, x)[:d])
            away = max(away, float(np.abs(reached - self.hidden[self.next[c, x]]).max(initial=0)))
        return away

    def scores(self, state: int, x: int) -> list[NDArray[np.floating]]:
        """What the weights score for each symbol and for each motion in a state that reads x."""
        return np.split(self._outputs(state, x)[self.hidden.shape[1] :], [len(self.weights.alphabet)])

    def machine(self, name: str | None = None) -> Agent:
        """The graph as a grid agent."""
        return self.agent(name or self.weights.name, self.weights)

    def _outputs(self, state: int, x: int) -> NDArray[np.floating]:
        """(d + Σ + M,) what the weights make of a state when they read x; to the bit if need be."""
        matrix, h = self.weights.stacked[x], self.hidden[state]
        return np.asarray(matrix.astype(np.float64) @ h) if self.tolerance > 0 else in_order(matrix, h)


def agent_like(
    described: Recorded, name: str, states: Sequence[str], write: NDArray[np.uint8],
    motion: NDArray[np.uint8], following: NDArray[np.int32],
) -> Agent:  # fmt: skip
    """A grid agent with this table, whose motions are those that an onlooker sees."""
    made = np.where(motion == N, S, motion).astype(np.uint8)
    about = described.blank, described.task, described.layout
    return Agent(name, described.alphabet, tuple(states), write, made, following.astype(np.int32), *about)


def settled(graph: StateGraph, recorded: TraceSet) -> StateGraph:
    """The graph with an action for every rule, where the traces do not say it in one voice: what most of the
    steps that use the rule were recorded to do; if nothing was recorded of any, what scores best."""
    write, motion, following = graph.write.copy(), graph.motion.copy(), graph.next.copy()
    for c, x in np.argwhere((motion == UNKNOWN) & (following >= 0)):
        write[c, x], motion[c, x] = (int(part.argmax()) for part in graph.scores(int(c), int(x)))
    at = states_along(following, recorded)
    ends = np.isin(np.arange(recorded.tokens) + 1, recorded.start)
    voting = np.flatnonzero((at >= 0) & recorded.known & ((recorded.m != S) | ends))
    rule = at[voting].astype(np.int64) * following.shape[1] + recorded.x[voting]
    ballot = (rule << 16) | (recorded.s[voting].astype(np.int64) << 8) | recorded.m[voting]
    ballots, votes = np.unique(ballot, return_counts=True)
    for b in ballots[np.argsort(votes, kind="stable")].tolist():  # the most votes come last, and stay
        c, x = divmod(b >> 16, following.shape[1])
        s, m = (b >> 8) & 255, b & 255
        if following[c, x] != HALT or m == S:  # where it halts, nothing says what would follow
            write[c, x], motion[c, x] = s, m
    following[(motion == S) & (following >= 0)] = HALT
    return replace(graph, write=write, motion=motion, next=following)
