"""Timing ways of doing the same side by side, on a machine that may be busy with other things.

The ways are timed in turns, in processor time, and the best turn of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from dfst.world.run import Run

Row = dict[str, Any]
"""What one case came to: heading → value; `passes` tells whether the bar was met, where there is one."""


def in_turns(ways: Sequence[Callable[[], Run | int]], repeats: int) -> list[float]:
    """Steps a second of each way, in its best turn."""
    best = [0.0] * len(ways)
    for way in ways:
        way()
    for _ in range(repeats):
        for i, way in enumerate(ways):
            began = time.thread_time()
            done = way()
            seconds = time.thread_time() - began
            best[i] = max(best[i], (done if isinstance(done, int) else done.steps) / seconds)
    return best
