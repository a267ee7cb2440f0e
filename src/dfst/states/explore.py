"""Contexts: the distinct hidden states a DFST visits, and the edges between them.

A DFST that learnt a machine exactly does not wander: its hidden state keeps coming back to the same few
points. Each point, told apart from others with a tolerance, is a *context*; reading a symbol there decides
what is written, how the head moves and which context follows. That graph is a machine.

Legend: n contexts, Σ symbols, d hidden size.
    hidden    (n, d)  one hidden state a context, the first that was met
    write     (n, Σ)  symbol written, where the edge was computed
    motion    (n, Σ)  motion of `dfst.world.grid` made
    next      (n, Σ)  context that follows, HALT or MISSING (the edge was never asked for)
    residual  (n, Σ)  max |A[x] h - h'| between what follows and the context it was taken for
    margin    (n, Σ)  smaller lead of the best score over the second, of the symbol and of the motion
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.model.weights import Weights
from dfst.rollout.transducer import in_order
from dfst.world.grid import N, S


class TooManyContexts(Exception):
    """New hidden states kept appearing."""


@dataclass(frozen=True, eq=False)
class ContextGraph:
    """The graph as it stands; see the legend above. Context 0 is the start."""

    weights: Weights
    tolerance: float
    """Hidden states nearer than this (largest component) are one context; 0: equal to the bit."""
    hidden: NDArray[np.floating] = field(repr=False)
    write: NDArray[np.uint8] = field(repr=False)
    motion: NDArray[np.uint8] = field(repr=False)
    next: NDArray[np.int32] = field(repr=False)
    residual: NDArray[np.float64] = field(repr=False)
    margin: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.hidden)

    @property
    def edges(self) -> int:
        return int(np.count_nonzero(self.next != MISSING))

    @property
    def radius(self) -> float:
        """The farthest that a hidden state was from the context it was taken for."""
        return float(self.residual[self.next >= 0].max(initial=0.0))

    @property
    def smallest_margin(self) -> float:
        return float(self.margin[self.next != MISSING].min(initial=np.inf))

    def separation(self) -> float:
        """The smallest distance between two contexts (largest component); infinite for one context."""
        nearest = np.inf
        for i in range(1, len(self)):
            nearest = min(nearest, float(np.abs(self.hidden[:i] - self.hidden[i]).max(axis=1).min()))
        return nearest

    def machine(self, name: str | None = None) -> Agent:
        """The graph as a grid agent, one state a context."""
        motion = np.where(self.motion == N, S, self.motion).astype(np.uint8)
        return Agent(
            name or self.weights.name,
            self.weights.alphabet,
            tuple(f"c{i}" for i in range(len(self))),
            self.write.copy(),
            motion,
            self.next.copy(),
            self.weights.blank,
            self.weights.task,
            self.weights.layout,
        )


class Explorer:
    """Computes edges when they are asked for, always from the context's own hidden state."""

    def __init__(self, weights: Weights, tolerance: float, max_contexts: int = 5_000) -> None:
        self.weights = weights
        self.tolerance = tolerance
        self.max_contexts = max_contexts
        self._stacked = np.concatenate([weights.A, weights.B, weights.C], axis=1)
        if tolerance > 0:
            self._stacked = self._stacked.astype(np.float64)
        self._codes = weights.motion_codes().tolist()
        d = len(weights.h0)
        # Points within the tolerance of h are near it along any line too; sorting along one finds them fast.
        self._line = np.cos(np.arange(1, d + 1) ** 2)
        self._reach = tolerance * float(np.abs(self._line).sum()) * (1 + 1e-9)
        self._sorted: list[tuple[float, int]] = []
        self._by_bits: dict[bytes, int] = {}
        self.hidden: list[NDArray[np.floating]] = []
        self.edges: dict[tuple[int, int], tuple[int, int, int, float, float]] = {}
        self._context(weights.h0.astype(self._stacked.dtype))

    @classmethod
    def of(cls, graph: ContextGraph, max_contexts: int = 5_000) -> Explorer:
        """An explorer that knows a graph already."""
        explorer = cls(graph.weights, graph.tolerance, max(max_contexts, len(graph)))
        for h in graph.hidden[1:]:
            explorer._context(h)
        columns = (graph.write, graph.motion, graph.next, graph.residual, graph.margin)
        for c, x in zip(*np.nonzero(graph.next != MISSING), strict=True):
            w, m, f, r, g = (column[c, x].item() for column in columns)
            explorer.edges[int(c), int(x)] = (w, m, f, r, g)
        return explorer

    def edge(self, context: int, symbol: int) -> tuple[int, int, int, float, float]:
        """(write, motion, next, residual, margin) of reading `symbol` in `context`."""
        known = self.edges.get((context, symbol))
        if known is None:
            known = self._compute(self.hidden[context], symbol)
            self.edges[context, symbol] = known
        return known

    def graph(self) -> ContextGraph:
        """What is known so far."""
        n, k = len(self.hidden), len(self.weights.alphabet)
        write = np.zeros((n, k), dtype=np.uint8)
        motion = np.full((n, k), S, dtype=np.uint8)
        following = np.full((n, k), MISSING, dtype=np.int32)
        residual, margin = np.zeros((n, k)), np.full((n, k), np.inf)
        for (c, x), (w, m, f, r, g) in self.edges.items():
            write[c, x], motion[c, x], following[c, x], residual[c, x], margin[c, x] = w, m, f, r, g
        return ContextGraph(
            self.weights, self.tolerance, np.array(self.hidden), write, motion, following, residual, margin
        )

    def _compute(self, h: NDArray[np.floating], symbol: int) -> tuple[int, int, int, float, float]:
        d, k = h.size, len(self.weights.alphabet)
        result = in_order(self._stacked[symbol], h) if self.tolerance == 0 else self._stacked[symbol] @ h
        written, lead = _decide(result[d : d + k])
        row, other = _decide(result[d + k :])
        motion = self._codes[row]
        if motion == S:
            return written, motion, HALT, 0.0, min(lead, other)
        following, residual = self._context(result[:d].copy())
        return written, motion, following, residual, min(lead, other)

    def _context(self, h: NDArray[np.floating]) -> tuple[int, float]:
        """The context `h` belongs to, new if there is none, and how far it lies from it."""
        if self.tolerance == 0:
            found = self._by_bits.setdefault(h.tobytes(), len(self.hidden))
            if found < len(self.hidden):
                return found, 0.0
            return self._add(h), 0.0
        place = float(self._line @ h)
        i = bisect_left(self._sorted, (place - self._reach, -1))
        nearest, distance = -1, np.inf
        while i < len(self._sorted) and self._sorted[i][0] <= place + self._reach:
            c = self._sorted[i][1]
            away = float(np.abs(self.hidden[c] - h).max())
            if away < distance:
                nearest, distance = c, away
            i += 1
        if distance <= self.tolerance:
            return nearest, distance
        self._sorted.insert(bisect_left(self._sorted, (place, -1)), (place, len(self.hidden)))
        return self._add(h), 0.0

    def _add(self, h: NDArray[np.floating]) -> int:
        if len(self.hidden) >= self.max_contexts or not np.isfinite(h).all():
            raise TooManyContexts
        self.hidden.append(h)
        return len(self.hidden) - 1


def _decide(scores: NDArray[np.floating]) -> tuple[int, float]:
    """The first best score and its lead over the best of the others."""
    best = int(np.argmax(scores))
    others = np.delete(scores, best)
    return best, float(scores[best] - others.max()) if others.size else np.inf
