"""The learnt states of a model along given traces: the points it passes through, and the steps between.

A model that has learnt an algorithm passes through few hidden states, each many times, blurred by what is
left of its error. The graph is found by stepping from state to state: each is kept as the hidden state that
was met first; a step that the traces show for the first time is computed from there and lands in the nearest
state within a radius, or in a new one. So errors do not add up along a trace, and every step of the traces
after its first is a look-up. A radius that is too large shows as a state that would have to act in two ways.

What is written and how the head moves is taken from the traces, not from the model's scores.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dfst.agents.agent import HALT, MISSING
from dfst.model.weights import Weights
from dfst.states.graph import StateGraph
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S

MOST_STATES = 12
"""Learnt states per dimension; a model with more has learnt nothing yet."""
RADII = (0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.2, 0.3, 0.4)
"""Radii to try, in units of the length of h0: from a usual one down to what hidden states that lie close
need, then up to what those need that are blurred by directions no trace looks at."""


def follow_soundly(weights: Weights, traces: TraceSet) -> StateGraph | None:
    """The graph at the first of the radii at which it is deterministic; None if there is none."""
    length = float(np.linalg.norm(weights.h0))
    for radius in RADII:
        graph = follow(weights, traces, radius * length)
        if graph is not None:
            return graph
    return None


def follow(weights: Weights, traces: TraceSet, radius: float) -> StateGraph | None:
    """The graph at one radius, or None where hidden states within it act differently."""
    cap = MOST_STATES * len(weights.h0)
    table = (cap, len(weights.alphabet))
    hidden = np.empty((cap + 1, len(weights.h0)))
    hidden[0] = weights.h0
    write, motion = np.zeros(table, dtype=np.uint8), np.full(table, S, dtype=np.uint8)
    following = np.full(table, MISSING, dtype=np.int32)
    n = _follow(
        np.ascontiguousarray(weights.A, dtype=np.float64),
        traces.x, traces.s, traces.m, traces.start, radius, hidden, write, motion, following,
    )  # fmt: skip
    if n == 0 or not np.isfinite(hidden[:n]).all():
        return None
    return StateGraph(weights, radius, hidden[:n], write[:n], motion[:n], following[:n])


@njit(cache=True)
def _follow(A, x, s, m, start, radius, hidden, write, motion, following):
    """Fill the last four, (cap + 1, d) with the start in row 0, and (cap, Σ); the number of states, or 0 if
    there is no room or a state would have to act in two ways."""
    d, n = hidden.shape[1], np.int64(1)  # a literal 1 would be one more version to compile
    for trace in range(start.shape[0] - 1):
        c = 0
        for t in range(start[trace], start[trace + 1]):
            k = x[t]
            if following[c, k] != MISSING:
                if write[c, k] != s[t] or motion[c, k] != m[t]:
                    return 0
            else:
                write[c, k], motion[c, k] = s[t], m[t]
                landed = HALT
                if m[t] != S:
                    for i in range(d):
                        hidden[n, i] = 0.0
                        for j in range(d):
                            hidden[n, i] += A[k, i, j] * hidden[c, j]
                    landed = _nearest(hidden, n, radius)
                    if landed == n:
                        if n == following.shape[0]:
                            return 0
                        n += 1
                following[c, k] = landed
            if following[c, k] == HALT:
                break
            c = following[c, k]
    return n


@njit(cache=True)
def _nearest(hidden, n, radius):
    """The row nearest to row n among those before it, within the radius, or n if there is none."""
    found, nearest = n, radius * radius
    for other in range(n):
        squares = 0.0
        for i in range(hidden.shape[1]):
            squares += (hidden[n, i] - hidden[other, i]) ** 2
            if squares > nearest:
                break
        if squares <= nearest:
            found, nearest = other, squares
    return found
