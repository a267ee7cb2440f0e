"""The trace of any subject: an agent's at table speed, a model's by watching it act."""

from __future__ import annotations

import numpy as np

from dfst.agents.agent import Agent
from dfst.model.weights import Weights
from dfst.rollout.reference import DfstUnit
from dfst.world.grid import Cell, Limits
from dfst.world.trace import Trace
from dfst.world.unit import drive


def trace_of(subject: Agent | Weights, text: str, limits: Limits = Limits()) -> Trace:
    """What an onlooker sees while `subject` works on `text`."""
    if isinstance(subject, Agent):
        return subject.trace(text, limits)
    seen: list[tuple[int, int, int]] = []

    def watcher(step: int, cell: Cell, read: int, written: int, motion: int) -> None:
        seen.append((read, written, motion))

    drive(DfstUnit(subject), text, limits, watcher)
    columns = np.array(seen, dtype=np.uint8).reshape(-1, 3)
    x, s, m = (np.ascontiguousarray(columns[:, i]) for i in range(3))
    return Trace(subject.name, text, subject.alphabet, x, s, m)
