"""A table at full speed: one compiled loop that follows any agent's rules on the tiled plane.
`world.unit.ClosedLoop` is the readable twin.

The loop waits on one chain of loads in each step: the cell, the rule found with it, the next cell. So a rule
carries everything the chain needs in two numbers side by side, and nothing is looked up by motion.

Packed rules, for Q states and Σ symbols: (2, Q·Σ) int64, the rule of (state, symbol) in column
state·Σ + symbol:
    row 0   bits 14…  column of the next state's first rule, or HALT or MISSING
            bits 11–13 motion shown · bits 8–10 motion made · bits 0–7 symbol written
    row 1   bits 32…  stride of the motion · bits 16–31 EDGE_MASK · bits 0–15 EDGE_AT
"""

import time
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.errors import MissingRule
from dfst.machines.ends import HALT, MISSING, End
from dfst.world.grid import Cell, Limits, S, first_cell
from dfst.world.run import Run
from dfst.world.tiles import AREA_BITS, EDGE_AT, EDGE_MASK, FULL, LOCAL, STRIDE, WRAP, TiledGrid, cross
from dfst.world.trace import Trace

Table = Any  # an `Agent`, whose file loads this one
CHUNK = 1 << 26  # steps a kernel takes before Python may look at the keyboard again
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


class CompiledWalk:
    """A compiled run under way. It can be stopped after any step, looked at, and continued."""

    def __init__(self, table: Table, text: str = "", limits: Limits = Limits()) -> None:
        symbols, start = table.encode(text)
        self.table, self.limits = table, limits
        self.grid = TiledGrid(table.blank, limits.cells)
        self.grid.lay(symbols, first_cell(symbols, start))
        self.halted = False
        self.stuck: MissingRule | None = None
        """The rule that was missing, of a table that rejects its input by being stuck."""
        self._progress = np.array([0, self.grid.position((0, 0)), 0, 0], dtype=np.int64)
        self._rules = pack(table)

    @property
    def state(self) -> int:
        """The state the next step starts in; after a halt, the one that halted."""
        return int(self._progress[0])

    @property
    def cell(self) -> Cell:
        return self.grid.cell(int(self._progress[1]))

    @property
    def steps(self) -> int:
        return int(self._progress[2])

    @property
    def end(self) -> End | None:
        """Where a halt has led to, where ends have names."""
        return self.table.end_of(self.state, int(self._progress[3])) if self.halted else None

    @property
    def over(self) -> bool:
        return self.halted or self.stuck is not None or self.steps >= self.limits.steps

    def interpret(self, budget: int, trail: NDArray[np.uint8] = NO_TRAIL) -> None:
        """Take up to `budget` steps; a trail holds one row for each of them."""
        began, symbols = self.steps, len(self.table.alphabet)
        end = min(began + budget, self.limits.steps)
        while self.steps < end and not self.over:
            rest, most = trail[self.steps - began :], min(end - self.steps, CHUNK)
            status = walk(*self.grid.arrays, self._rules, symbols, self._progress, most, rest)
            if status == HALTED:
                self.halted = True
            elif status == NEEDS_TILE:
                self.grid.grow(self.steps)
            elif status == NO_RULE:
                read = self.table.alphabet[self.grid.cells[self._progress[1]]]
                place = self.table.states[self.state], read, self.cell, self.steps
                gap = MissingRule(self.table.name, *place)
                if not self.table.stuck_rejects:
                    raise gap
                self.stuck = gap


def run(table: Table, text: str, limits: Limits = Limits()) -> Run:
    """Run a table at full speed, in memory that follows the tiles it visits."""
    began = time.perf_counter()
    walker = CompiledWalk(table, text, limits)
    walker.interpret(limits.steps)
    end = walker.end
    return Run(
        table.name, text, table.alphabet, walker.steps, walker.halted, walker.cell,
        time.perf_counter() - began, world=walker.grid,
        ended_in=table.states[walker.state] if end is None else end.name,
        accepted=False if walker.stuck else end.accepts if end else None,
        stuck=walker.stuck.gap if walker.stuck else None, unit=table,
    )  # fmt: skip


def record(table: Table, text: str, limits: Limits = Limits()) -> Trace:
    """The trace of a run, at table speed; a run out of steps gives the trace so far."""
    walker, trails = CompiledWalk(table, text, limits), []
    buffer = np.empty((1 << 12, 3), dtype=np.uint8)
    while not walker.over:
        before = walker.steps
        walker.interpret(len(buffer), buffer)
        trails.append(buffer[: walker.steps - before].copy())
        if len(buffer) < 1 << 22:
            buffer = np.empty((2 * len(buffer), 3), dtype=np.uint8)
    trail = np.concatenate(trails) if trails else NO_TRAIL
    x, s, m = (np.ascontiguousarray(trail[:, i]) for i in range(3))
    return Trace(table.name, text, table.alphabet, x, s, m)
