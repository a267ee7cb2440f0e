"""What came out of a run: the chosen model, what is known of it, and the sentence that says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dfst.counted import counted
from dfst.evaluation.report import Report
from dfst.machines.agent import Agent
from dfst.model.weights import Weights
from dfst.problems import Problem
from dfst.proof import Verdict
from dfst.proof.verdict import SETTLED
from dfst.states.teachability import Teachability
from dfst.traces.traceset import TraceSet
from dfst.train.outcome import Outcome
from dfst.train.progress import Progress
from dfst.train.recipe import Recipe


@dataclass(frozen=True)
class Learnt:
    """What came out of a run."""

    problem: Problem
    recipe: Recipe
    folder: Path
    device: str
    """Where it was trained, cpu or cuda, or "cuda, cpu" if it went on elsewhere"""
    traces: TraceSet
    lesson: Teachability | None
    """What the traces teach of the reference; None where there is none"""
    curve: list[Progress]
    """Every logging point of the training"""
    outcomes: list[Outcome]
    """Of each seed, in the order of their numbers"""
    chosen: Outcome
    seconds: float
    """Of this call, and of the training before it that it went on with"""
    warnings: tuple[str, ...] = ()
    """What the training set does not teach, and where the hidden size does not fit; none beside a proof"""
    machine: Agent | None = None
    """Without a reference, the machine that the model became"""

    @property
    def report(self) -> Report:
        """Final evaluation of the chosen model, on inputs that had no part in choosing it."""
        return self.chosen.report or Report(self.problem.name, self.problem.unit, ())

    @property
    def exact(self) -> bool:
        """Whether it was asked something that it had not seen, and nothing shows a failure."""
        return self.report.right and self.report.beyond_training and self.strength != "refuted"

    @property
    def training_seconds(self) -> float:
        return self.curve[-1].seconds if self.curve else 0.0

    @property
    def verdict(self) -> Verdict | None:
        """What the prover says of the chosen model."""
        return self.chosen.verdict

    @property
    def strength(self) -> str:
        """refuted, tested, bounded or proved"""
        return self.chosen.strength

    @cached_property
    def weights(self) -> Weights:
        """The chosen model, with its measurements written on it."""
        weights = self.chosen.weights
        measured = self.report.measured if self.problem.reference else ""
        return replace(
            weights,
            provenance=replace(weights.provenance, measured=measured, strength=self.strength),
        )

    @property
    def statement(self) -> str:
        """The strongest sentence there is evidence for."""
        report, verdict = self.report, self.verdict
        name = f"{self.problem.name}, learnt from {counted(len(self.traces), 'example')},"
        if report.refuted or not report.measurements:
            return f"{name} {report.verdict(self.problem.called)}"
        if verdict and self.strength in (*SETTLED, "bounded") and report.right:
            learnt = f"learnt from {counted(len(self.traces), 'example')}"
            return f"{verdict.strength}: {verdict.claim()} ({learnt})"
        said = f"{name} {report.verdict(self.problem.called)}"
        return f"{said}; no proof was found for other inputs" if self.problem.inputs else said

    def as_json(self) -> dict[str, Any]:
        """What report.json holds."""
        return {
            "agent": self.problem.name,
            "statement": self.statement,
            "strength": self.strength,
            "exact": self.exact,
            "seconds": round(self.seconds, 1),
            "device": self.device,
            "folder": str(self.folder),
            "coverage": self.lesson.coverage.sentence() if self.lesson else None,
            "warnings": list(self.warnings),
            "chosen": self.chosen.seed,
            "candidates": [outcome.as_json() for outcome in self.outcomes],
            "evaluation": self.report.as_json(),
        }
