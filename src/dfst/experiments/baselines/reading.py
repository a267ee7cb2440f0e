"""Any causal reader as the subject of an evaluation: many runs at once, each compared with the expert's.

A run that is compared with an expert's stops at its first difference. Until then every symbol written and
every motion is the expert's, so the grid is the expert's grid and what the head reads next is what the
expert's head reads. The closed loop and a reading of the expert's trace are therefore the same run, and the
trace can be read in blocks and in batches, which a network does thousands of times faster than step by step.
Step by step, a reader is a control unit like any other; tests hold both together.

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
from dfst.world.grid import MOTION_NAMES, Limits
from dfst.world.run import Difference, Run
from dfst.world.trace import Trace
from dfst.world.unit import ClosedLoop, ControlUnit

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

        The third value is the state to go on with; at first it is None.
        """


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
            yield from self._run_along(texts[first : first + AT_ONCE], limits, against)

    def _run_along(self, texts: Sequence[str], limits: Limits, against: ControlUnit) -> list[Run]:
        began = time.perf_counter()
        traces = [against.trace(text, limits) for text in texts]
        ends, found = self._read_along(traces)
        seconds = (time.perf_counter() - began) / max(1, len(texts))
        return [
            self._run(against, trace, int(end), action, limits, seconds)
            for trace, end, action in zip(traces, ends, found, strict=True)
        ]

    def _read_along(self, traces: list[Trace]) -> tuple[NDArray[np.int64], list[tuple[int, int] | None]]:
        """For each trace the step of the first difference and the action found there, or its end and None."""
        most = np.array([len(trace) for trace in traces], dtype=np.int64)
        if self.reader.context is not None:
            most = np.minimum(most, self.reader.context)
        ends = most.copy()
        found: list[tuple[int, int] | None] = [None] * len(traces)
        open_runs = set(range(len(traces)))
        state: Any = None
        at, size = 0, FIRST_BLOCK
        while open_runs:
            size = min(size, int(max(most[i] for i in open_runs)) - at)
            if size <= 0:
                break
            x = np.zeros((len(traces), size), dtype=np.uint8)
            for i in open_runs:
                piece = traces[i].x[at : at + size]
                x[i, : len(piece)] = piece
            s, m, state = self.reader.read(x, state)
            for i in sorted(open_runs):
                here = slice(at, min(at + size, int(most[i])))
                count = here.stop - here.start
                wrong = (s[i, :count] != traces[i].s[here]) | (m[i, :count] != traces[i].m[here])
                if wrong.any():
                    first = int(np.argmax(wrong))
                    ends[i], found[i] = at + first, (int(s[i, first]), int(m[i, first]))
                if wrong.any() or here.stop == most[i]:
                    open_runs.discard(i)
            at, size = at + size, min(2 * size, LARGEST_BLOCK)
        return ends, found

    def _run(
        self,
        expert: ControlUnit,
        trace: Trace,
        end: int,
        action: tuple[int, int] | None,
        limits: Limits,
        seconds: float,
    ) -> Run:
        """The expert's run up to where this one left it, or to its end."""
        text = trace.input
        shared = expert.run(text, replace(limits, steps=end)) if end else ClosedLoop(expert, text).outcome()
        difference = None
        if action is not None:
            difference = Difference(
                end,
                shared.head,
                expert.alphabet[trace.x[end]],
                (expert.alphabet[trace.s[end]], MOTION_NAMES[trace.m[end]]),
                (expert.alphabet[action[0]], MOTION_NAMES[action[1]]),
            )
        return replace(
            shared,
            subject=self.name,
            halted=shared.halted and difference is None,
            seconds=seconds,
            margin=None,
            difference=difference,
            ended_in=None,
            unit=self,
        )
