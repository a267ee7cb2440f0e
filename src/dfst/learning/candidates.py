"""The candidates of a run: every seed, polished where that does it good, and tried on longer inputs.

Longer inputs choose twice: the graphs of contexts that act on them as the expert does are polished, and the
polished model, in float32, must do so as well. The inputs are drawn by seeds of their own; the final figures
come from others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dfst.agents.agent import Agent
from dfst.errors import DfstError
from dfst.evaluation.cases import hard_cases, random_cases, repeated_cases
from dfst.evaluation.length import evaluate_on
from dfst.evaluation.search import search
from dfst.learning.outcome import weights_of
from dfst.learning.plan import Plan
from dfst.learning.runfolder import RunFolder
from dfst.learning.state import TrainingState
from dfst.model.weights import Weights, save_weights
from dfst.rollout.compiled import Rollout
from dfst.states.polish import Polished, polish
from dfst.traces.sample import draw_inputs, record_all
from dfst.traces.traceset import TraceSet
from dfst.world.grid import Limits

VALIDATION_SEED = 1
"""Draws the inputs by which models are chosen."""
WATCH_SECONDS = 0.5
WATCH_DIGITS = 200
VALIDATION_SECONDS = 2.0
VALIDATION_DIGITS = 1000
FAR_ENOUGH = 24
"""Digits at which a model must be right on random, repeated and hard inputs to be kept."""
GRAPH_DIGITS = (4, 6, 9, FAR_ENOUGH, 60)
GRAPH_SEED = 100
"""Lengths and first seed of the inputs on which graphs of contexts are tried."""
DRAWN_INPUTS = 60
DRAWN_LIMITS = Limits(steps=20_000, cells=1_000_000)
"""How many inputs are drawn for a machine without a task, and how long it may take for them."""


@dataclass(frozen=True)
class Candidate:
    """One seed after training, polished if that did it good."""

    seed: int
    weights: Weights
    loss: float
    """Training loss of the last logging point"""
    rlg: int
    """Validation: the largest length tested without failure, within a short budget"""
    stopped_by: str
    """What ended the validation: failure, budget or limit"""
    polished: Polished | None

    @property
    def unbeaten(self) -> bool:
        """Whether validation met no failure, and got far enough for that to mean something."""
        return self.stopped_by != "failure" and self.rlg >= FAR_ENOUGH

    def rank(self) -> tuple[bool, bool, int, float]:
        """Larger is better."""
        return self.unbeaten, self.unbeaten and self.polished is not None, self.rlg, -self.loss

    def sentence(self) -> str:
        how = "not polished"
        if self.polished:
            far = f"to {self.polished.residual:.0e}" if self.polished.residual else "exactly"
            how = f"polished {far} on {self.polished.contexts} contexts"
        known = f"no failure up to {self.rlg:,} digits" if self.unbeaten else f"RLG {self.rlg:,}"
        return f"seed {self.seed}: loss {self.loss:.1e}, {how}, {known}"


def longer_inputs(plan: Plan, seed: int) -> list[str]:
    """Inputs the training never showed, up to four times as long as its longest."""
    longest = max(4, 4 * max(len(text) for text in plan.inputs))
    drawn = draw_inputs(plan.agent, np.random.default_rng(seed), DRAWN_INPUTS, longest, DRAWN_LIMITS)
    return [text for text in drawn if text not in plan.inputs] or list(plan.inputs)


def _validation_traces(plan: Plan) -> TraceSet:
    """What the expert does on longer inputs."""
    task = plan.agent.task
    if task is None:
        return record_all(plan.agent, longer_inputs(plan, VALIDATION_SEED), DRAWN_LIMITS)
    cases = [
        case
        for i, n in enumerate(GRAPH_DIGITS)
        for case in random_cases(task, n, GRAPH_SEED + i) + repeated_cases(task, n) + hard_cases(task, n)
    ]
    return record_all(plan.agent, list(dict.fromkeys(task.write(case.operands) for case in cases)))


def find_candidates(
    plan: Plan, traces: TraceSet, state: TrainingState, folder: RunFolder, tell: Callable[[str], None]
) -> list[Candidate]:
    """Every seed, polished where that is asked for and possible, and validated on longer inputs."""
    metrics = folder.read_metrics()
    losses: list[Any] = metrics[-1]["loss"] if metrics else [None] * len(state.seeds)
    longer = [] if plan.agent.task else longer_inputs(plan, VALIDATION_SEED)
    shown = _validation_traces(plan) if plan.recipe.polish else None
    found = []
    for i, seed in enumerate(int(s) for s in state.seeds):
        loss = float("nan") if losses[i] is None else float(losses[i])
        history = {"loss": f"{loss:.3g}"}
        raw = weights_of(state.theta[i], plan, traces, seed, state.iteration, **history)
        save_weights(raw, folder.seed_file(seed))
        polishing = shown is not None and bool(state.alive[i])
        seconds = WATCH_SECONDS if polishing else VALIDATION_SECONDS
        best = Candidate(seed, raw, loss, *_validate(raw, plan.agent, longer, seconds), polished=None)
        if polishing:
            for result in polish(state.theta[i], state.shape, traces, shown):
                words = f"{result.contexts} contexts, {result.edges} edges, residual {result.residual:.1e}"
                weights = weights_of(
                    result.theta, plan, traces, seed, state.iteration, **history, polish=words
                )
                candidate = Candidate(
                    seed,
                    weights,
                    loss,
                    *_validate(weights, plan.agent, longer, VALIDATION_SECONDS),
                    polished=result,
                )
                best = max(best, candidate, key=Candidate.rank)
                if candidate.unbeaten:
                    break
        found.append(best)
        tell(best.sentence())
    return found


def quick_rlg(weights: Weights, expert: Agent) -> int:
    """How far a model goes within half a second."""
    try:
        return search(Rollout(weights), "", expert, WATCH_SECONDS, WATCH_DIGITS, seed=VALIDATION_SEED).rlg
    except DfstError:
        return 0


def _validate(weights: Weights, expert: Agent, longer: Sequence[str], seconds: float) -> tuple[int, str]:
    """How far the model goes in float32 on validation inputs, and what ended the search."""
    rollout = Rollout(weights.astype(np.float32))
    try:
        if expert.task is None:
            report = evaluate_on(rollout, weights.name, expert, longer)
            return (max(report.digits, FAR_ENOUGH), "limit") if report.rlg else (0, "failure")
        # The first length is asked whatever it takes: on busy cores a budget would choose the worse graph.
        found = search(
            rollout, weights.name, expert, seconds, VALIDATION_DIGITS, FAR_ENOUGH, seed=VALIDATION_SEED
        )
    except DfstError:
        return 0, "failure"
    return found.rlg, found.stopped_by
