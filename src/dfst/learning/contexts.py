"""The contexts of a model on its training set: the distinct hidden states it visits, and the steps between them.

A model that has learnt an algorithm passes through few hidden states, each many times, blurred by what is
left of its error. Following every trace and telling hidden states apart at a radius turns the traces into a
small graph. The graph is sound when it is deterministic: from one context, one symbol leads to one context
with one action. A radius that merges too much shows as a clash.

Legend: K contexts, Σ symbols, d hidden size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.grid import S
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet

NONE = -1
MOST_CONTEXTS = 20_000
RADII = (0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05, 0.03, 0.02, 0.01)
"""Radii to try, largest first, in units of the typical length of a hidden state."""


@dataclass(frozen=True)
class ContextGraph:
    """Contexts, and for each context and symbol where the traces go."""

    centre: NDArray[np.float64]
    """(K, d) mean of the hidden states of each context; context 0 is the start"""
    following: NDArray[np.int32]
    """(K, Σ) next context; NONE where the traces show nothing, or where the run halts"""
    action: NDArray[np.int32]
    """(K, Σ) symbol + 256 · motion; NONE where the traces show nothing"""
    radius: float
    spread: float
    """Largest distance of a visited hidden state from its context's first one"""

    @property
    def edges(self) -> NDArray[np.int64]:
        """(E, 2) every (context, symbol) the traces show."""
        return np.argwhere(self.action != NONE)


@njit(cache=True)
def _follow(A, h0, x, action, start, radius, first, total, visits, following, actions):
    """Follow every trace, keeping contexts in `first` (cap, d); (contexts, clashes, largest distance).

    Stops at the first clash, or when there is no room for another context.
    """
    d = h0.shape[0]
    cap = first.shape[0]
    contexts, spread = 1, 0.0
    first[0] = h0
    h, new = np.empty(d), np.empty(d)
    for trace in range(start.shape[0] - 1):
        c = 0
        h[:] = h0
        for t in range(start[trace], start[trace + 1]):
            k = x[t]
            total[c] += h
            visits[c] += 1
            if actions[c, k] == NONE:
                actions[c, k] = action[t]
            elif actions[c, k] != action[t]:
                return contexts, 1, spread
            if action[t] >> 8 == S:
                break
            for i in range(d):
                new[i] = 0.0
                for j in range(d):
                    new[i] += A[k, i, j] * h[j]
            h[:] = new
            known = following[c, k]
            best, nearest = NONE, radius * radius
            if known != NONE:
                squares = 0.0
                for i in range(d):
                    squares += (h[i] - first[known, i]) ** 2
                if squares <= nearest:
                    best, nearest = known, squares
            if best == NONE:
                for other in range(contexts):
                    squares = 0.0
                    for i in range(d):
                        squares += (h[i] - first[other, i]) ** 2
                        if squares > nearest:
                            break
                    if squares <= nearest:
                        best, nearest = other, squares
                if known != NONE:
                    return contexts, 1, spread
                if best == NONE:
                    if contexts == cap:
                        return contexts, 1, spread
                    best = contexts
                    first[best] = h
                    contexts += 1
                    nearest = 0.0
                following[c, k] = best
            spread = max(spread, np.sqrt(nearest))
            c = best
    return contexts, 0, spread


def find_contexts(theta: NDArray[np.float64], shape: Shape, traces: TraceSet, radius: float) -> ContextGraph | None:
    """The graph at one radius, or None where hidden states within it lead to different places."""
    A, _, _, h0 = shape.split(theta)
    cap = min(MOST_CONTEXTS, traces.tokens + 1)
    first, total = np.empty((cap, shape.d)), np.zeros((cap, shape.d))
    visits = np.zeros(cap, dtype=np.int64)
    following = np.full((cap, shape.symbols), NONE, dtype=np.int32)
    actions = np.full((cap, shape.symbols), NONE, dtype=np.int32)
    action = traces.s.astype(np.int32) + 256 * traces.m.astype(np.int32)
    found, clashes, spread = _follow(
        np.ascontiguousarray(A), np.ascontiguousarray(h0), traces.x, action, traces.start, radius, first, total,
        visits, following, actions,
    )  # fmt: skip
    if clashes:
        return None
    centre = total[:found] / visits[:found, None]
    return ContextGraph(centre, following[:found], actions[:found], radius, float(spread))


def context_graphs(theta: NDArray[np.float64], shape: Shape, traces: TraceSet) -> Iterator[ContextGraph]:
    """The deterministic graphs, from the coarsest radius to the finest; a graph seen before is left out."""
    _, _, _, h0 = shape.split(theta)
    length, last = float(np.linalg.norm(h0)), 0
    for radius in RADII:
        graph = find_contexts(theta, shape, traces, radius * length)
        if graph is not None and len(graph.centre) != last:
            last = len(graph.centre)
            yield graph
