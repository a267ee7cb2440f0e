"""What a learner is given, and what it must hand back: the same for all of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dfst.evaluation.evaluate import Subject
from dfst.machines.agent import Agent
from dfst.states.follow import HiddenStates
from dfst.traces.traceset import TraceSet
from dfst.train.config import RunConfig
from dfst.train.learnt import Learnt
from dfst.train.progress import Narrator, Progress
from dfst.train.runfolder import RunFolder

FEWEST = 1000
"""A network may have so many parameters where the DFST has fewer: on parity it has 62, too few for others."""


@dataclass(frozen=True)
class Assignment:
    """One training: a task, a seed, and a folder to work in."""

    plan: RunConfig
    """The problem, and our own recipe for it, whose steps are a network's too"""
    seed: int
    folder: Path
    device: Literal["cpu", "cuda"]
    narrator: Narrator = field(default_factory=Narrator)

    @property
    def agent(self) -> Agent:
        return self.plan.problem.agent

    @property
    def parameters(self) -> int:
        """About how many numbers a network may have: as many as the DFST, or FEWEST."""
        return max(FEWEST, self.plan.shape(self.traces).size)

    @cached_property
    def traces(self) -> TraceSet:
        """The training set."""
        return self.plan.problem.training_set().traces

    def tell(self, iteration: int, iterations: int, loss: float) -> None:
        """How far the training is; kept in the folder, too."""
        losses = np.array([loss if math.isfinite(loss) else np.nan])
        progress = Progress(iteration, iterations, 0.0, losses, 0.0, None, 0, [])
        RunFolder(self.folder).append_metrics(progress.as_json())
        self.narrator.progress(progress)


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
    hidden: HiddenStates | None = None
    """Its recurrence, where it has one: what is merged into an automaton (`comparison/measure.py`)"""
    machine: Agent | None = None
    """The automaton itself, of a learner that learns one"""
    learnt: Learnt | None = None
    """Of a DFST, all that came out"""

    @property
    def finite_loss(self) -> float | None:
        return self.loss if self.loss is not None and math.isfinite(self.loss) else None


Train = Callable[[Assignment], Trained]
"""A learner."""


def trained_machine(machine: Agent, assignment: Assignment, began: float, **settings: object) -> Trained:
    """What a learner hands back that makes a machine of the traces, and takes no steps. began: when"""
    rules, seconds = machine.rule_count, time.monotonic() - began
    told = {"states": len(machine.states), "rules": rules, **settings}
    return Trained(machine, len(assignment.traces), rules, 0, seconds, None, told, machine=machine)
