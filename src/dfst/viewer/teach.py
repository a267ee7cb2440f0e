"""Teaching by hand: what worked examples show, and one training on exactly these, watched from the page.

The page sends its examples as a trace file (docs/traces.md). They are few, so none is held out. The smallest
machine that explains them is the picture of what has been shown. `learn` is what learns; it can be stopped at
every logging point.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from dfst.agents.agent import Agent
from dfst.errors import DfstError
from dfst.learning.learn import learn
from dfst.learning.learnt import Learnt
from dfst.learning.plan import plan_recording
from dfst.learning.progress import Narrator, Progress
from dfst.model.weights import Weights
from dfst.states.fewest import smallest_machine
from dfst.traces.coverage import rule_coverage
from dfst.traces.recording import Recording, parse_recording
from dfst.traces.traceset import TraceSet

ORIGIN = "the examples"
"""What complaints about them call them."""
FEW: dict[str, Any] = {"iterations": 8_000, "rate": 0.01, "seeds": 3}
"""A handful of examples is learnt in seconds: add2's rate, and as long as a machine of a few states needs."""


def read_examples(text: str) -> Recording:
    """The examples of the page, checked; the learner is shown all of them."""
    return parse_recording(text, ORIGIN, "by hand", hold_out=False)


def describe_shown(recording: Recording) -> dict[str, Any]:
    """What the examples show, as rules of the smallest machine found that explains them."""
    machine = smallest_machine(recording)
    return {"machine": None} if machine is None else rules_shown(machine, recording.traces)


def rules_shown(machine: Agent, traces: TraceSet) -> dict[str, Any]:
    """A machine for the page, and how often the traces use each of its rules; they must be runs of it."""
    return {
        "machine": {
            "states": list(machine.states),
            "alphabet": list(machine.alphabet),
            "blank": machine.blank,
            "write": machine.write.ravel().tolist(),
            "motion": machine.motion.ravel().tolist(),
            "next": machine.next.ravel().tolist(),
            "uses": rule_coverage(machine, traces).uses.ravel().tolist(),
        }
    }


class Stopped(Exception):
    """The person at the page does not want to wait for the end."""


@dataclass
class Training(Narrator):
    """One training as it goes on: told by `learn`, asked by the page."""

    phase: str = "learning"
    """learning, done, failed or stopped"""
    said: str = ""
    iterations: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)
    """(iteration, lowest loss of any seed) at every logging point"""
    learnt: Learnt | None = None
    stop: Event = field(default_factory=Event)

    def stage(self, text: str) -> None:
        self._heed()
        self.said = text

    def progress(self, progress: Progress) -> None:
        self._heed()
        self.iterations = progress.iterations
        if np.isfinite(progress.losses).any():
            self.curve.append((progress.iteration, float(np.nanmin(progress.losses))))

    def _heed(self) -> None:
        if self.stop.is_set():
            raise Stopped

    @property
    def weights(self) -> Weights | None:
        return self.learnt.weights if self.learnt else None

    def as_json(self, after: int = 0) -> dict[str, Any]:
        """What has happened; of the curve only what comes after so many points."""
        found: dict[str, Any] = {
            "phase": self.phase,
            "said": self.said,
            "iterations": self.iterations,
            "curve": self.curve[after:],
        }
        learnt = self.learnt
        if learnt and learnt.machine and learnt.shown and learnt.shown.complete:
            found |= rules_shown(learnt.machine, learnt.traces)
        return found


def carry_out(recording: Recording, training: Training) -> None:
    """Learn; whatever comes of it stands in `training` afterwards."""
    try:
        plan = plan_recording(recording, **FEW)
        training.iterations = plan.recipe.iterations
        with tempfile.TemporaryDirectory() as folder:
            learnt = learn(plan, Path(folder, "run"), "cpu", narrator=training)
        training.learnt, training.said, training.phase = learnt, learnt.statement, "done"
    except Stopped:
        training.phase = "stopped"
    except DfstError as error:
        training.said, training.phase = str(error), "failed"
    finally:
        if training.phase == "learning":
            training.said, training.phase = "the training broke off; the terminal says why", "failed"
