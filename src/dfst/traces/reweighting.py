"""What a training set seldom shows, which counts for more, and what it shows over and over.

A step is known by what was read, written and moved in it and in the step before it. Words of symbols that the
traces read again and again, a longer input repeats more often: they must not grow.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
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


LONGEST = 6  # symbols in a word
TIMES = 3  # in a row: what is read twice may be chance


def repeated_words(traces: TraceSet) -> list[tuple[int, ...]]:
    """Every word that some trace reads three times in a row, shortest first. Of those that differ only in
    where they begin the smallest stands for all; none repeats a shorter one."""
    x, trace = traces.x, np.repeat(np.arange(len(traces)), traces.lengths)
    found = set()
    for length in range(1, LONGEST + 1):
        if traces.tokens < TIMES * length:
            break
        again = (x[length:] == x[:-length]) & (trace[length:] == trace[:-length])
        begins = np.flatnonzero(sliding_window_view(again, (TIMES - 1) * length).all(axis=1))
        for symbols in np.unique(x[begins[:, None] + np.arange(length)], axis=0).tolist():
            turns = [(*symbols[i:], *symbols[:i]) for i in range(length)]
            if len(set(turns)) == length:
                found.add(min(turns))
    return sorted(found, key=lambda symbols: (len(symbols), symbols))


def words_of_length(traces: TraceSet, length: int) -> NDArray[np.uint8]:
    """(n, length) the repeated words of several symbols, each repeated until it has this length."""
    words = [word * (length // len(word)) for word in repeated_words(traces) if len(word) > 1]
    return np.array([word for word in words if len(word) == length], np.uint8).reshape(-1, length)
