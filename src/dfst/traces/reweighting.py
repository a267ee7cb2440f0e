"""Reweighting of rare steps: what a training set seldom shows counts for more.

A step is known by what was read, written and moved in it and in the step before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dfst.traces.traceset import TraceSet


def step_weights(traces: TraceSet, power: float) -> NDArray[np.float64]:
    """(tokens,) how much each step counts: its share of the set to the power of −`power`, 1 on average;
    nothing where it is not known what was done."""
    if power == 0 or traces.tokens == 0:
        return traces.known.astype(np.float64)
    step = (traces.x.astype(np.int64) << 16) | (traces.s.astype(np.int64) << 8) | traces.m
    before = np.roll(step, 1)
    before[traces.start[:-1][traces.lengths > 0]] = -1
    _, kind, shown = np.unique((before + 1) << 24 | step, return_inverse=True, return_counts=True)
    weight = shown.astype(np.float64) ** -power
    return weight[kind] * (traces.tokens / (weight * shown).sum()) * traces.known
