"""Windows: which symbols the traces show in a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dfst.traces.traceset import TraceSet


def windows(traces: TraceSet, length: int) -> NDArray[np.uint8]:
    """(n, length) every different run of so many symbols that some trace reads, in order."""
    inside = traces.tokens - length + 1
    if inside < 1:
        return np.zeros((0, length), np.uint8)
    runs = np.lib.stride_tricks.sliding_window_view(traces.x, length)
    trace = np.repeat(np.arange(len(traces)), traces.lengths)
    return np.unique(runs[trace[:inside] == trace[length - 1 :]], axis=0)
