"""From examples to an exact model: sample, train, polish, choose, evaluate, extract, prove.

`learn` is the list of stages; each stage is one function of another module. Everything ends up in a run
folder, which also lets an interrupted run go on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.agents.agent import Agent
from dfst.errors import DfstError, InputError
from dfst.evaluation.cases import check_digits
from dfst.evaluation.length import LengthReport, evaluate, evaluate_on
from dfst.files import write_json
from dfst.learning.candidates import (
    DRAWN_INPUTS,
    DRAWN_LIMITS,
    Candidate,
    find_candidates,
    longer_inputs,
    quick_rlg,
)
from dfst.learning.engines import Device, make_engine, pick_device
from dfst.learning.outcome import weights_of
from dfst.learning.plan import Plan, default_sampling, dtype_of, hidden_size, plan_from_json
from dfst.learning.recipe import find_recipe
from dfst.learning.runfolder import RunFolder
from dfst.learning.state import TrainingState, initial_state
from dfst.learning.train import Observer, train
from dfst.model.weights import Weights, save_weights
from dfst.proof import Verdict, prove, save_proof
from dfst.rollout.compiled import Rollout
from dfst.traces.coverage import Coverage, rule_coverage
from dfst.traces.sample import draw_inputs
from dfst.traces.traceset import TraceSet, save_traces

PAPER_DIGITS = {"add2": 3850, "add10": 2450, "mult2": 600, "mult10": 180}
"""The paper's longest tests."""
FINAL_SEED = 2
"""Draws the inputs of the final figures; those that choose a model are drawn by other seeds."""
MOST_PROOFS = 6
"""Candidates that are tried for a proof, the best first."""
DRAWN_LENGTH = 6
"""Longest input that is drawn for a machine that comes without any."""


@dataclass(frozen=True)
class Learnt:
    """What came out of a run."""

    plan: Plan
    folder: Path
    weights: Weights
    coverage: Coverage
    candidates: list[Candidate]
    reports: list[LengthReport]
    statement: str
    """The strongest sentence that could be reached about the model"""
    strength: str
    """proved, bounded, tested or refuted"""
    seconds: float
    strengths: dict[int, str] = field(default_factory=dict)
    """Seed → what could be shown of it, where every seed was asked about"""

    @property
    def exact(self) -> bool:
        return all(report.rlg and not report.hard_failures for report in self.reports)


class Narrator:
    """Told what happens; the command line draws it, a script need not."""

    def stage(self, text: str) -> None:
        """A stage begins or has something to say."""

    def observer(self, plan: Plan, traces: TraceSet) -> Observer | None:
        """Follows the training."""
        return None

    def done_training(self) -> None:
        """The training is over."""


def make_plan(agent: Agent, preset: str = "quick", inputs: tuple[str, ...] = (), **changes: Any) -> Plan:
    """The plan for an agent: its preset, with some values changed."""
    first_seed = changes.pop("first_seed", None) or 0
    d = changes.pop("d", None)
    d = hidden_size(agent) if d is None else d
    data = {name: changes.pop(name, None) for name in ("n", "q", "data_seed")}
    recipe = find_recipe(preset, agent.name).with_overrides(**changes)
    sampling = None
    if not inputs and agent.task is None:
        inputs = _drawn(agent, data["data_seed"] or 0, data["n"] or DRAWN_INPUTS, data["q"] or DRAWN_LENGTH)
    if not inputs:
        sampling = replace(default_sampling(agent), **{k: v for k, v in data.items() if v is not None})
    return Plan(agent, d, recipe, tuple(range(first_seed, first_seed + recipe.seeds)), sampling, inputs)


def _drawn(agent: Agent, seed: int, count: int, longest: int) -> tuple[str, ...]:
    """Inputs for an agent without a task, drawn from its alphabet."""
    inputs = draw_inputs(agent, np.random.default_rng(seed), count, longest, DRAWN_LIMITS)
    if not inputs:
        raise InputError(
            f"{agent.name} halted on none of the inputs drawn from its alphabet "
            f"within {DRAWN_LIMITS.steps:,} steps; give inputs on which it halts: --inputs"
        )
    return tuple(inputs)


def learn(
    plan: Plan,
    out: str | Path,
    device: Device = "auto",
    digits: tuple[int, ...] | None = None,
    narrator: Narrator | None = None,
    resume: bool = False,
    every_seed: bool = False,
) -> Learnt:
    """Carry out a plan. With `resume`, the folder holds that plan and the run goes on where it was.

    With `every_seed` not only the chosen model is proved: how many seeds become exact is worth knowing too.
    """
    began = time.monotonic()
    narrator = narrator or Narrator()
    folder = RunFolder(out)
    for n in digits or ():
        check_digits(n)
    device = pick_device(device)
    traces = plan.traces()
    with folder.locked():
        state = _begin(plan, traces, folder, resume)
        coverage = rule_coverage(plan.agent, traces)
        narrator.stage(f"{len(traces)} examples, {traces.tokens:,} steps; {coverage.sentence()}")
        state = _train(plan, traces, state, folder, device, narrator)
        candidates = find_candidates(plan, traces, state, folder, narrator.stage)
        chosen, verdicts = _choose(plan, candidates, narrator)
        strengths = _prove_all(plan, candidates, verdicts, narrator) if every_seed else {}
        reports = _evaluate(plan, chosen, digits, narrator)
        statement, strength = _conclude(plan, chosen, reports, verdicts.get(chosen.seed), folder)
        weights = _with_measurements(chosen.weights, reports, strength)
        save_weights(weights, folder.model_file)
        learnt = Learnt(
            plan,
            folder.path,
            weights,
            coverage,
            candidates,
            reports,
            statement,
            strength,
            time.monotonic() - began,
            strengths,
        )
        write_json(folder.report_file, report_json(learnt))
    return learnt


def resume_plan(path: str | Path) -> Plan:
    """The plan of a run folder."""
    return plan_from_json(RunFolder(path).read_config(), str(path))


def _begin(plan: Plan, traces: TraceSet, folder: RunFolder, resume: bool) -> TrainingState:
    """The state to start from, in a folder that holds the plan and the training set."""
    if traces.tokens == 0:
        raise InputError(f"the traces of {plan.agent.name} are empty; give inputs on which it takes steps")
    if resume:
        recorded = folder.read_config()["data"]["sha256"]
        if recorded != traces.fingerprint:
            raise InputError(
                f"{folder.path} was trained on other traces than this version records; start anew"
            )
        state = folder.read_checkpoint()
        if state is not None and (state.shape != plan.shape(traces) or tuple(state.seeds) != plan.seeds):
            raise InputError(f"{folder.checkpoint_file} belongs to another configuration; start anew")
    else:
        if folder.exists():
            raise InputError(
                f"{folder.path} already holds a run; "
                f"continue it with --resume {folder.path} or give another --out"
            )
        folder.write_config(plan.as_json(traces))
        save_traces(traces, folder.traces_file)
        state = None
    return state or initial_state(plan.shape(traces), plan.seeds, dtype_of(plan.recipe))


def _train(
    plan: Plan, traces: TraceSet, state: TrainingState, folder: RunFolder, device: Device, narrator: Narrator
) -> TrainingState:
    engine = make_engine(device, state.shape, traces, plan.recipe)

    def measure(theta: NDArray[Any]) -> list[int]:
        return [quick_rlg(weights_of(t, plan, traces, 0, 0), plan.agent) for t in theta]

    watched = measure if plan.agent.task else None
    state = train(state, engine, plan.recipe, folder, narrator.observer(plan, traces), watched)
    narrator.done_training()
    if not state.alive.any():
        raise DfstError(
            f"all {len(state.seeds)} seeds diverged; the last good weights are in {folder.path}: "
            "lower --rate or --clip, or use the quick preset"
        )
    return state


def _evaluate(
    plan: Plan, chosen: Candidate, digits: tuple[int, ...] | None, narrator: Narrator
) -> list[LengthReport]:
    """The final figures, in the paper's precision, on inputs that chose nothing."""
    if plan.agent.task is None:
        narrator.stage(
            f"evaluating seed {chosen.seed} on longer inputs, every action against the machine's …"
        )
        longer = longer_inputs(plan, FINAL_SEED)
        return [evaluate_on(Rollout(chosen.weights.astype(np.float32)), plan.agent.name, plan.agent, longer)]
    lengths = digits or (PAPER_DIGITS.get(plan.agent.name, 100),)
    rollout = Rollout(chosen.weights.astype(np.float32))
    reports = []
    for n in lengths:
        narrator.stage(f"evaluating seed {chosen.seed} at {n:,} digits, every action against the expert's …")
        reports.append(evaluate(rollout, plan.agent.name, plan.agent, n, seed=FINAL_SEED))
    return reports


def _with_measurements(weights: Weights, reports: list[LengthReport], strength: str) -> Weights:
    lengths = [r.digits for r in reports if r.rlg]
    measured = f"RLG ≥ {max(lengths):,}" if lengths else ""
    return replace(weights, training={**weights.training, "measured": measured, "strength": strength})


def report_json(learnt: Learnt) -> dict[str, Any]:
    """What report.json holds."""
    return {
        "agent": learnt.plan.agent.name,
        "statement": learnt.statement,
        "strength": learnt.strength,
        "seconds": round(learnt.seconds, 1),
        "coverage": learnt.coverage.sentence(),
        "candidates": [
            {
                "seed": c.seed,
                "loss": c.loss,
                "rlg": c.rlg,
                "stopped_by": c.stopped_by,
                "contexts": c.polished.contexts if c.polished else None,
                "residual": c.polished.residual if c.polished else None,
                "strength": learnt.strengths.get(c.seed),
            }
            for c in learnt.candidates
        ],
        "evaluation": [report.as_json() for report in learnt.reports],
    }


def _prove_all(
    plan: Plan, candidates: list[Candidate], known: dict[int, Verdict], narrator: Narrator
) -> dict[int, str]:
    """What can be shown of every seed; one that fell on longer inputs is refuted already."""
    strengths = {}
    for candidate in candidates:
        verdict = known.get(candidate.seed) or _verdict(plan, candidate, narrator)
        fallen = "refuted" if candidate.stopped_by == "failure" else "tested"
        strengths[candidate.seed] = verdict.strength if verdict else fallen
    proved = sum(strength == "proved" for strength in strengths.values())
    narrator.stage(f"{proved} of {len(strengths)} seeds are proved")
    return strengths


def _verdict(plan: Plan, candidate: Candidate, narrator: Narrator) -> Verdict | None:
    """What the prover says of a candidate; None where it is not worth asking, or has nothing to say."""
    if plan.agent.task is None or candidate.polished is None or not candidate.unbeaten:
        return None
    narrator.stage(f"proving that no input of any length can lead seed {candidate.seed} astray …")
    try:
        return prove(candidate.weights, plan.agent, rng=np.random.default_rng(FINAL_SEED))
    except DfstError as error:
        narrator.stage(f"no proof: {error}")
        return None


def _choose(
    plan: Plan, candidates: list[Candidate], narrator: Narrator
) -> tuple[Candidate, dict[int, Verdict]]:
    """The best candidate that can be proved, else the best on validation; and what was found out of seeds."""
    ranked = sorted(candidates, key=Candidate.rank, reverse=True)
    known: dict[int, Verdict] = {}
    for candidate in ranked[:MOST_PROOFS]:
        verdict = _verdict(plan, candidate, narrator)
        if verdict is None:
            continue
        known[candidate.seed] = verdict
        if verdict.strength == "proved":
            return candidate, known
        narrator.stage(verdict.sentence())
    return ranked[0], known


def _conclude(
    plan: Plan, chosen: Candidate, reports: list[LengthReport], verdict: Verdict | None, folder: RunFolder
) -> tuple[str, str]:
    """The strongest statement there is evidence for; its proof goes into the folder."""
    agent = plan.agent
    failures = [f for r in reports for f in r.failures]
    if failures:
        first = min(failures, key=lambda f: len(f.input))
        what = f"{first.kind} of {len(first.input):,} symbols"
        return f"{agent.name} is not exact: {what}: {first.reason}", "refuted"
    asked = f"{agent.name} was trained; nothing was asked of it"
    if reports:
        asked = (
            f"{agent.name} did as its expert does in all {sum(r.steps for r in reports):,} steps "
            f"of the {sum(r.pairs for r in reports)} inputs it was asked"
        )
    if verdict is None:
        return asked, "tested"
    if verdict.proof is not None:
        save_proof(verdict.proof, folder.proof_file)
    return f"{asked}; {verdict.sentence()}", verdict.strength
