"""The learnt states of a recurrent learner along given traces: the points it passes through, and the steps.

Each state is kept as the hidden state that was met first; a step that the traces show for the first time is
computed from there and lands in the nearest state within a radius, or in a new one. So errors do not add up
along a trace. A radius that is too large shows as a state that would have to act in two ways. Any step
function will do, linear or not; what is written and how the head moves is taken from the traces.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.machines.agent import HALT, MISSING
from dfst.model.weights import Weights
from dfst.states.graph import StateGraph, StateTable
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S
from dfst.world.trace import UNKNOWN

FEW, MANY = 12, 2_500
"""Learnt states per dimension, and in all. Many are taken only where few do not do: where the next symbol is
no surprise, a model may pass through many hidden states that are one, and merging sorts it out."""
RADII = (0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.2, 0.3, 0.4)
"""Radii to try, in units of the length of hidden states: from a usual one down to what hidden states that lie
close need, then up to what those need that are blurred by directions no trace looks at."""
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HiddenStates:
    """A recurrence: where it starts, and what follows a hidden state when a symbol is read."""

    start: Vector  # (d,)
    step: Callable[[Vector, int], Vector]  # h (d,) and a symbol → the next h (d,)


def hidden_states(weights: Weights) -> HiddenStates:
    """Those of a DFST: h ← A[x] h."""
    A = weights.A.astype(np.float64)
    return HiddenStates(weights.h0.astype(np.float64), lambda h, x: np.asarray(A[x] @ h))


def followed(weights: Weights, traces: TraceSet, patient: bool = True) -> Iterator[StateGraph]:
    """The graphs at those of the radii at which they are deterministic."""
    for table in followed_states(hidden_states(weights), traces, patient):
        yield StateGraph(**vars(table), weights=weights)


def follow_soundly(weights: Weights, traces: TraceSet) -> StateGraph | None:
    """The first of these graphs; None if there is none."""
    return next(followed(weights, traces), None)


def follow(weights: Weights, traces: TraceSet, radius: float) -> StateGraph | None:
    """The graph at one radius, or None where hidden states within it act differently."""
    table = follow_states(hidden_states(weights), traces, radius, FEW * len(weights.h0))
    return None if table is None else StateGraph(**vars(table), weights=weights)


def followed_states(recurrence: HiddenStates, traces: TraceSet, patient: bool = True) -> Iterator[StateTable]:
    """The tables at those of the radii at which they are deterministic.

    patient: whether many learnt states are taken where few do not do
    """
    length = float(np.linalg.norm(recurrence.start)) or _mean_length(recurrence, traces)
    counts = (FEW * len(recurrence.start), MANY)[: 1 + patient]
    tried = set()
    for most, r in product(counts, RADII):
        if r not in tried and (table := follow_states(recurrence, traces, r * length, most)) is not None:
            tried.add(r)
            yield table


def follow_states(recurrence: HiddenStates, traces: TraceSet, radius: float, most: int) -> StateTable | None:
    """The table at one radius, or None where hidden states within it act differently, or are too many."""
    shape = (most, len(traces.alphabet))
    hidden = np.empty((most, len(recurrence.start)))
    hidden[0], n = recurrence.start, 1
    write, motion = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    following = np.full(shape, MISSING, dtype=np.int32)
    at = np.zeros(4, dtype=np.int64)
    while (found := walk(traces.x, traces.s, traces.m, traces.start, write, motion, following, at)) == NEW:
        _, t, c, _ = at.tolist()
        x = int(traces.x[t])
        h = recurrence.step(hidden[c], x)
        away = ((hidden[:n] - h) ** 2).sum(axis=1)
        nearest = int(np.argmin(away))
        if not away[nearest] <= radius * radius:  # what is not a number is near nothing
            if n == most:
                return None
            hidden[n], nearest, n = h, n, n + 1
        following[c, x] = nearest
    if found == CONTRADICTED or not np.isfinite(hidden[:n]).all():
        return None
    return StateTable(hidden[:n], write[:n], motion[:n], following[:n], radius)


def _mean_length(recurrence: HiddenStates, traces: TraceSet) -> float:
    """Of the hidden states along the longest trace, for a recurrence that starts at zero."""
    h, lengths = recurrence.start, []
    for x in traces[int(traces.lengths.argmax())].x.tolist():
        h = recurrence.step(h, x)
        lengths.append(float(np.linalg.norm(h)))
    return float(np.mean(lengths))


DONE, NEW, CONTRADICTED = 0, 1, 2


@njit(cache=True)
def walk(x, s, m, start, write, motion, following, at):
    """Go on along the traces from at = (trace, step, state, n): to the end, to a step whose next state is not
    known yet (its action is written down), or to one that contradicts an earlier one. Where n is given, what
    is not known yet is a new state, the n-th."""
    trace, t, c, n = at
    while trace < start.shape[0] - 1:
        while t < start[trace + 1]:
            k = x[t]
            if following[c, k] == MISSING:
                if m[t] == UNKNOWN and t == start[trace + 1] - 1:
                    break
                write[c, k], motion[c, k] = s[t], m[t]
                following[c, k] = HALT
                if m[t] != S and n > 0:
                    following[c, k] = n
                    n += 1
                elif m[t] != S:
                    following[c, k] = MISSING
                    at[0], at[1], at[2] = trace, t, c
                    return NEW
            elif motion[c, k] == UNKNOWN and m[t] != S:
                write[c, k], motion[c, k] = s[t], m[t]
            if m[t] != UNKNOWN and (write[c, k] != s[t] or motion[c, k] != m[t]):
                return CONTRADICTED
            if following[c, k] == HALT:
                break
            c = following[c, k]
            t += 1
        trace, t, c = trace + 1, start[trace + 1], 0
    at[3] = n
    return DONE
