"""The final figures: every action of the learnt models against the right one, far beyond the training set.

They come last and choose nothing. A run stops at its first wrong action, so a model that went astray costs no
more than the expert does.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Literal

import numpy as np

from dfst.counted import counted
from dfst.evaluation.evaluate import Subject, evaluate, search
from dfst.evaluation.ready import ready
from dfst.evaluation.report import Report
from dfst.problems import Problem
from dfst.train.learnt import Outcome
from dfst.train.progress import Tell

REACH_SECONDS = 20.0  # how long to search, for each seed that failed, for the size up to which it does not


def measure_seeds(
    problem: Problem,
    outcomes: Sequence[Outcome],
    sizes: tuple[int, ...],
    device: Literal["cpu", "cuda"],
    tell: Tell,
) -> list[Outcome]:
    """The seeds with their final figures, at these sizes or the problem's own.

    On a GPU all seeds and inputs run side by side. Polished models, which are tables, run in the paper's
    precision on the CPU; the others as they were trained.
    """
    asked = sizes or problem.sizes
    where = f"at {' and '.join(counted(n, problem.unit) for n in asked)}" if asked else "on what was held out"
    who = f"{len(outcomes)} seeds" if len(outcomes) > 1 else f"seed {outcomes[0].seed}"
    tell(f"evaluating {who} {where} …")
    found = []
    for polished, group in groupby(outcomes, key=lambda outcome: outcome.polished is not None):
        seeds = list(group)
        models = [o.weights.astype(np.float32) if polished else o.weights for o in seeds]
        subjects = ready(models, "cpu" if polished or not asked else device)
        for outcome, subject in zip(seeds, subjects, strict=True):
            report = evaluate(subject, problem, sizes)
            if asked and not report.right:
                report = replace(report, reach=_reach(problem, subject, report))
            if len(outcomes) > 1:
                tell(f"seed {outcome.seed}: loss {outcome.loss:.1e}, {report.sentence()}")
            found.append(replace(outcome, report=report))
    return found


def _reach(problem: Problem, subject: Subject, report: Report) -> int:
    """The largest size tested without a failure, below the first that failed."""
    limit = min(found.digits for found in report.measurements if not found.right) - 1
    known = [found.digits for found in report.measurements if found.right and found.digits <= limit]
    if limit < 1:
        return 0
    further = search(subject, problem, REACH_SECONDS, limit, hard=True)
    return max([further.reach or 0, *known])


def exact_counts(outcomes: Sequence[Outcome]) -> list[str]:
    """For each size, how many seeds are right there, and how far the others go."""
    sentences = []
    reports = [outcome.report for outcome in outcomes if outcome.report]
    for measurements in zip(*(report.measurements for report in reports), strict=True):
        right = sum(found.right for found in measurements)
        where = f"at {counted(measurements[0].digits, reports[0].unit)}"
        pairs = zip(reports, measurements, strict=True)
        others = sorted(r.reach for r, found in pairs if not found.right and r.reach is not None)
        far = f"; the others meet no failure up to {', '.join(f'{n:,}' for n in others)}" if others else ""
        sentences.append(f"{right} of {len(measurements)} seeds are exact {where}{far}")
    return sentences
