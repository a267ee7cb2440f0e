"""Whether recorded steps agree, a step at a time in plain Python: the twin of dfst.traces.consistent."""

from __future__ import annotations

from dataclasses import replace

from dfst.traces.consistent import Laid
from dfst.traces.traceset import TraceSet
from dfst.world.grid import Cell, moved
from dfst.world.trace import UNKNOWN, Trace


def on_the_plane(trace: Trace, laid: Laid | None, blank: int) -> Trace | int:
    """The trace, with what the plane says of its unknown symbols; the first step where it says otherwise."""
    x, s, m = trace.x.copy(), trace.s.copy(), trace.m
    cells: dict[Cell, int] = {}
    if laid is not None:
        symbols, (left, top) = laid
        cells = {(left + c, top - r): int(k) for r, row in enumerate(symbols) for c, k in enumerate(row)}
    cell = (0, 0)
    written: dict[Cell, int] = {}
    for t in range(len(x)):
        before = written.get(cell)
        at_first = UNKNOWN if laid is None else cells.get(cell, blank)
        there = at_first if before is None else int(s[before])
        if x[t] == UNKNOWN:
            x[t] = there
        elif there == UNKNOWN and before is not None:
            s[before] = x[t]
        elif there not in (UNKNOWN, x[t]):
            return t
        written[cell] = t
        if m[t] == UNKNOWN:
            break
        cell = moved(cell, int(m[t]))
    return replace(trace, x=x, s=s)


def contradictions(traces: TraceSet) -> tuple[int, int, int, int]:
    """How many steps contradict an earlier trace; of the first such: both traces and the step."""
    answers: dict[tuple[int, int], tuple[int, int, int]] = {}
    followers: dict[tuple[int, int], int] = {}
    count, first = 0, (-1, len(traces), 0)
    for i in range(len(traces)):
        trace, node = traces[i], 0
        for t, (x, s, m) in enumerate(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True)):
            before = answers.setdefault((node, x), (s, m, i)) if m != UNKNOWN else (s, m, i)
            if before[:2] != (s, m):
                first = (before[2], i, t) if not count else first
                count += 1
            node = followers.setdefault((node, x), len(followers) + 1)
    return count, *first
