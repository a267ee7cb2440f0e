"""The final figures: every action of the learnt models against the expert's, far beyond the training set.

They come last and choose nothing. A run stops at its first action that is not the expert's, so a model that
went astray costs no more than the expert does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Literal

import numpy as np

from dfst.counted import counted
from dfst.evaluation.held_out import judge
from dfst.evaluation.length import LengthReport, Subject, evaluate
from dfst.evaluation.search import search
from dfst.evaluation.subject import ready
from dfst.learning.outcome import Outcome
from dfst.learning.plan import Plan
from dfst.learning.progress import Tell
from dfst.paper import TASKS

FINAL_SEED = 2
"""Draws the inputs of the final figures; those that choose a model are drawn by other seeds."""
OTHER_DIGITS = 100
"""Length of the final evaluation of tasks that the paper does not have."""
REACH_SECONDS = 20.0
"""How long to search, for each seed that failed, for the length up to which it does not."""


def measure(
    plan: Plan,
    outcomes: Sequence[Outcome],
    digits: tuple[int, ...] | None,
    device: Literal["cpu", "cuda"],
    tell: Tell,
) -> list[Outcome]:
    """The seeds with their final figures, at the paper's lengths or those given.

    On a GPU all seeds and inputs run side by side. Polished models, which are tables, run in the paper's
    precision on the CPU; the others as they were trained.
    """
    lengths = digits or (TASKS[plan.agent.name].tested_digits if plan.agent.name in TASKS else OTHER_DIGITS,)
    task = plan.agent.task
    where = " and ".join(counted(n, task.unit) for n in lengths) if task else "inputs that were held out"
    who = f"{len(outcomes)} seeds" if len(outcomes) > 1 else f"seed {outcomes[0].seed}"
    at = "at" if task else "on"
    tell(f"evaluating {who} {at} {where}, every action against the expert's …")
    found = []
    for polished, group in groupby(outcomes, key=lambda outcome: outcome.polished is not None):
        seeds = list(group)
        models = [o.weights.astype(np.float32) if polished else o.weights for o in seeds]
        subjects = ready(models, "cpu" if polished else device)
        for outcome, subject in zip(seeds, subjects, strict=True):
            outcome = replace(outcome, reports=_reports(plan, subject, lengths))
            if not outcome.exact and plan.agent.task:
                outcome = replace(outcome, reach=_reach(plan, subject, outcome.reports))
            if len(outcomes) > 1:
                tell(f"seed {outcome.seed}: loss {outcome.loss:.1e}, {said_of(outcome)}")
            found.append(outcome)
    return found


def _reports(plan: Plan, subject: Subject, lengths: tuple[int, ...]) -> tuple[LengthReport, ...]:
    agent = plan.agent
    if agent.task is None:
        return (judge(subject, agent, plan.language, plan.inputs, plan.max_steps, FINAL_SEED),)
    return tuple(evaluate(subject, agent.name, agent, n, seed=FINAL_SEED) for n in lengths)


def _reach(plan: Plan, subject: Subject, reports: Sequence[LengthReport]) -> int:
    """The largest number of digits tested without a failure, below the first that failed."""
    limit = min(report.digits for report in reports if not report.right) - 1
    known = max((report.digits for report in reports if report.right and report.digits <= limit), default=0)
    if limit < 1:
        return 0
    found = search(subject, plan.agent.name, plan.agent, REACH_SECONDS, limit, seed=FINAL_SEED, hard=True)
    return max(found.rlg, known)


def said_of(outcome: Outcome) -> str:
    """What the final figures say of a seed."""
    unit = _unit(outcome)
    said = []
    for report in outcome.reports:
        where = f"at {counted(report.digits, unit)}"
        if report.right:
            said.append(f"right {where} ({counted(report.inputs, 'input')}, margin {report.margin:.2g})")
        else:
            first = report.failures[0]
            said.append(
                f"wrong {where} on {len(report.failures)} of {counted(report.inputs, 'input')}, "
                f"first {first.kind}, step {first.step:,}"
            )
    if outcome.reach is not None:
        said.append(f"no failure up to {counted(outcome.reach, unit)}")
    if outcome.growth and outcome.growth.harmful:
        said.append(outcome.growth.sentence())
    return "; ".join(said)


def _unit(outcome: Outcome) -> str:
    """In what its lengths are counted."""
    return outcome.weights.task.unit if outcome.weights.task else "symbols"


def exact_counts(outcomes: Sequence[Outcome]) -> list[str]:
    """For each length, how many seeds are right there, and how far the others go."""
    sentences = []
    for reports in zip(*(outcome.reports for outcome in outcomes), strict=True):
        right = sum(report.right for report in reports)
        said = (
            f"{right} of {len(reports)} seeds are exact at {counted(reports[0].digits, _unit(outcomes[0]))}"
        )
        pairs = zip(outcomes, reports, strict=True)
        others = sorted(o.reach for o, r in pairs if not r.right and o.reach is not None)
        far = f"; the others meet no failure up to {', '.join(f'{n:,}' for n in others)}"
        sentences.append(said + (far if others else ""))
    return sentences
