"""The contexts of a model on its training set: the hidden states it passes through, and the steps between.

A model that has learnt an algorithm passes through few hidden states, each many times, blurred by what is
left of its error. Contexts are found by stepping from one to the next: each is kept as the hidden state that
was met first; a step that the traces show for the first time is computed from there and lands in the nearest
context within a radius, or in a new one. So errors do not add up along a trace, and every step of the traces
after its first is a look-up. A radius that is too large shows as a context that would have to act in two
ways.

Legend: K contexts, Σ symbols, d hidden size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S

NONE = -1
MOST_CONTEXTS = 12
"""Contexts a dimension; a model with more has learnt nothing yet."""
RADII = (0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002)
"""Radii to try, largest first, in units of the length of h0."""


@dataclass(frozen=True)
class TraceGraph:
    """The contexts on a set of traces, and for each context and symbol where the traces go."""

    centre: NDArray[np.float64]
    """(K, d) the hidden state of each context; context 0 is the start"""
    following: NDArray[np.int32]
    """(K, Σ) next context; NONE where the traces show nothing, or where the run halts"""
    action: NDArray[np.int32]
    """(K, Σ) symbol + 256 · motion; NONE where the traces show nothing"""
    radius: float
    """Distance up to which hidden states were taken for one"""

    @property
    def edges(self) -> NDArray[np.int64]:
        """(E, 2) every (context, symbol) the traces show."""
        return np.argwhere(self.action != NONE)

    def acts_as(self, traces: TraceSet) -> bool:
        """Whether the graph, as a machine, does what the traces show, step by step."""
        return bool(_acts_as(self.following, self.action, traces.x, _actions(traces), traces.start))


def _actions(traces: TraceSet) -> NDArray[np.int32]:
    return traces.s.astype(np.int32) + 256 * traces.m.astype(np.int32)


@njit(cache=True)
def _acts_as(following, action, x, wanted, start):
    for trace in range(start.shape[0] - 1):
        c = 0
        for t in range(start[trace], start[trace + 1]):
            if c == NONE or action[c, x[t]] != wanted[t]:
                return False
            c = following[c, x[t]]
    return True


@njit(cache=True)
def _follow(A, h0, x, wanted, start, radius, centre, following, action):
    """Fill centre (cap, d), following and action (cap, Σ); the number of contexts, or NONE if there is no
    room or a context would have to act in two ways."""
    d, contexts = h0.shape[0], 1
    centre[0] = h0
    h = np.empty(d)
    for trace in range(start.shape[0] - 1):
        c = 0
        for t in range(start[trace], start[trace + 1]):
            k = x[t]
            if action[c, k] == NONE:
                action[c, k] = wanted[t]
            elif action[c, k] != wanted[t]:
                return NONE
            if wanted[t] >> 8 == S:
                break
            landed = following[c, k]
            if landed == NONE:
                for i in range(d):
                    h[i] = 0.0
                    for j in range(d):
                        h[i] += A[k, i, j] * centre[c, j]
                nearest = radius * radius
                for other in range(contexts):
                    squares = 0.0
                    for i in range(d):
                        squares += (h[i] - centre[other, i]) ** 2
                        if squares > nearest:
                            break
                    if squares <= nearest:
                        landed, nearest = other, squares
                if landed == NONE:
                    if contexts == centre.shape[0]:
                        return NONE
                    landed = contexts
                    centre[landed] = h
                    contexts += 1
                following[c, k] = landed
            c = landed
    return contexts


def find_contexts(
    theta: NDArray[np.float64], shape: Shape, traces: TraceSet, radius: float
) -> TraceGraph | None:
    """The graph at one radius, or None where hidden states within it act differently."""
    A, _, _, h0 = shape.split(theta)
    cap = MOST_CONTEXTS * shape.d
    centre = np.empty((cap, shape.d))
    following = np.full((cap, shape.symbols), NONE, dtype=np.int32)
    action = np.full_like(following, NONE)
    found = _follow(
        np.ascontiguousarray(A), np.ascontiguousarray(h0), traces.x, _actions(traces), traces.start, radius,
        centre, following, action,
    )  # fmt: skip
    if found == NONE or not np.isfinite(centre[:found]).all():
        return None
    return TraceGraph(centre[:found], following[:found], action[:found], radius)


def sound_contexts(theta: NDArray[np.float64], shape: Shape, traces: TraceSet) -> TraceGraph | None:
    """The graph at the largest of the radii at which it is deterministic; None if there is none."""
    _, _, _, h0 = shape.split(theta)
    length = float(np.linalg.norm(h0))
    for radius in RADII:
        graph = find_contexts(theta, shape, traces, radius * length)
        if graph is not None:
            return graph
    return None
