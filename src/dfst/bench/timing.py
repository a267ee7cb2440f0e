"""Timing several ways of doing the same work, on a machine that may be busy with other things.

The ways take turns, and the best turn of each counts.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from dfst.world.run import Run

Row = dict[str, Any]
"""One measured case: heading → value. `passes` says whether the bar was met, where there is one."""


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Inside, torch computes in so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def steps_a_second(ways: Mapping[str, Callable[[], Run | int]], repeats: int) -> dict[str, float]:
    """Of each way, in processor time on one core. A way returns its run, or the number of its steps."""
    best = dict.fromkeys(ways, 0.0)
    with torch_threads(1), torch.no_grad():
        for way in ways.values():
            way()
        for _ in range(repeats):
            for name, way in ways.items():
                began = time.thread_time()
                done = way()
                seconds = time.thread_time() - began
                best[name] = max(best[name], (done if isinstance(done, int) else done.steps) / seconds)
    return best


def judged(about: Row, speeds: Mapping[str, float], bar: float | None = None) -> Row:
    """A row: the steps a second of each way, and how many times as many the first takes as the last."""
    names = list(speeds)
    ratio = speeds[names[0]] / speeds[names[-1]]
    rounded = {name: round(speed) for name, speed in speeds.items()}
    return {**about, **rounded, f"over {names[-1]}": ratio, "bar": bar, "passes": ratio >= (bar or 0)}


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
                torch.cuda.synchronize()
            found.append(1e3 * (time.perf_counter() - began) / calls)
    return [min(found) if device == "cpu" else statistics.median(found) for found in times]
