"""What came out of a run: of each seed, of the chosen model, and the sentence that says what is known."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted, listed
from dfst.evaluation.report import Report
from dfst.machines.agent import MISSING, Agent
from dfst.model.growth import Growth
from dfst.model.weights import Weights
from dfst.problems import Problem
from dfst.proof import Verdict
from dfst.proof.verdict import SETTLED
from dfst.states.doubt import nearest
from dfst.states.polish import Polished
from dfst.states.predicted import actions_of, differs, scores
from dfst.states.teachability import Teachability
from dfst.traces.traceset import TraceSet
from dfst.train.progress import Progress
from dfst.train.recipe import Recipe
from dfst.world.trace import action_name


@dataclass(frozen=True)
class Outcome:
    """What became of one seed."""

    seed: int
    weights: Weights  # polished, where that helped
    raw: Weights  # as training left it
    loss: float  # training loss of the last logging point; NaN if the seed diverged
    polished: Polished | None = None
    verdict: Verdict | None = None  # none if the prover was not asked, or had nothing to say
    report: Report | None = None  # the final figures, which choose nothing; None if they were not asked for
    disagreement: float | None = None
    """With the other seeds in their vote, 0 to 1; None if it had no part in one"""
    growth: Growth | None = None
    """Without a polish: what grows most when words of the traces are read again and again"""

    @property
    def exact(self) -> bool:
        """Whether the final figures show no failure."""
        return self.report is None or self.report.right

    @property
    def states(self) -> int | None:
        """Learnt states of the polished model."""
        return self.polished.states if self.polished else None

    @property
    def strength(self) -> str:
        """refuted, tested, bounded or proved"""
        if self.report and self.report.refuted:
            return "refuted"
        return self.verdict.strength if self.verdict else "tested"

    def rank(self) -> tuple[int, float]:
        """Larger is better, among those that were polished, or among those that were not."""
        return -(self.states or 0), -(np.inf if np.isnan(self.loss) else self.loss)

    def sentence(self) -> str:
        said = "not polished: its hidden states do not come back to a few points; try more steps or examples"
        if self.polished:
            said = f"polished exactly on {counted(self.polished.states, 'learnt state')}"
        return f"seed {self.seed}: loss {self.loss:.1e}, {said}"

    def as_json(self) -> dict[str, Any]:
        """How it stands in report.json."""
        measurements = self.report.measurements if self.report else ()
        return {
            "seed": self.seed,
            "loss": None if np.isnan(self.loss) else self.loss,
            "states": self.states,
            "disagreement": self.disagreement,
            "growth": asdict(self.growth) if self.growth else None,
            "strength": self.strength,
            "right": self.report.right if self.report else None,
            "measured": [found.summary() for found in measurements],
            "reach": self.report.reach if self.report else None,
        }


@dataclass(frozen=True)
class Learnt:
    """What came out of a run."""

    problem: Problem
    recipe: Recipe
    folder: Path
    device: str  # where it was trained, cpu or cuda, or "cuda, cpu" if it went on elsewhere
    traces: TraceSet
    lesson: Teachability | None  # what the traces teach of the reference; None where there is none
    curve: list[Progress]  # every logging point of the training
    outcomes: list[Outcome]  # of each seed, in the order of their numbers
    chosen: Outcome
    seconds: float  # of this call, and of the training before it that it went on with
    warnings: tuple[str, ...] = ()
    """What the training set does not teach, and where the hidden size does not fit; none beside a proof"""
    machine: Agent | None = None  # without a reference, the machine that the model became
    corrections: tuple[str, ...] = ()
    """Inputs on which earlier models were refuted, and which became examples"""

    questions: tuple[str, ...] | None = None
    """Inputs that the teacher was asked, since learnt machines parted on them; None: nobody was to ask"""

    def __repr__(self) -> str:
        return f"<Learnt {self.statement}>"

    @property
    def examples(self) -> str:
        """How many there were, and who chose them."""
        learnt, said = set(self.traces.inputs), [self.problem.training_set().chosen]
        if self.questions is not None:
            asked, tested = ([q for q in self.questions if (q in learnt) == one] for one in (True, False))
            said = [f"{counted(len(asked), 'question')}: {listed(asked)}"] if asked else ["the first"]
            said += [f"tested on {len(tested):,} others: {listed(tested)}"] if tested else []
        said += [f"added after a refutation: {listed(self.corrections)}"] if self.corrections else []
        return f"{counted(len(self.traces), 'example')}, {'; '.join(said)}"

    @property
    def unmet(self) -> str | None:
        """Of a machine learnt without a reference: how many states never read a symbol that others read."""
        if self.machine is None:
            return None
        rules = self.machine.next != MISSING
        missing = (~rules[:, rules.any(axis=0)]).sum(axis=1)
        whole = counted(len(missing), "learnt state")
        if not missing.any():
            return f"all {whole} met every symbol"
        met = int((missing == 0).sum())
        unshown = counted(int(missing.sum()), "rule")
        return f"{met} of {whole} met every symbol; {unshown} never shown, where whatever it does is a guess"

    @cached_property
    def nearest(self) -> str | None:
        """Of a machine learnt without a reference: how far it is from the next that explains the traces."""
        return None if self.machine is None or self.problem.may_err else nearest(self.machine, self.traces)

    @property
    def disbelieved(self) -> list[str]:
        """The recorded steps that the model holds for wrong, each in words."""
        said = "{place}, step {step} reading {read}: {recorded} recorded, {held} held for right"
        return [said.format(**step) for step in self.disbelieved_steps]

    @cached_property
    def disbelieved_steps(self) -> list[dict[str, Any]]:
        """The same steps in fields; an action is the symbol written and the motion."""
        if not self.problem.may_err:
            return []
        traces, weights = self.problem.training_set().traces, self.chosen.weights
        found = scores(weights.flat(), weights.shape, traces)
        s, m = actions_of(found, len(traces.alphabet))
        steps = []
        for token in np.flatnonzero(differs(found, traces)).tolist():
            trace = int(np.searchsorted(traces.start, token, side="right")) - 1
            was = " ".join(action_name(traces.alphabet, traces.s[token], traces.m[token]))
            held = " ".join(action_name(traces.alphabet, s[token], m[token]))
            step, read = token - int(traces.start[trace]), traces.alphabet[traces.x[token]]
            where = {"place": self.problem.place(trace), "step": step, "read": read}
            steps.append({**where, "recorded": was, "held": held})
        return steps

    @property
    def report(self) -> Report:
        """Final evaluation of the chosen model, on inputs that had no part in choosing it."""
        return self.chosen.report or Report(self.problem.name, self.problem.unit, ())

    @property
    def exact(self) -> bool:
        """Whether it was asked something that it had not seen, and nothing at all speaks against it."""
        return self.agrees and not any(found.other for found in self.report.measurements)

    @property
    def agrees(self) -> bool:
        """The same, but that it may hold some recorded steps for wrong where these may err."""
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

    @property
    def shown(self) -> bool:
        """Whether the prover says more than the measurements: of weights that were not polished it may know
        of a few steps alone."""
        far = self.verdict is not None and (self.verdict.length or 0) > self.traces.lengths.max()
        return self.strength in SETTLED or (self.strength == "bounded" and bool(far or self.chosen.polished))

    @property
    def parameters(self) -> NDArray[Any]:
        """(s, P) of every seed, as training left them: what another training can start from."""
        return np.stack([outcome.raw.flat() for outcome in self.outcomes])

    @cached_property
    def weights(self) -> Weights:
        """The chosen model, with its measurements written on it."""
        weights, measured = self.chosen.weights, self.report.measured if self.problem.reference else ""
        told = replace(weights.provenance, measured=measured, strength=self.strength)
        return replace(weights, provenance=told)

    @property
    def statement(self) -> str:
        """The strongest sentence there is evidence for."""
        report, verdict = self.report, self.verdict
        learnt = f"learnt from {counted(len(self.traces), 'example')}"
        if self.shown and verdict and report.right and report.measurements:
            return f"{verdict.strength}: {verdict.claim()} ({learnt})"
        said = f"{self.problem.name}, {learnt}, {report.verdict(self.problem.called)}"
        unproved = self.problem.inputs and report.measurements and not report.refuted
        return f"{said}; no proof was found for other inputs" if unproved else said

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
            "disbelieved": self.disbelieved,
            "disbelieved_steps": self.disbelieved_steps,
            "examples": self.examples,
            "corrections": list(self.corrections),
            "questions": None if self.questions is None else list(self.questions),
            "unmet": self.unmet,
            "nearest": self.nearest,
            "chosen": self.chosen.seed,
            "candidates": [outcome.as_json() for outcome in self.outcomes],
            "evaluation": self.report.as_json(),
        }
