"""What a learning run leaves for people: `report.html` and `replay.html` in its folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dfst.agents.agent import Agent
from dfst.agents.task import NumberTask
from dfst.evaluation.cases import Case
from dfst.evaluation.length import failure_of
from dfst.learning.learnt import Learnt
from dfst.learning.runfolder import RunFolder
from dfst.model.weights import Weights
from dfst.rollout.compiled import Rollout
from dfst.viewer.replay import write_html
from dfst.viewer.report import Exactness, LearningReport, write_report
from dfst.world.grid import Limits

LENGTHS = (1, 2, 3, 4, 6, 9, 14, 20, 30, 50, 100)
RANDOM_PAIRS = 3
MOST_STEPS = 2_000_000
"""No longer operands are tried once the grid has taken this many steps."""
GRID_SEED = 3
"""Draws the inputs of the grid; other seeds chose the model and gave the final figures."""


def write_learning_report(learnt: Learnt) -> Path:
    """Write both pages; gives the report's place."""
    folder, weights, task = RunFolder(learnt.folder), learnt.weights, learnt.plan.subject.task
    expert = learnt.plan.expert
    seeds, chosen = list(learnt.plan.seeds), learnt.chosen
    two_numbers = isinstance(task, NumberTask) and task.operand_count == 2
    text = task.example if task else next(iter(learnt.traces.inputs), "")
    write_html(weights, text, folder.replay_page, against=learnt.plan.expert)
    report = LearningReport(
        title=f"{learnt.plan.subject.name}, learnt",
        statement=learnt.statement,
        strength=learnt.strength,
        facts=_facts(learnt),
        metrics=[progress.as_json() for progress in learnt.curve],
        seeds=seeds,
        chosen=seeds.index(chosen.seed),
        lengths=[report.as_json() for report in learnt.reports],
        exactness=measure_exactness(weights, expert) if expert and two_numbers else None,
        before=chosen.raw if chosen.polished else None,
        after=weights,
        replay=folder.replay_page.name,
    )
    write_report(report, folder.report_page)
    return folder.report_page


def _facts(learnt: Learnt) -> dict[str, str]:
    recipe, weights = learnt.plan.recipe, learnt.weights
    right = sum(not outcome.failed for outcome in learnt.outcomes)
    longer = f"{right} of {len(learnt.outcomes)} met no failure on longer inputs; " if recipe.validate else ""
    return {
        "examples": f"{len(learnt.traces)}; {learnt.lesson.sentence() if learnt.lesson else 'recorded'}",
        **({"warnings": "; ".join(learnt.warnings)} if learnt.warnings else {}),
        "model": f"hidden size {weights.shape.d}, {weights.shape.size:,} parameters in {weights.dtype}",
        "recipe": f"{recipe.preset}: {recipe.iterations:,} Adam steps from a rate of {recipe.rate:g}",
        "seeds": f"{len(learnt.outcomes)}; {longer}seed {learnt.chosen.seed} was chosen",
        "polish": weights.training.get("polish", "none"),
        "time": f"{learnt.seconds:.0f} s",
    }


def measure_exactness(weights: Weights, expert: Agent, most_steps: int = MOST_STEPS) -> Exactness:
    """Share of exact runs by the lengths of the two operands: random pairs and a carry that runs through."""
    task = expert.task
    assert isinstance(task, NumberTask)
    assert task.operand_count == 2
    rollout = Rollout(weights)
    rng = np.random.default_rng(GRID_SEED)
    share: dict[tuple[int, int], float] = {}
    lengths: list[int] = []
    steps = 0
    for longest in LENGTHS:
        if steps > most_steps:
            break
        lengths.append(longest)
        border = [(longest, n) for n in lengths] + [(n, longest) for n in lengths[:-1]]
        for pair in border:
            cases = _cases(task, rng, pair)
            runs = [rollout.run(task.write(case.operands), Limits(), expert) for case in cases]
            right = [failure_of(case, task, run) is None for case, run in zip(cases, runs, strict=True)]
            share[pair] = float(np.mean(right))
            steps += sum(run.steps for run in runs)
    return Exactness(lengths, np.array([[share[a, b] for b in lengths] for a in lengths]))


def _cases(task: NumberTask, rng: np.random.Generator, lengths: tuple[int, int]) -> list[Case]:
    top = task.digits[-1]
    cases = [Case("random", task.random_operands(rng, lengths)) for _ in range(RANDOM_PAIRS)]
    return [*cases, Case("carry chain", (top * lengths[0], "1".rjust(lengths[1], "0")))]
