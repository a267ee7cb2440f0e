"""What came out of a run: the chosen model, what is known of it, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dfst.agents.agent import Agent
from dfst.counted import all_of, counted
from dfst.evaluation.agreement import Agreement
from dfst.evaluation.held_out import HeldOutReport
from dfst.evaluation.length import LengthReport
from dfst.learning.outcome import Outcome
from dfst.learning.plan import Plan
from dfst.learning.progress import Progress
from dfst.model.weights import Weights
from dfst.proof import Verdict
from dfst.states.teachability import Teachability
from dfst.traces.recording import Recording
from dfst.traces.traceset import TraceSet


@dataclass(frozen=True)
class Learnt:
    """What came out of a run."""

    plan: Plan
    folder: Path
    device: str
    """Where it was trained, cpu or cuda, or "cuda, cpu" if it went on elsewhere"""
    traces: TraceSet
    lesson: Teachability | None
    """What the traces teach of the expert; None where they were recorded"""
    curve: list[Progress]
    """Every logging point of the training"""
    outcomes: list[Outcome]
    """Of each seed, in the order of the plan"""
    chosen: Outcome
    seconds: float
    """Of this call, and of the training before it that it went on with"""
    warnings: tuple[str, ...] = ()
    """What the training set does not teach, and where the hidden size does not fit"""
    held_out: Agreement | None = None
    """Of recorded traces, how the chosen model does on those that it was not shown"""
    shown: Agreement | None = None
    """Of recorded traces, how the chosen model does on those that it learnt from"""
    machine: Agent | None = None
    """Of recorded traces, the machine that the model became"""

    @property
    def reports(self) -> tuple[LengthReport, ...]:
        """Final evaluation of the chosen model, on inputs that had no part in choosing it."""
        return self.chosen.reports

    @property
    def exact(self) -> bool:
        """Whether nothing that was asked shows otherwise."""
        if self.plan.expert is None:
            return self.held_out is not None and self.strength != "refuted"
        return self.chosen.exact and self.strength != "refuted"

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
        left = any(found is not None and not found.complete for found in (self.held_out, self.shown))
        if left or any(report.failures for report in self.reports):
            return "refuted"
        return self.verdict.strength if self.verdict else "tested"

    @cached_property
    def weights(self) -> Weights:
        """The chosen model, with its measurements written on it."""
        weights = self.chosen.weights
        lengths = [report.digits for report in self.reports if report.rlg]
        measured = f"RLG ≥ {max(lengths):,}" if lengths else ""
        return replace(
            weights, training={**weights.training, "measured": measured, "strength": self.strength}
        )

    @property
    def statement(self) -> str:
        """The strongest sentence there is evidence for."""
        name = f"{self.plan.subject.name}, learnt from {counted(len(self.traces), 'example')},"
        if self.held_out is not None:
            return f"{name} {self._agreement(self.held_out)}"
        if self.shown is not None:
            said = f"does what {self.shown.agreed} of {self.shown.traces} of them show"
            if self.shown.traces == 1:
                said = f"{'does' if self.shown.complete else 'does not do'} what it shows"
            return f"{name} {said}; none was held out, so nothing is known of other inputs"
        failures = [failure for report in self.reports for failure in report.failures]
        if failures:
            first = min(failures, key=lambda failure: len(failure.input))
            return (
                f"{name} is not exact; on an input of {counted(len(first.input), 'symbol')}: {first.reason}"
            )
        said = f"{name} was not evaluated"
        if len(self.reports) == 1 and isinstance(report := self.reports[0], HeldOutReport):
            if problem := report.problem():
                return f"{name} is not shown to be exact: {problem}"
            said = f"{name} did what the machine does in {report.sentence()}"
            if self.strength == "tested":
                return f"{said}; no proof was found for other inputs"
        elif self.reports:
            steps, inputs = (sum(getattr(r, what) for r in self.reports) for what in ("steps", "inputs"))
            said = f"{name} did what its expert does in {all_of(steps, 'step')} of {counted(inputs, 'input')}"
        return f"{said}; {self.verdict.sentence()}" if self.verdict else said

    def _agreement(self, held_out: Agreement) -> str:
        were = "trace that was" if held_out.traces == 1 else "traces that were"
        said = f"agrees in every action with {held_out.agreed} of {held_out.traces} {were} held out"
        recording, shown = self.plan.subject, self.shown
        assert isinstance(recording, Recording)
        assert shown is not None
        if not held_out.complete:
            return f"{said}; it leaves that {_parting(recording, recording.held_out, held_out)}"
        if not shown.complete:
            agreed = f"but only with {shown.agreed} of {shown.traces} that it learnt from"
            where = _parting(recording, recording.shown, shown)
            return f"{said}, {agreed}; it leaves that {where}; train longer"
        return f"{said} ({counted(held_out.steps, 'step')}); nothing is known of other inputs"

    def as_json(self) -> dict[str, Any]:
        """What report.json holds."""
        return {
            "agent": self.plan.subject.name,
            "statement": self.statement,
            "strength": self.strength,
            "seconds": round(self.seconds, 1),
            "device": self.device,
            "coverage": self.lesson.coverage.sentence() if self.lesson else None,
            "warnings": list(self.warnings),
            "held_out": asdict(self.held_out) if self.held_out else None,
            "shown": asdict(self.shown) if self.shown else None,
            "chosen": self.chosen.seed,
            "candidates": [outcome.as_json() for outcome in self.outcomes],
            "evaluation": [report.as_json() for report in self.reports],
        }


def _parting(recording: Recording, traces: Sequence[int], found: Agreement) -> str:
    """Which of these traces a model leaves first, and where."""
    first = found.partings[0]
    trace = traces[first.trace]
    line = f"of line {recording.line(trace)}"
    where = line if recording.taught is None else f"on {recording.traces.inputs[trace]!r}"
    return f"{where} at {first}"
