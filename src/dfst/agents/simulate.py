"""Running a grid agent: the readable interpreter, and the compiled ways that are tested against it.

All start with the input on row 0, its start cell at the origin, and stop on a rule that halts, at the
limit of steps, or with `MissingRule`. A compiled run begins in the table interpreter and goes on, from
the very step it has reached, in a kernel generated for its machine once the run has proved long enough to
repay the compilation.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.agents.interpreter import HALTED, NEEDS_TILE, NO_RULE, NO_TRAIL, RUNNING, pack, walk
from dfst.errors import MissingRule
from dfst.world.grid import Cell, Grid, Limits, moved
from dfst.world.run import Run
from dfst.world.tiles import TiledGrid
from dfst.world.trace import Trace

__all__ = [
    "CHUNK",
    "HALTED",
    "NEEDS_TILE",
    "NO_RULE",
    "NO_TRAIL",
    "RUNNING",
    "Observer",
    "Walker",
    "pack",
    "record",
    "run_compiled",
    "run_reference",
    "walk",
]

Observer = Callable[[int, Cell, int, int, int], None]
"""Called at each step with (state, cell, symbol read, symbol written, motion shown)."""

CHUNK = 1 << 26
"""Steps a kernel takes before Python may look at the keyboard again."""

GENERATE_AFTER = 20_000_000
STEPS_TO_COMPILE_A_RULE = 400_000
"""Interpreted steps that take about as long as compiling one rule."""


def run_reference(
    agent: Agent, text: str, limits: Limits = Limits(), observer: Observer | None = None
) -> Run:
    """Run an agent one rule at a time, in plain Python."""
    began = time.perf_counter()
    symbols, start = agent.encode(text)
    grid = Grid(agent.blank, limits.cells)
    grid.lay(symbols.tolist(), (-start, 0))
    cell, state, steps, halted = (0, 0), 0, 0, False
    while steps < limits.steps and not halted:
        read = grid.read(cell)
        following = int(agent.next[state, read])
        if following == MISSING:
            raise MissingRule(agent.name, agent.states[state], agent.alphabet[read], cell, steps)
        written = int(agent.write[state, read])
        if observer:
            observer(state, cell, read, written, int(agent.action[state, read]))
        grid.write(cell, written, steps)
        cell = moved(cell, int(agent.motion[state, read]))
        halted, state, steps = following == HALT, following, steps + 1
    return Run(agent.name, text, agent.alphabet, steps, halted, cell, time.perf_counter() - began, world=grid)


class Walker:
    """A compiled run under way. It can be stopped after any step, looked at, and continued."""

    def __init__(self, agent: Agent, text: str = "", limits: Limits = Limits()) -> None:
        symbols, start = agent.encode(text)
        self.agent, self.limits = agent, limits
        self.grid = TiledGrid(agent.blank, limits.cells)
        self.grid.lay(symbols, (-start, 0))
        self.halted = False
        self._progress = np.array([0, self.grid.position((0, 0)), 0], dtype=np.int64)
        self._rules = pack(agent)

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
    def over(self) -> bool:
        return self.halted or self.steps >= self.limits.steps

    def interpret(self, budget: int, trail: NDArray[np.uint8] = NO_TRAIL) -> None:
        """Take up to `budget` steps in the table interpreter; a trail holds one row for each of them."""
        began, symbols = self.steps, len(self.agent.alphabet)

        def kernel(budget: int) -> int:
            rest = trail[self.steps - began :]
            return walk(*self.grid.arrays, self._rules, symbols, self._progress, budget, rest)

        self._advance(budget, kernel)

    def generate(self, budget: int) -> None:
        """Take up to `budget` steps in the kernel generated for this machine, compiling it on first use."""
        from dfst.agents.generated import drive, kernel_for

        address, symbols = kernel_for(self.agent).address, len(self.agent.alphabet)

        def kernel(budget: int) -> int:
            return drive(address, *self.grid.arrays, self._rules, symbols, self._progress, budget, NO_TRAIL)

        self._advance(budget, kernel)

    def _advance(self, budget: int, kernel: Callable[[int], int]) -> None:
        end = min(self.steps + budget, self.limits.steps)
        while self.steps < end and not self.halted:
            status = kernel(min(end - self.steps, CHUNK))
            if status == HALTED:
                self.halted = True
            elif status == NEEDS_TILE:
                self.grid.grow(self.steps)
            elif status == NO_RULE:
                read = self.agent.alphabet[self.grid.cells[self._progress[1]]]
                raise MissingRule(self.agent.name, self.agent.states[self.state], read, self.cell, self.steps)


def run_compiled(
    agent: Agent, text: str, limits: Limits = Limits(), generate_after: int | None = None
) -> Run:
    """Run an agent at full speed, in memory that follows the tiles it visits.

    `generate_after`: steps in the interpreter before a kernel is generated; by default as many as take
    the time its compilation will, so that a run never lasts more than about twice the better choice.
    """
    began = time.perf_counter()
    if generate_after is None:
        generate_after = max(GENERATE_AFTER, STEPS_TO_COMPILE_A_RULE * agent.rule_count)
    run = Walker(agent, text, limits)
    while not run.over:
        if run.steps < generate_after:
            run.interpret(generate_after - run.steps)
        else:
            run.generate(CHUNK)
    return Run(
        agent.name,
        text,
        agent.alphabet,
        run.steps,
        run.halted,
        run.cell,
        time.perf_counter() - began,
        world=run.grid,
        unit=agent,
    )


def record(agent: Agent, text: str, limits: Limits = Limits()) -> Trace:
    """The trace of a run, at table speed; a run out of steps gives the trace so far."""
    run, trails = Walker(agent, text, limits), []
    buffer = np.empty((1 << 12, 3), dtype=np.uint8)
    while not run.over:
        before = run.steps
        run.interpret(len(buffer), buffer)
        trails.append(buffer[: run.steps - before].copy())
        if len(buffer) < 1 << 22:
            buffer = np.empty((2 * len(buffer), 3), dtype=np.uint8)
    trail = np.concatenate(trails) if trails else NO_TRAIL
    x, s, m = (np.ascontiguousarray(trail[:, i]) for i in range(3))
    return Trace(agent.name, text, agent.alphabet, x, s, m)
