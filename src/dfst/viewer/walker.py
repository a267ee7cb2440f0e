"""A run that can be looked at between steps, for the terminal: readable, not fast.

One walker for machines and models; what they have inside shows as words (`inside`) and, for a model, as
numbers (`hidden`, `margins`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import MissingRule
from dfst.model.weights import Weights
from dfst.rollout.reference import in_order
from dfst.world.grid import Cell, Grid, Limits, S, moved


@dataclass(frozen=True)
class Action:
    """What one step did."""

    cell: Cell
    read: int
    written: int
    motion: int
    """As an onlooker sees it: S for a halt."""


class Walker:
    """A grid, a head and a control unit; `advance` takes one step."""

    def __init__(self, subject: Agent | Weights, text: str, limits: Limits = Limits()) -> None:
        symbols, start = subject.encode(text)
        self.subject = subject
        self.limits = limits
        self.grid = Grid(subject.blank, limits.cells)
        self.grid.lay(symbols.tolist(), (-start, 0))
        self.cell: Cell = (0, 0)
        self.box = (-start, 0, max(0, len(symbols) - 1 - start), 0)
        """left, bottom, right, top of the cells laid or visited; it only grows, so its view does not jump"""
        self.steps = 0
        self.halted = False
        self.last: Action | None = None
        self.margins: tuple[float, float] | None = None
        """A model's lead of the best over the second score, of symbol and motion, in the last step."""
        self._state = 0
        self._h = subject.h0.copy() if isinstance(subject, Weights) else None

    @property
    def over(self) -> bool:
        return self.halted or self.steps >= self.limits.steps

    @property
    def hidden(self) -> NDArray[Any] | None:
        """(d,) the hidden state of a model."""
        return self._h

    @property
    def inside(self) -> str:
        """The state of a machine by name; empty for a model."""
        return self.subject.states[self._state] if isinstance(self.subject, Agent) else ""

    def advance(self) -> bool:
        """One step; False if the run is over."""
        if self.over:
            return False
        read = self.grid.read(self.cell)
        step = self._follow_table if isinstance(self.subject, Agent) else self._follow_model
        written, shown, motion = step(read)
        self.last = Action(self.cell, read, written, shown)
        self.grid.write(self.cell, written, self.steps)
        self.cell = x, y = moved(self.cell, motion)
        left, bottom, right, top = self.box
        self.box = (min(left, x), min(bottom, y), max(right, x), max(top, y))
        self.halted = shown == S
        self.steps += 1
        return True

    def _follow_table(self, read: int) -> tuple[int, int, int]:
        agent, state = self.subject, self._state
        assert isinstance(agent, Agent)
        following = int(agent.next[state, read])
        if following == MISSING:
            raise MissingRule(agent.name, agent.states[state], agent.alphabet[read], self.cell, self.steps)
        if following != HALT:
            self._state = following
        return int(agent.write[state, read]), int(agent.action[state, read]), int(agent.motion[state, read])

    def _follow_model(self, read: int) -> tuple[int, int, int]:
        model, h = self.subject, self._h
        assert isinstance(model, Weights)
        assert h is not None
        symbols, motions = in_order(model.B[read], h), in_order(model.C[read], h)
        self.margins = (_lead(symbols), _lead(motions))
        self._h = in_order(model.A[read], h)
        motion = int(model.motion_codes()[np.argmax(motions)])
        return int(np.argmax(symbols)), motion, motion


def _lead(scores: NDArray[Any]) -> float:
    if scores.size < 2:
        return float("inf")
    second, first = np.partition(scores, -2)[-2:]
    return float(first - second)
