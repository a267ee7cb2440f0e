"""Whether recorded steps agree: with the plane that they were taken on, and with each other.

A symbol that nobody saw is known as long as all motions before it are: the input, or the last step on a cell,
has put it there. What was written is known once the head comes back to read it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.errors import InputError
from dfst.tasks.task import short
from dfst.traces.traceset import TraceSet
from dfst.world.grid import MOTION_NAMES, OFFSETS, Cell
from dfst.world.trace import UNKNOWN, Trace

Laid = tuple[NDArray[np.uint8], Cell]  # an input on the plane: its symbols in rows, and the cell of the first
NOTHING_LAID: Laid = np.zeros((0, 0), dtype=np.uint8), (0, 0)
MOVES = np.array(OFFSETS, dtype=np.int64)


def on_the_plane(trace: Trace, laid: Laid | None, blank: int, where: str) -> Trace:
    """The trace, with what the plane says of its unknown symbols; refused where it says otherwise. laid: the
    input on the plane; None where it is not known"""
    x, s, m = trace.x.copy(), trace.s.copy(), trace.m
    symbols, first = laid or NOTHING_LAID
    t, before, left, *cell = _follow(x, s, m, symbols, *first, blank if laid else UNKNOWN, MOVES)
    if t < 0:
        return replace(trace, x=x, s=s)
    found, there = trace.alphabet[x[t]], trace.alphabet[left]
    if before < 0:
        at = f"the cell x={cell[0]}, y={cell[1]}, where the input {short(trace.input)} has {there}"
        raise InputError(f"{where}: step {t} finds {found} on {at}; correct one of them")
    told = f"step {t} reads {found} on a cell where step {before} wrote {there}"
    raise InputError(f"{where}: {told}; correct what was read, written or moved")


@njit(cache=True, nogil=True)
def _follow(x, s, m, symbols, first_x, first_y, blank, moves):
    """Fill in what the plane says; the first step that it contradicts, or -1, and what it finds there. The
    last step on each cell is kept in a hash table."""
    size = 4
    while size < 2 * len(x):
        size *= 2
    last = np.zeros(size, dtype=np.int32)  # one more than the step, 0 for none
    places = np.empty((len(x), 2), dtype=np.int32)
    here_x = here_y = 0
    for t in range(len(x)):
        mixed = (here_x * 0x9E3779B1 + here_y * 0x85EBCA77) & 0xFFFFFFFF
        slot = (mixed ^ (mixed >> 15)) & (size - 1)
        while last[slot] and (places[last[slot] - 1, 0] != here_x or places[last[slot] - 1, 1] != here_y):
            slot = (slot + 1) & (size - 1)
        before = last[slot] - 1
        row, column = first_y - here_y, here_x - first_x
        if before >= 0:
            left = s[before]
        elif 0 <= row < symbols.shape[0] and 0 <= column < symbols.shape[1]:
            left = symbols[row, column]
        else:
            left = np.uint8(blank)
        if x[t] == UNKNOWN:
            x[t] = left
        elif left == UNKNOWN and before >= 0:
            s[before] = x[t]
        elif left != UNKNOWN and left != x[t]:
            return t, before, left, here_x, here_y
        last[slot] = t + 1
        places[t, 0], places[t, 1] = here_x, here_y
        if m[t] == UNKNOWN:
            break
        here_x += moves[m[t], 0]
        here_y += moves[m[t], 1]
    return -1, -1, np.uint8(0), 0, 0


def check_agreement(traces: TraceSet, lines: Sequence[int], path: str) -> None:
    """Refuse two traces that read the same symbols and then act differently: no machine does both. In the
    order of what they read, those that begin alike stand together."""
    x, s, m, start = traces.x, traces.s, traces.m, traces.start
    order = sorted(range(len(traces)), key=lambda i: x[start[i] : start[i + 1]].tobytes())
    longest = int(traces.lengths.max())
    count, one, two, t = _contradictions(x, s, m, start, np.array(order, dtype=np.int64), longest)
    if count:
        answers = (f"{traces.alphabet[s[start[i] + t]]} {MOTION_NAMES[m[start[i] + t]]}" for i in (one, two))
        many = "" if count == 1 else f" ({counted(count, 'step')} contradict earlier ones)"
        raise InputError(
            f"{path}: lines {lines[one]} and {lines[two]} contradict each other: after the same symbols, "
            f"step {t} reads {traces.alphabet[x[start[two] + t]]} and does {next(answers)} in one, "
            f"{next(answers)} in the other{many}; correct them, or learn with --allow-errors"
        )


@njit(cache=True, nogil=True)
def _contradictions(x, s, m, start, order, longest):
    """How many steps contradict the first trace that began alike; of the first such: both traces, the step.

    Steps that follow the same symbols are numbered alike: the first walk finds the first trace of each
    number that answers, the second compares.
    """
    first = np.full(len(x), len(order), dtype=np.int32)
    path = np.empty(longest, dtype=np.int64)
    count, one, two, step = 0, -1, len(order), 0
    for comparing in (False, True):
        numbers, before, before_end = 0, 0, 0
        for i in order:
            alike = True
            for t in range(start[i + 1] - start[i]):
                here = start[i] + t
                alike = alike and before + t < before_end and x[before + t] == x[here]
                if not alike:
                    path[t] = numbers
                    numbers += 1
                if m[here] == UNKNOWN:
                    continue
                answering = first[path[t]]
                if not comparing:
                    first[path[t]] = min(answering, i)
                elif s[start[answering] + t] != s[here] or m[start[answering] + t] != m[here]:
                    count += 1
                    if i < two:
                        one, two, step = answering, i, t
            before, before_end = start[i], start[i + 1]
    return count, one, two, step


def as_far_as_read(trace: Trace) -> Trace:
    """The steps before the first symbol that is not known; half an action counts as none."""
    if max(trace.x.max(), trace.s.max(), trace.m.max()) < UNKNOWN:
        return trace
    end = int(np.argmax(trace.x == UNKNOWN)) if (trace.x == UNKNOWN).any() else len(trace)
    open_steps = (trace.s == UNKNOWN) | (trace.m == UNKNOWN)
    s, m = (np.where(open_steps, UNKNOWN, column).astype(np.uint8) for column in (trace.s, trace.m))
    return replace(trace, x=trace.x[:end], s=s[:end], m=m[:end])
