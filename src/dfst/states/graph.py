"""Learnt states: the few points a model's hidden state keeps coming back to, and the edges between them.

A DFST that learnt a machine does not wander: its hidden state returns to the same few points. Each of them,
told apart from the others with a tolerance, is a *learnt state*; reading a symbol there decides what is
written, how the head moves and which learnt state follows. That graph is a machine, written down as the table
of an agent is. It is found by following traces (`follow.py`) or by letting the model act (`explore.py`).

Legend: n learnt states, Σ symbols, M motions, d hidden size, E edges.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.model.weights import Weights
from dfst.rollout.transducer import in_order
from dfst.traces.traceset import TraceSet
from dfst.world.grid import MOTION_NAMES, N, S


@dataclass(frozen=True, eq=False)
class StateGraph:
    """Learnt states and the edges that are known. State 0 is the start."""

    weights: Weights
    tolerance: float
    """Hidden states no farther apart than this were taken for one; 0: equal to the bit"""
    hidden: NDArray[np.floating] = field(repr=False)
    """(n, d) the hidden state of each"""
    write: NDArray[np.uint8] = field(repr=False)
    """(n, Σ) symbol written"""
    motion: NDArray[np.uint8] = field(repr=False)
    """(n, Σ) motion of `dfst.world.grid` that an onlooker sees: S where the run halts"""
    next: NDArray[np.int32] = field(repr=False)
    """(n, Σ) state that follows, HALT, or MISSING where there is no edge"""

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
    def residual(self) -> NDArray[np.float64]:
        """(n, Σ) max |A[x] h - h'|: how far what follows lies from the state it was taken for."""
        away = np.zeros(self.next.shape)
        for x, column in enumerate(self.next.T):
            going = np.flatnonzero(column >= 0)
            reached = self._outputs(going, x)[:, : self.hidden.shape[1]]
            away[going, x] = np.abs(reached - self.hidden[column[going]]).max(axis=1, initial=0)
        return away

    @cached_property
    def margin(self) -> NDArray[np.float64]:
        """(n, Σ) the lead of the best score over the second, of symbol or motion, the smaller."""
        lead, d, symbols = np.full(self.next.shape, np.inf), self.hidden.shape[1], len(self.weights.alphabet)
        for x, column in enumerate(self.next.T):
            acting = np.flatnonzero(column != MISSING)
            scores = self._outputs(acting, x)[:, d:]
            lead[acting, x] = np.minimum(_lead(scores[:, :symbols]), _lead(scores[:, symbols:]))
        return lead

    @property
    def radius(self) -> float:
        """The farthest that a hidden state was from the state it was taken for, one step after one."""
        return float(self.residual.max(initial=0.0))

    def separation(self) -> float:
        """The smallest distance between two states (largest component); infinite for a single one."""
        nearest = np.inf
        for i in range(1, len(self)):
            nearest = min(nearest, float(np.abs(self.hidden[:i] - self.hidden[i]).max(axis=1).min()))
        return nearest

    def machine(self, name: str | None = None) -> Agent:
        """The graph as a grid agent."""
        weights = self.weights
        return Agent(
            name or weights.name,
            weights.alphabet,
            tuple(f"c{i}" for i in range(len(self))),
            self.write.copy(),
            np.where(self.motion == N, S, self.motion).astype(np.uint8),
            self.next.copy(),
            weights.blank,
            weights.task,
            weights.layout,
        )

    def acts_as(self, traces: TraceSet) -> bool:
        """Whether the graph, as a machine, does what the traces show, step by step."""
        return bool(_acts_as(self.write, self.motion, self.next, traces.x, traces.s, traces.m, traces.start))

    def _outputs(self, states: NDArray[np.int64], x: int) -> NDArray[np.floating]:
        """(…, d + Σ + M) what the weights make of these states when they read x; to the bit if need be."""
        matrix = self.weights.stacked[x]
        if self.tolerance > 0:
            return self.hidden[states] @ matrix.T.astype(np.float64)
        return np.array([in_order(matrix, self.hidden[c]) for c in states]).reshape(-1, len(matrix))


def _lead(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """How far the best of each row is ahead of the second."""
    best = np.sort(scores, axis=1)
    return best[:, -1] - best[:, -2] if scores.shape[1] > 1 else np.full(len(scores), np.inf)


@njit(cache=True)
def _acts_as(write, motion, following, x, s, m, start):
    for trace in range(start.shape[0] - 1):
        c = 0
        for t in range(start[trace], start[trace + 1]):
            if c == HALT or following[c, x[t]] == MISSING:
                return False
            if write[c, x[t]] != s[t] or motion[c, x[t]] != m[t]:
                return False
            c = following[c, x[t]]
    return True
