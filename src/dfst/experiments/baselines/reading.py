"""Any causal reader as the subject of an evaluation: many runs at once, each compared with the expert's.

A run that is compared with an expert's stops at its first difference. Until then the grid is the expert's
grid, so the closed loop and a reading of the expert's trace are the same run, and the trace can be read in
blocks and in batches, which a network does thousands of times faster. Step by step, a reader is a control
unit like any other; tests hold both together.

Legend: n runs, T steps of a block.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import Agent
from dfst.world.grid import Limits
from dfst.world.run import Run
from dfst.world.trace import Trace
from dfst.world.unit import ClosedLoop, ControlUnit, difference

FIRST_BLOCK, LARGEST_BLOCK = 64, 1024
"""Steps read at a time, growing: most runs that fail do so early."""
AT_ONCE = 4
"""Inputs read side by side: their traces are all in memory."""


class Reader(Protocol):
    """A control unit that can read many histories at once, each a block at a time."""

    @property
    def context(self) -> int | None:
        """The longest history it can read; None for any."""

    def read(self, x: NDArray[np.uint8], state: Any) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Any]:
        """Symbols to write and motions (codes of `world.grid`) after each symbol of x (n, T), both (n, T).
        The third value is the state to go on with; at first it is None."""


class ReadingUnit(ControlUnit):
    """A reader of one agent's symbols as a control unit, and the subject of an evaluation."""

    def __init__(self, reader: Reader, agent: Agent, name: str) -> None:
        self.reader, self.agent, self.name = reader, agent, name
        self.alphabet, self.blank = agent.alphabet, agent.blank
        self._state: Any = None

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        return self.agent.encode(text)

    def reset(self) -> None:
        self._state = None

    def step(self, symbol: int) -> tuple[int, int]:
        s, m, self._state = self.reader.read(np.array([[symbol]], dtype=np.uint8), self._state)
        return int(s[0, 0]), int(m[0, 0])

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: ControlUnit | None = None
    ) -> Iterator[Run]:
        if against is None:
            yield from super().run_each(texts, limits)
            return
        for first in range(0, len(texts), AT_ONCE):
            began = time.perf_counter()
            traces = [against.trace(text, limits) for text in texts[first : first + AT_ONCE]]
            ends = self._read_along(traces)
            seconds = (time.perf_counter() - began) / len(traces)
            for trace, (end, action) in zip(traces, ends, strict=True):
                run = _left_at(against, trace, end, action, limits)
                yield replace(run, subject=self.name, seconds=seconds, margin=None, ended_in=None, unit=self)

    def _read_along(self, traces: list[Trace]) -> list[tuple[int, tuple[int, int] | None]]:
        """For each trace the step of the first difference and the action found there, or its end and None."""
        most = self.reader.context or max(map(len, traces))
        ends = np.array([min(len(trace), most) for trace in traces])
        x, s, m = np.zeros((3, len(traces), int(ends.max(initial=0))), dtype=np.uint8)
        for i, trace in enumerate(traces):
            x[i, : ends[i]], s[i, : ends[i]], m[i, : ends[i]] = (
                column[: ends[i]] for column in (trace.x, trace.s, trace.m)
            )
        actions: list[tuple[int, int] | None] = [None] * len(traces)
        at, size, state = 0, FIRST_BLOCK, None
        while at < ends.max(initial=0):
            here = slice(at, min(at + size, int(ends.max())))
            written, moved, state = self.reader.read(x[:, here], state)
            wrong = (written != s[:, here]) | (moved != m[:, here])
            wrong &= np.arange(here.start, here.stop) < ends[:, None]
            for i in np.flatnonzero(wrong.any(axis=1)).tolist():
                first = int(np.argmax(wrong[i]))
                ends[i], actions[i] = at + first, (int(written[i, first]), int(moved[i, first]))
            at, size = here.stop, min(2 * size, LARGEST_BLOCK)
        return list(zip(ends.tolist(), actions, strict=True))


def _left_at(
    expert: ControlUnit, trace: Trace, end: int, action: tuple[int, int] | None, limits: Limits
) -> Run:
    """The expert's run up to a step, where it was left by another action, or to its end."""
    text = trace.input
    run = expert.run(text, replace(limits, steps=end)) if end else ClosedLoop(expert, text).outcome()
    if action is None:
        return run
    parted = difference(expert, end, run.head, trace.x[end], (trace.s[end], trace.m[end]), action)
    return replace(run, halted=False, difference=parted)
