"""The protocol: one learner, one task, one seed, trained in a folder and measured as everything else is.

Every learner of grid agents sees the same traces, those of the plan that `dfst learn` follows. What it learnt
is asked by `evaluation`: each action is held against the expert's and each answer against Python's integers,
on inputs that chose nothing. The folder keeps

    assignment.json       what was asked; another assignment is refused
    (checkpoints)         of the learner's own, so that a call on the same folder goes on
    result.json           the outcome; once it is there, a call returns it at once
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from dfst.agents.agent import Agent
from dfst.agents.registry import expert
from dfst.errors import InputError
from dfst.evaluation.length import LengthReport, Subject, evaluate
from dfst.evaluation.search import search
from dfst.evaluation.table1 import DIGITS
from dfst.experiments.comparison.result import Rung, SeedResult, load_result, save
from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.registry import find_learner
from dfst.files import write_json
from dfst.learning.engines import Device, pick_device
from dfst.learning.learn import FINAL_SEED
from dfst.learning.plan import make_plan
from dfst.learning.runfolder import RunFolder
from dfst.world.grid import Limits

LADDER = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
"""Lengths at which exactness is measured, hard cases included."""
LONGEST = DIGITS["quick"]
"""Where ladder and search end; other tasks end at OTHER_LONGEST."""
OTHER_LONGEST = 100
SEARCH_SECONDS = 15.0
LADDER_SECONDS = 30.0
"""Time budgets of the evaluation; a search they end is told as such."""
LOST_RUNGS = 3
"""Rungs in a row with nothing right, after which the ladder is not climbed further."""
TOLD_FAILURES = 12


def run_learner(
    learner: str,
    task: str,
    seed: int,
    folder: str | Path,
    *,
    device: str = "auto",
    iterations: int | None = None,
    seconds: float | None = None,
    progress: Callable[[int, int, float], None] | None = None,
) -> SeedResult:
    """Train one learner on one task from one seed, measure it, and keep the result in `folder`."""
    check(learner, task, seed, device, iterations, seconds)
    folder = Path(folder)
    asked = {
        "learner": learner, "task": task, "seed": seed, "iterations": iterations, "seconds": seconds,
    }  # fmt: skip
    with RunFolder(folder).locked():
        _claim(folder, asked)
        if (folder / "result.json").exists():
            return load_result(folder / "result.json")
        where = pick_device(cast(Device, device))
        train = find_learner(learner).load()
        plan = make_plan(expert(task), seeds=1, first_seed=seed)
        trained = train(Assignment(plan, seed, folder, where, iterations, seconds, progress))
        result = measured(learner, plan.agent, seed, where, trained)
        save(result, folder / "result.json")
    return result


def check(
    learner: str, task: str, seed: int, device: str, iterations: int | None, seconds: float | None
) -> None:
    """Refuse an assignment that cannot be carried out, before any work."""
    found = find_learner(learner)
    if expert(task).task is None or (found.tasks and task not in found.tasks):
        raise InputError(f"{learner} learns {' and '.join(found.tasks)}, found {task}; give one of those")
    if seed < 0:
        raise InputError(f"seed must not be negative, found {seed}")
    if device not in ("auto", "cpu", "cuda"):
        raise InputError(f"device must be auto, cpu or cuda, found {device!r}")
    if iterations is not None and iterations < 1:
        raise InputError(f"iterations must be at least 1, found {iterations}")
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError(f"seconds must be above 0 and finite, found {seconds:g}")
    if seconds is not None and not found.timed:
        raise InputError(f"{learner} takes no time budget; leave out --seconds")
    pick_device(cast(Device, device))
    found.load()


def _claim(folder: Path, asked: dict[str, object]) -> None:
    """Make the folder this assignment's, or refuse if it is another's."""
    note = folder / "assignment.json"
    if not note.exists():
        write_json(note, asked)
        return
    try:
        held = json.loads(note.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{note} cannot be read as JSON ({error}); give another folder") from error
    for name, value in asked.items():
        if not isinstance(held, dict) or held.get(name) != value:
            found = held.get(name) if isinstance(held, dict) else held
            raise InputError(
                f"{folder} holds a training with {name} {found}, asked for {value}; give another folder"
            )


def measured(learner: str, agent: Agent, seed: int, device: str, trained: Trained) -> SeedResult:
    """The result of a trained learner, by the one evaluation there is."""
    longest = LONGEST.get(agent.name, OTHER_LONGEST)
    reports = climb(trained.subject, learner, agent, longest)
    found = search(
        trained.subject, learner, agent, SEARCH_SECONDS, longest, seed=FINAL_SEED,
        start=max((r.digits for r in reports if r.rlg), default=1),
    )  # fmt: skip
    return SeedResult(
        learner=learner,
        task=agent.name,
        seed=seed,
        samples=trained.samples,
        parameters=trained.parameters,
        iterations=trained.iterations,
        seconds=round(trained.seconds, 2),
        device=device,
        loss=trained.loss if trained.loss is None or math.isfinite(trained.loss) else None,
        plg=max([found.plg, *(r.digits for r in reports if r.plg)]),
        rlg=found.rlg,
        stopped_by=found.stopped_by,
        ladder=tuple(_rung(report) for report in reports),
        hard_failures=tuple(_hard_failures(reports)[:TOLD_FAILURES]),
        settings=dict(trained.settings),
    )


def climb(subject: Subject, name: str, agent: Agent, longest: int) -> list[LengthReport]:
    """Exactness at growing lengths, until nothing is right any more or time is up."""
    if agent.task is not None:
        # What is compiled on first use must not count as time spent on the first rung.
        subject.run_many([agent.task.example], Limits(), agent)
    began, lost = time.monotonic(), 0
    reports: list[LengthReport] = []
    for digits in (d for d in LADDER if d <= longest):
        ahead = reports[-1].seconds * (digits / reports[-1].digits) ** 2 if reports else 0.0
        if lost == LOST_RUNGS or time.monotonic() - began + ahead > LADDER_SECONDS:
            break
        report = evaluate(subject, name, agent, digits, FINAL_SEED)
        reports.append(report)
        lost = lost + 1 if len(report.failures) == report.pairs else 0
    return reports


def _rung(report: LengthReport) -> Rung:
    return Rung(
        digits=report.digits,
        asked=report.pairs,
        right=report.pairs - len(report.failures),
        plg=report.plg,
        rlg=report.rlg,
        hard_failures=report.hard_failures,
        first_failing_step=min((failure.step for failure in report.failures), default=None),
    )


def _hard_failures(reports: list[LengthReport]) -> list[str]:
    """The hard cases that went wrong: what, at how many digits, from which step on."""
    return [
        f"{failure.kind}, {report.digits} digits, step {failure.step:,}"
        for report in reports
        for failure in report.failures[len(report.failures) - report.hard_failures :]
    ]
