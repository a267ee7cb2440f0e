"""From examples to an exact model: sample, train, polish, choose, prove, evaluate.

`learn` is the one way to carry out a plan, for the command line, Python, sweeps and comparisons; its body is
the list of stages, each a function of another module. It returns all that came out. The run folder keeps the
same, and lets an interrupted run go on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dfst.errors import DfstError, InputError
from dfst.evaluation.cases import check_digits
from dfst.evaluation.length import LengthReport, evaluate, evaluate_on
from dfst.files import write_json
from dfst.learning.choose import Outcome, Tell, choose, finish_seeds, longer_inputs, quick_rlg
from dfst.learning.engines import Device, make_engine, pick_device
from dfst.learning.memory import check_memory
from dfst.learning.plan import Plan, plan_from_json, weights_of
from dfst.learning.progress import Narrator, Progress
from dfst.learning.runfolder import RunFolder
from dfst.learning.state import TrainingState, initial_state
from dfst.learning.train import train
from dfst.model.weights import Weights, save_weights
from dfst.paper import TASKS
from dfst.proof import Verdict, save_proof
from dfst.rollout.compiled import Rollout
from dfst.traces.coverage import Coverage, rule_coverage
from dfst.traces.traceset import TraceSet, save_traces

FINAL_SEED = 2
"""Draws the inputs of the final figures; those that choose a model are drawn by other seeds."""
OTHER_DIGITS = 100
"""Length of the final evaluation of tasks that the paper does not have."""


@dataclass(frozen=True)
class Learnt:
    """What came out of a run."""

    plan: Plan
    folder: Path
    device: Literal["cpu", "cuda"]
    traces: TraceSet
    coverage: Coverage
    curve: list[Progress]
    """Every logging point of the training"""
    outcomes: list[Outcome]
    """Of each seed, in the order of the plan"""
    chosen: Outcome
    reports: list[LengthReport]
    """Final evaluation of the chosen model, on inputs that had no part in choosing it"""
    seconds: float

    @property
    def exact(self) -> bool:
        return all(report.rlg and not report.hard_failures for report in self.reports)

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
        if any(report.failures for report in self.reports):
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
        name = f"{self.plan.agent.name}, learnt from {len(self.traces)} examples,"
        failures = [failure for report in self.reports for failure in report.failures]
        if failures:
            first = min(failures, key=lambda failure: len(failure.input))
            return f"{name} is not exact: {first.kind} of {len(first.input):,} symbols: {first.reason}"
        said = f"{name} was not evaluated"
        if self.reports:
            steps, inputs = (sum(getattr(r, what) for r in self.reports) for what in ("steps", "pairs"))
            said = f"{name} did what its expert does in all {steps:,} steps of {inputs} inputs"
        return f"{said}; {self.verdict.sentence()}" if self.verdict else said

    def as_json(self) -> dict[str, Any]:
        """What report.json holds."""
        return {
            "agent": self.plan.agent.name,
            "statement": self.statement,
            "strength": self.strength,
            "seconds": round(self.seconds, 1),
            "device": self.device,
            "coverage": self.coverage.sentence(),
            "chosen": self.chosen.seed,
            "candidates": [outcome.as_json() for outcome in self.outcomes],
            "evaluation": [report.as_json() for report in self.reports],
        }


def learn(
    plan: Plan,
    out: str | Path,
    device: Device = "auto",
    digits: tuple[int, ...] | None = None,
    narrator: Narrator | None = None,
    *,
    resume: bool = False,
    every_seed: bool = False,
    start: ArrayLike | None = None,
) -> Learnt:
    """Carry out a plan.

    digits:     lengths of the final evaluation, in place of the paper's
    resume:     the folder holds this plan, and the run goes on where it was
    every_seed: prove every seed, not only the chosen one
    start:      (s, P) parameters to start from, in place of the paper's
    """
    began = time.monotonic()
    narrator = narrator or Narrator()
    folder = RunFolder(out)
    for n in digits or ():
        check_digits(n)
    used = pick_device(device)
    traces = _sample(plan)
    with folder.locked():
        state = _begin(plan, traces, folder, resume, start)
        coverage = rule_coverage(plan.agent, traces)
        narrator.stage(f"{len(traces)} examples, {traces.tokens:,} steps; {coverage.sentence()}")
        curve = _train(plan, traces, state, folder, used, narrator)
        losses = curve[-1].losses.tolist() if curve else [np.nan] * len(plan.seeds)
        outcomes = finish_seeds(plan, traces, state, losses, narrator.stage)
        chosen, outcomes = choose(plan, outcomes, every_seed, narrator.stage)
        reports = _evaluate(plan, chosen, digits, narrator.stage)
        seconds = time.monotonic() - began
        learnt = Learnt(plan, folder.path, used, traces, coverage, curve, outcomes, chosen, reports, seconds)
        _keep(learnt, folder)
    return learnt


def resume_plan(path: str | Path) -> Plan:
    """The plan of a run folder."""
    return plan_from_json(RunFolder(path).read_config(), str(path))


def _sample(plan: Plan) -> TraceSet:
    """The training set, which can be learnt from."""
    traces = plan.traces()
    if traces.tokens == 0:
        raise InputError(f"the traces of {plan.agent.name} are empty; give inputs on which it takes steps")
    steps = min(plan.recipe.batch, len(traces)) * int(traces.lengths.max())
    check_memory(plan.shape(traces), len(plan.seeds), plan.recipe, steps)
    return traces


def _begin(
    plan: Plan, traces: TraceSet, folder: RunFolder, resume: bool, start: ArrayLike | None
) -> TrainingState:
    """The state to start from, in a folder that holds the plan and the training set."""
    shape = plan.shape(traces)
    state = initial_state(shape, plan.seeds, plan.recipe.dtype, start)
    if not resume:
        if folder.exists():
            raise InputError(
                f"{folder.path} already holds a run; "
                f"continue it with --resume {folder.path} or give another --out"
            )
        if start is not None:
            folder.write_checkpoint(state)  # whoever resumes does not know the start
        folder.write_config(plan.as_json(traces))
        save_traces(traces, folder.traces_file)
        return state
    recorded = folder.read_config()["data"]["sha256"]
    if recorded != traces.fingerprint:
        raise InputError(f"{folder.path} was trained on other traces than this version records; start anew")
    saved = folder.read_checkpoint()
    if saved is not None and (saved.shape != shape or tuple(saved.seeds) != plan.seeds):
        raise InputError(f"{folder.checkpoint_file} belongs to another configuration; start anew")
    return saved or state


def _train(
    plan: Plan,
    traces: TraceSet,
    state: TrainingState,
    folder: RunFolder,
    device: Literal["cpu", "cuda"],
    narrator: Narrator,
) -> list[Progress]:
    """Train every seed in place; the curve."""
    engine = make_engine(device, state.shape, traces, plan.recipe)

    def measure(theta: NDArray[Any]) -> list[int]:
        return [quick_rlg(weights_of(t, plan, traces, 0, 0), plan.agent) for t in theta]

    narrator.training_begins(plan)
    try:
        watched = measure if plan.agent.task else None
        curve = train(state, engine, plan.recipe, folder, narrator.progress, watched)
    finally:
        narrator.training_ends()
    if not state.alive.any():
        raise DfstError(
            f"all {len(state.seeds)} seeds diverged; the last good weights are in {folder.path}: "
            "lower --rate or --clip, or use the quick preset"
        )
    return curve


def _evaluate(plan: Plan, chosen: Outcome, digits: tuple[int, ...] | None, tell: Tell) -> list[LengthReport]:
    """The final figures, in the paper's precision, on inputs that had no part in choosing the model."""
    agent, rollout = plan.agent, Rollout(chosen.weights.astype(np.float32))
    if agent.task is None:
        tell(f"evaluating seed {chosen.seed} on longer inputs, every action against the machine's …")
        return [evaluate_on(rollout, agent.name, agent, longer_inputs(plan, FINAL_SEED))]
    usual = TASKS[agent.name].tested_digits if agent.name in TASKS else OTHER_DIGITS
    reports = []
    for n in digits or (usual,):
        tell(f"evaluating seed {chosen.seed} at {n:,} digits, every action against the expert's …")
        reports.append(evaluate(rollout, agent.name, agent, n, seed=FINAL_SEED))
    return reports


def _keep(learnt: Learnt, folder: RunFolder) -> None:
    """Put all that came out into the folder."""
    for outcome in learnt.outcomes:
        save_weights(outcome.raw, folder.seed_file(outcome.seed))
    if learnt.verdict and learnt.verdict.proof is not None and learnt.strength != "refuted":
        save_proof(learnt.verdict.proof, folder.proof_file)
    save_weights(learnt.weights, folder.model_file)
    write_json(folder.report_file, learnt.as_json())
