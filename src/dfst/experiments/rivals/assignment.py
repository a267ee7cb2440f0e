"""What a learner is given, and what it must hand back: the same for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dfst.agents.agent import Agent
from dfst.evaluation.length import Subject
from dfst.learning.plan import Plan

OnProgress = Callable[[int, int, float], None]
"""Told (iteration, iterations, loss) now and then."""


@dataclass(frozen=True)
class Assignment:
    """One training: a task, a seed, a budget, and a folder to keep checkpoints in."""

    plan: Plan
    """The house's own plan for the task: its traces, its d, its recipe."""
    seed: int
    folder: Path
    device: Literal["cpu", "cuda"]
    iterations: int | None = None
    """Steps of training; None for the learner's own number."""
    seconds: float | None = None
    """Wall time of training; None for no limit. Whichever budget is spent first ends it."""
    progress: OnProgress | None = None
    parameters: int | None = None
    """About how many numbers a network may have; None for as many as the plan's DFST."""

    @property
    def agent(self) -> Agent:
        return self.plan.agent


@dataclass(frozen=True)
class Trained:
    """What came out: something that can be evaluated, and what it cost."""

    subject: Subject
    """Asked through `run_each(texts, limits, against)`, as every other subject is."""
    samples: int
    parameters: int
    iterations: int
    seconds: float
    loss: float | None
    settings: Mapping[str, Any] = field(default_factory=dict)


Train = Callable[[Assignment], Trained]
"""A learner."""
