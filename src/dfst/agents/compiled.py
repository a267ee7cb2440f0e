"""A table at full speed: the interpreter first, then a kernel generated for this very machine.

A run begins in the table interpreter and goes on, from the step it has reached, in a generated kernel once
it has proved long enough to repay the compilation. `world.unit.ClosedLoop` is the readable twin.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dfst.agents.ends import End
from dfst.agents.interpreter import HALTED, NEEDS_TILE, NO_RULE, NO_TRAIL, pack, walk
from dfst.agents.table import Table
from dfst.errors import MissingRule
from dfst.world.grid import Cell, Limits
from dfst.world.run import Run
from dfst.world.tiles import TiledGrid
from dfst.world.trace import Trace

CHUNK = 1 << 26
"""Steps a kernel takes before Python may look at the keyboard again."""

GENERATE_AFTER = 20_000_000
STEPS_TO_COMPILE_A_RULE = 400_000
"""Interpreted steps that take about as long as compiling one rule."""


class CompiledWalk:
    """A compiled run under way. It can be stopped after any step, looked at, and continued."""

    def __init__(self, table: Table, text: str = "", limits: Limits = Limits()) -> None:
        symbols, start = table.encode(text)
        self.table, self.limits = table, limits
        self.grid = TiledGrid(table.blank, limits.cells)
        self.grid.lay(symbols, (-start, 0))
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
        """Take up to `budget` steps in the table interpreter; a trail holds one row for each of them."""
        began, symbols = self.steps, len(self.table.alphabet)

        def kernel(budget: int) -> int:
            rest = trail[self.steps - began :]
            return walk(*self.grid.arrays, self._rules, symbols, self._progress, budget, rest)

        self._advance(budget, kernel)

    def generate(self, budget: int) -> None:
        """Take up to `budget` steps in the kernel generated for this machine, compiling it on first use."""
        from dfst.agents.generated import kernel_for, walk_generated

        address, symbols = kernel_for(self.table).address, len(self.table.alphabet)

        def kernel(budget: int) -> int:
            return walk_generated(
                address, *self.grid.arrays, self._rules, symbols, self._progress, budget, NO_TRAIL
            )

        self._advance(budget, kernel)

    def _advance(self, budget: int, kernel: Callable[[int], int]) -> None:
        end = min(self.steps + budget, self.limits.steps)
        while self.steps < end and not self.over:
            status = kernel(min(end - self.steps, CHUNK))
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


def run(table: Table, text: str, limits: Limits = Limits(), generate_after: int | None = None) -> Run:
    """Run a table at full speed, in memory that follows the tiles it visits.

    `generate_after`: steps in the interpreter before a kernel is generated; by default as many as take
    the time its compilation will, so that a run never lasts more than about twice the better choice.
    """
    began = time.perf_counter()
    if generate_after is None:
        generate_after = max(GENERATE_AFTER, STEPS_TO_COMPILE_A_RULE * table.rule_count)
    walker = CompiledWalk(table, text, limits)
    while not walker.over:
        if walker.steps < generate_after:
            walker.interpret(generate_after - walker.steps)
        else:
            walker.generate(CHUNK)
    end = walker.end
    return Run(
        table.name,
        text,
        table.alphabet,
        walker.steps,
        walker.halted,
        walker.cell,
        time.perf_counter() - began,
        world=walker.grid,
        ended_in=table.states[walker.state] if end is None else end.name,
        accepted=False if walker.stuck else end.accepts if end else None,
        stuck=walker.stuck.gap if walker.stuck else None,
        unit=table,
    )


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
