"""Control units: whatever can sit behind the head, be it a table, a DFST or a neural network.

A control unit is told the symbol under the head and answers with a symbol to write and a motion. It knows
nothing of the grid. `drive` closes the loop, readably; faster loops exist for units whose inside is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dfst.world.grid import Cell, Grid, Limits, S, moved
from dfst.world.run import Run


class ControlUnit(Protocol):
    """`reset()`, then `step(symbol) → (symbol, motion)` until the motion is S."""

    @property
    def name(self) -> str: ...

    @property
    def alphabet(self) -> tuple[str, ...]: ...

    @property
    def blank(self) -> int: ...

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""

    def reset(self) -> None:
        """Forget everything; the next step is the first."""

    def step(self, symbol: int) -> tuple[int, int]:
        """The symbol to write and the motion to make."""


class Runner(Protocol):
    """Anything that works on an input from start to end: an agent, a DFST, a wrapped control unit."""

    def run(self, text: str, limits: Limits = ..., **options: Any) -> Run: ...


Watcher = Callable[[int, Cell, int, int, int], None]
"""Called at each step with (step, cell, symbol read, symbol written, motion)."""


def drive(unit: ControlUnit, text: str, limits: Limits = Limits(), watcher: Watcher | None = None) -> Run:
    """Let a control unit work on an input, one step at a time."""
    began = time.perf_counter()
    symbols, start = unit.encode(text)
    grid = Grid(unit.blank, limits.cells)
    grid.lay(symbols.tolist(), (-start, 0))
    unit.reset()
    cell, steps, halted = (0, 0), 0, False
    while steps < limits.steps and not halted:
        read = grid.read(cell)
        written, motion = unit.step(read)
        if watcher:
            watcher(steps, cell, read, written, motion)
        grid.write(cell, written, steps)
        cell, halted, steps = moved(cell, motion), motion == S, steps + 1
    return Run(unit.name, text, unit.alphabet, steps, halted, cell, time.perf_counter() - began, world=grid)
