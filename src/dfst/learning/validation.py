"""Validation, for those who ask for it: how far a model goes on longer inputs, worked by the expert.

It lets longer inputs choose twice: the graphs of learnt states that act on them as the expert does are
polished, and the polished model, in float32, must do so as well. Its inputs are drawn by seeds of their own,
not by that of the final figures. While a training goes on, `quick_rlg` watches it in the same way, and
chooses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dfst.agents.agent import Agent
from dfst.errors import DfstError
from dfst.evaluation.cases import hard_cases, random_cases, repeated_cases
from dfst.evaluation.length import evaluate_on
from dfst.evaluation.search import search
from dfst.learning.plan import Plan
from dfst.model.weights import Weights
from dfst.rollout.compiled import Rollout
from dfst.traces.sample import record_all
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
"""Lengths and first seed of the inputs on which graphs of learnt states are tried."""
LONGER_INPUTS, TIMES_LONGER = 60, 4
"""How many inputs validate a machine without a task, and how much longer than the lesson's they are."""


@dataclass(frozen=True)
class Validation:
    """How a model did on longer inputs, within a short budget."""

    rlg: int
    """The largest length tested without failure"""
    stopped_by: str
    """failure, budget or limit"""

    @property
    def passed(self) -> bool:
        """Whether there was no failure, far enough for that to mean something."""
        return self.stopped_by != "failure" and self.rlg >= FAR_ENOUGH


FAILED = Validation(0, "failure")


def longer_inputs(plan: Plan, seed: int) -> list[str]:
    """Inputs for a machine without a task that the training never showed."""
    rng, language = np.random.default_rng(seed), plan.language
    longest = TIMES_LONGER * max(1, *(len(text) for text in plan.inputs))
    drawn = {language.sample(rng, int(rng.integers(0, longest + 1))) for _ in range(LONGER_INPUTS)}
    return sorted(drawn - set(plan.inputs), key=lambda text: (len(text), text)) or list(plan.inputs)


def validation_traces(plan: Plan, longer: list[str]) -> TraceSet:
    """What the expert does on longer inputs."""
    task = plan.agent.task
    if task is None:
        return record_all(plan.agent, longer, Limits(steps=TIMES_LONGER**2 * plan.max_steps))
    cases = [
        case
        for i, n in enumerate(GRAPH_DIGITS)
        for case in random_cases(task, n, GRAPH_SEED + i) + repeated_cases(task, n) + hard_cases(task, n)
    ]
    return record_all(plan.agent, list(dict.fromkeys(task.write(case.operands) for case in cases)))


def quick_rlg(weights: Weights, expert: Agent) -> int:
    """How far a model goes within half a second."""
    try:
        return search(Rollout(weights), "", expert, WATCH_SECONDS, WATCH_DIGITS, seed=VALIDATION_SEED).rlg
    except DfstError:
        return 0


def validate(weights: Weights, expert: Agent, longer: Sequence[str], seconds: float) -> Validation:
    """How far the model goes in float32 on validation inputs, and what ended the search.

    longer: the inputs, where the expert has no task to draw them from.
    """
    rollout = Rollout(weights.astype(np.float32))
    try:
        if expert.task is None:
            report = evaluate_on(rollout, weights.name, expert, longer)
            return Validation(max(report.digits, FAR_ENOUGH), "limit") if report.rlg else FAILED
        # The first length is asked whatever it takes: on busy cores a budget would choose the worse graph.
        found = search(
            rollout, weights.name, expert, seconds, VALIDATION_DIGITS, FAR_ENOUGH, seed=VALIDATION_SEED
        )
    except DfstError:
        return FAILED
    return Validation(found.rlg, found.stopped_by)
