"""Rounds: what the traces read over and over, which a longer input repeats more often."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dfst.traces.traceset import TraceSet

LONGEST = 6
"""Symbols in a round."""
TIMES = 3
"""In a row: what is read twice may be chance."""


def rounds(traces: TraceSet) -> list[tuple[int, ...]]:
    """Every round that some trace reads three times in a row, shortest first.

    Of those that differ only in where they begin the smallest stands for all; none repeats a shorter one.
    """
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
