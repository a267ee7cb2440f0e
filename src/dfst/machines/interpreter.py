"""The table interpreter: one compiled loop that follows any agent's rules on the tiled plane.

The loop waits on one chain of loads in each step: the cell, the rule found with it, the next cell. So a rule
carries everything the chain needs in two numbers side by side, and nothing is looked up by motion.

Packed rules, for Q states and Σ symbols: (2, Q·Σ) int64, the rule of (state, symbol) in column
state·Σ + symbol:
    row 0   bits 14…  column of the next state's first rule, or HALT or MISSING
            bits 11–13 motion shown · bits 8–10 motion made · bits 0–7 symbol written
    row 1   bits 32…  stride of the motion · bits 16–31 EDGE_MASK · bits 0–15 EDGE_AT
"""

from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.machines.table import HALT, MISSING, Table
from dfst.world.grid import S
from dfst.world.tiles import AREA_BITS, EDGE_AT, EDGE_MASK, FULL, LOCAL, STRIDE, WRAP, cross

RUNNING, HALTED, NEEDS_TILE, NO_RULE = range(4)
"""Why a kernel came back: its budget is spent, a rule halted, the pool of tiles is full, no rule."""

NO_TRAIL: NDArray[np.uint8] = np.zeros((0, 3), dtype=np.uint8)


@lru_cache(maxsize=2)  # many short runs of one table
def pack(table: Table) -> NDArray[np.int64]:
    """(2, Q · Σ) the rules as `walk` reads them."""
    following = table.next.astype(np.int64)
    following = np.where(following >= 0, following * len(table.alphabet), following)
    # A missing rule must not move: crossing an edge for its sake would make a tile.
    made = np.where(table.next == MISSING, S, table.motion).astype(np.int64)
    what = (following << 14) | (table.action.astype(np.int64) << 11) | (made << 8) | table.write
    where = (STRIDE[made] << 32) | (EDGE_MASK[made] << 16) | EDGE_AT[made]
    return np.ascontiguousarray(np.stack([what.ravel(), where.ravel()]))


@njit(cache=True, nogil=True)
def walk(cells, links, corner, slots, count, rules, symbols, progress, budget, trail):
    """Follow packed rules until something ends the walk; say what did.

    progress: (4,) int64, state, position, steps taken so far, read and updated; the symbol read last.
    trail: (n, 3) uint8, filled with (read, written, motion shown) from row 0 on; n = 0 records nothing.
    """
    position, steps = progress[1], progress[2]
    # Unsigned indices spare numba's test for a negative one, three times a step.
    first_rule = np.uint64(progress[0] * symbols)
    recording = trail.shape[0] > 0
    end = steps + budget
    first = steps
    read = np.uint8(progress[3])
    status = RUNNING
    while steps < end:
        read = cells[np.uint64(position)]
        column = first_rule + np.uint64(read)
        what = rules[np.uint64(0), column]
        where = rules[np.uint64(1), column]
        target = position + (where >> 32)
        if (position & (where >> 16) & 0xFFFF) == (where & 0xFFFF):
            motion = (what >> 8) & 7
            # The link is followed here: a call to `cross` costs as much as twenty steps.
            neighbour = np.int64(links[np.uint64(position >> AREA_BITS), np.uint64(motion)])
            if neighbour >= 0:
                target = (neighbour << AREA_BITS) + (position & LOCAL) + WRAP[motion]
            else:
                target = cross(cells, links, corner, slots, count, position, motion)
                if target == FULL:
                    status = NEEDS_TILE
                    break
        following = what >> 14
        if following == MISSING:
            status = NO_RULE
            break
        cells[np.uint64(position)] = what & 255
        if recording:
            trail[steps - first, 0] = read
            trail[steps - first, 1] = what & 255
            trail[steps - first, 2] = (what >> 11) & 7
        position = target
        steps += 1
        if following == HALT:
            status = HALTED
            break
        first_rule = np.uint64(following)
    progress[0], progress[1], progress[2] = np.int64(first_rule) // symbols, position, steps
    progress[3] = read
    return status
