"""Whether recorded steps agree: with the plane that they were taken on, and with each other.

What is on a cell, the input or the last step there has put there. So a symbol that nobody saw is known as
long as all motions before it are, and what was written is known once the head comes back to read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError
from dfst.tasks.task import short
from dfst.world.grid import MOTION_NAMES, Cell, moved
from dfst.world.trace import UNKNOWN, Trace


def on_the_plane(trace: Trace, laid: dict[Cell, int] | None, blank: int, where: str) -> Trace:
    """The trace, with what the plane says of its unknown symbols; refused where it says otherwise.

    laid: the cells of the input; None where they are not known
    """
    x, s, m = trace.x.copy(), trace.s.copy(), trace.m.copy()
    cell = (0, 0)
    written: dict[Cell, int] = {}
    for t in range(len(x)):
        before = written.get(cell)
        at_first = UNKNOWN if laid is None else laid.get(cell, blank)
        left = at_first if before is None else int(s[before])
        if x[t] == UNKNOWN:
            x[t] = left
        elif left == UNKNOWN and before is not None:
            s[before] = x[t]
        elif left not in (UNKNOWN, x[t]):
            raise InputError(f"{where}: {_disagreement(trace, t, before, left, cell)}")
        written[cell] = t
        if m[t] == UNKNOWN:
            break
        cell = moved(cell, int(m[t]))
    return replace(trace, x=x, s=s, m=m)


def _disagreement(trace: Trace, t: int, before: int | None, left: int, cell: Cell) -> str:
    found, there = trace.alphabet[trace.x[t]], trace.alphabet[left]
    if before is None:
        at = f"the cell x={cell[0]}, y={cell[1]}, where the input {short(trace.input)} has {there}"
        return f"step {t} finds {found} on {at}; correct one of them"
    told = f"step {t} reads {found} on a cell where step {before} wrote {there}"
    return f"{told}; correct what was read, written or moved"


def check_agreement(traces: Sequence[Trace], lines: Sequence[int], path: str) -> None:
    """Refuse two traces that read the same symbols and then act differently: no machine does both."""
    answers: dict[tuple[int, int], tuple[int, int, int]] = {}
    followers: dict[tuple[int, int], int] = {}
    first, count = "", 0
    for line, trace in zip(lines, traces, strict=True):
        node = 0
        for t, (x, s, m) in enumerate(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True)):
            before = answers.setdefault((node, x), (s, m, line)) if m != UNKNOWN else (s, m, line)
            if before[:2] != (s, m):
                one, two = (f"{trace.alphabet[w]} {MOTION_NAMES[v]}" for w, v in (before[:2], (s, m)))
                count += 1
                first = first or (
                    f"lines {before[2]} and {line} contradict each other: after the same symbols, step {t} "
                    f"reads {trace.alphabet[x]} and does {one} in one, {two} in the other"
                )
            node = followers.setdefault((node, x), len(followers) + 1)
    if count:
        many = "" if count == 1 else f" ({counted(count, 'step')} contradict earlier ones)"
        raise InputError(f"{path}: {first}{many}; correct them, or learn with --allow-errors")


def as_far_as_read(trace: Trace) -> Trace:
    """The steps before the first symbol that is not known; half an action counts as none."""
    end = int(np.argmax(trace.x == UNKNOWN)) if (trace.x == UNKNOWN).any() else len(trace)
    open_steps = (trace.s == UNKNOWN) | (trace.m == UNKNOWN)
    s, m = (np.where(open_steps, UNKNOWN, column).astype(np.uint8) for column in (trace.s, trace.m))
    return replace(trace, x=trace.x[:end], s=s[:end], m=m[:end])
