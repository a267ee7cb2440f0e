"""Running a grid agent: the readable interpreter, and the compiled one that is tested against it.

Both start with the input on row 0, its start cell at the origin, and stop on a rule that halts, at the
limit of steps, or with `MissingRule`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import MissingRule
from dfst.grid import Cell, Grid, Limits, moved
from dfst.run import Run
from dfst.tiles import EDGE_AT, EDGE_MASK, FULL, STRIDE, TiledGrid, cross
from dfst.trace import Trace

Observer = Callable[[int, Cell, int, int, int], None]
"""Called at each step with (state, cell, symbol read, symbol written, motion shown)."""

RUNNING, HALTED, NEEDS_TILE, NO_RULE = range(4)
CHUNK = 1 << 26
"""Steps a kernel takes before Python may look at the keyboard again."""


def run_reference(agent: Agent, text: str, limits: Limits = Limits(), observer: Observer | None = None) -> Run:
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
    return Run(
        agent.name, text, agent.alphabet, steps, halted, cell, time.perf_counter() - began, world=grid
    )


def pack(agent: Agent) -> NDArray[np.int64]:
    """(Q · Σ,) one number a rule: next state · 2¹⁶ + motion shown · 2¹¹ + motion made · 2⁸ + symbol written."""
    following = agent.next.astype(np.int64) << 16
    motions = (agent.action.astype(np.int64) << 11) | (agent.motion.astype(np.int64) << 8)
    return np.ascontiguousarray((following | motions | agent.write).ravel())


@njit(cache=True, nogil=True)
def walk(cells, links, corner, slots, count, rules, symbols, progress, budget, trail):
    """Follow packed rules until something ends the walk; say what did.

    progress: (3,) int64, state, position, steps taken so far; read and updated.
    trail: (n, 3) uint8, filled with (read, written, motion shown) from row 0 on; n = 0 records nothing.
    """
    state, position, steps = progress[0], progress[1], progress[2]
    recording = trail.shape[0] > 0
    end = steps + budget
    first = steps
    status = RUNNING
    while steps < end:
        read = cells[position]
        rule = rules[state * symbols + read]
        following = rule >> 16
        if following == MISSING:
            status = NO_RULE
            break
        motion = (rule >> 8) & 7
        if (position & EDGE_MASK[motion]) == EDGE_AT[motion]:
            target = cross(cells, links, corner, slots, count, position, motion)
            if target == FULL:
                status = NEEDS_TILE
                break
        else:
            target = position + STRIDE[motion]
        cells[position] = rule & 255
        if recording:
            trail[steps - first, 0] = read
            trail[steps - first, 1] = rule & 255
            trail[steps - first, 2] = (rule >> 11) & 7
        position = target
        steps += 1
        if following == HALT:
            status = HALTED
            break
        state = following
    progress[0], progress[1], progress[2] = state, position, steps
    return status


NO_TRAIL = np.zeros((0, 3), dtype=np.uint8)


def run_compiled(agent: Agent, text: str, limits: Limits = Limits()) -> Run:
    """Run an agent at table speed, in memory that follows the tiles it visits."""
    began = time.perf_counter()
    grid, progress, halted, _ = _walk_to_the_end(agent, text, limits, recording=False)
    return Run(
        agent.name,
        text,
        agent.alphabet,
        int(progress[2]),
        halted,
        grid.cell(int(progress[1])),
        time.perf_counter() - began,
        world=grid,
    )


def record(agent: Agent, text: str, limits: Limits = Limits()) -> Trace:
    """The trace of a run, at table speed; a run out of steps gives the trace so far."""
    *_, trails = _walk_to_the_end(agent, text, limits, recording=True)
    trail = np.concatenate(trails) if trails else NO_TRAIL
    x, s, m = (np.ascontiguousarray(trail[:, i]) for i in range(3))
    return Trace(agent.name, text, agent.alphabet, x, s, m)


def _walk_to_the_end(
    agent: Agent, text: str, limits: Limits, recording: bool
) -> tuple[TiledGrid, NDArray[np.int64], bool, list[NDArray[np.uint8]]]:
    symbols, start = agent.encode(text)
    grid = TiledGrid(agent.blank, limits.cells)
    grid.lay(symbols, (-start, 0))
    progress = np.array([0, grid.position((0, 0)), 0], dtype=np.int64)
    rules, trails = pack(agent), []
    buffer = np.empty((1 << 12, 3), dtype=np.uint8) if recording else NO_TRAIL
    while True:
        before = int(progress[2])
        budget = min(limits.steps - before, len(buffer) if recording else CHUNK)
        status = walk(*grid.arrays, rules, len(agent.alphabet), progress, budget, buffer)
        if recording:
            trails.append(buffer[: int(progress[2]) - before].copy())
            if len(buffer) < 1 << 22:
                buffer = np.empty((2 * len(buffer), 3), dtype=np.uint8)
        if status == NEEDS_TILE:
            grid.grow(int(progress[2]))
        elif status == NO_RULE:
            state, position, step = (int(v) for v in progress)
            read = int(grid.cells[position])
            raise MissingRule(agent.name, agent.states[state], agent.alphabet[read], grid.cell(position), step)
        elif status == HALTED or progress[2] >= limits.steps:
            return grid, progress, status == HALTED, trails
