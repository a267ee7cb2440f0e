"""Timing several ways of doing the same work, on a machine that may be busy with other things.

The ways take turns, and the best turn of each counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from dfst.world.run import Run

Row = dict[str, Any]
"""One measured case: heading → value. `passes` says whether the bar was met, where there is one."""


def steps_a_second(ways: Sequence[Callable[[], Run | int]], repeats: int) -> list[float]:
    """Of each way, in processor time. A way returns its run, or the number of its steps."""
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


def milliseconds(
    ways: Sequence[tuple[Callable[[], object], int]], repeats: int, device: str = "cpu"
) -> list[float]:
    """Of one call of each (way, calls in a turn), in wall time: the least on a CPU, the median on a GPU."""
    times: list[list[float]] = [[] for _ in ways]
    for way, _ in ways:
        way()
    for _ in range(repeats):
        for (way, calls), found in zip(ways, times, strict=True):
            began = time.perf_counter()
            for _ in range(calls):
                way()
            if device == "cuda":
                import torch

                torch.cuda.synchronize()
            found.append(1e3 * (time.perf_counter() - began) / calls)
    return [min(found) if device == "cpu" else statistics.median(found) for found in times]
