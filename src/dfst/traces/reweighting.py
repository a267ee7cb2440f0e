"""What a training set seldom shows, which counts for more, and what it shows over and over.

A step is known by what was read, written and moved in it and in the step before it. Words of symbols that the
traces read, a longer input may repeat over and over: they must not grow.
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
NO_SYMBOL = -1  # after the end of a shorter word
TIMES = 3  # in a row: what is read twice may be chance


def repeated_words(traces: TraceSet, times: int = TIMES) -> list[tuple[int, ...]]:
    """Every word that some trace reads so many times in a row, shortest first. Of those that differ only in
    where they begin the smallest stands for all; none repeats a shorter one."""
    x, trace = traces.x, np.repeat(np.arange(len(traces)), traces.lengths)
    found: list[tuple[int, ...]] = []
    for length in range(1, LONGEST + 1):
        if traces.tokens < times * length:
            break
        here = sliding_window_view(trace, times * length)
        rounds = sliding_window_view(x, times * length).reshape(len(here), times, length)
        again = (here[:, 0] == here[:, -1]) & (rounds == rounds[:, :1]).all(axis=(1, 2))
        places = 256 ** np.arange(length)[::-1]
        words = np.unique(rounds[again, 0] @ places)[:, None] // places % 256
        turns = np.stack([np.roll(words, i, axis=1) @ places for i in range(length)])
        least = np.unique(turns.min(axis=0)[(turns[1:] != turns[0]).all(axis=0)])
        found += map(tuple, (least[:, None] // places % 256).tolist())
    return found


def shown_words(traces: TraceSet) -> NDArray[np.int8]:
    """(n, LONGEST) every word of several symbols that the traces read, filled up with NO_SYMBOL."""
    words = [word for word in repeated_words(traces, times=1) if len(word) > 1]
    rows = np.full((len(words), LONGEST), NO_SYMBOL, np.int8)
    for row, word in zip(rows, words, strict=True):
        row[: len(word)] = word
    return rows
