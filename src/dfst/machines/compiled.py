"""A table at full speed, in the compiled interpreter. `world.unit.ClosedLoop` is the readable twin."""

import time

import numpy as np
from numpy.typing import NDArray

from dfst.errors import MissingRule
from dfst.machines.ends import End
from dfst.machines.interpreter import HALTED, NEEDS_TILE, NO_RULE, NO_TRAIL, pack, walk
from dfst.machines.table import Table
from dfst.world.grid import Cell, Limits, first_cell
from dfst.world.run import Run
from dfst.world.tiles import TiledGrid
from dfst.world.trace import Trace

CHUNK = 1 << 26  # steps a kernel takes before Python may look at the keyboard again


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
