"""What a learning run leaves for people: `report.html` and `replay.html` in its folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dfst.evaluation.evaluate import measure
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Weights
from dfst.problems import Case, Problem, TestSet
from dfst.tasks.numbers import NumberTask
from dfst.train.learnt import Learnt
from dfst.train.runfolder import RunFolder
from dfst.viewer.replay import write_html
from dfst.viewer.report import Exactness, LearningReport, write_report

LENGTHS = (1, 2, 3, 4, 6, 9, 14, 20, 30, 50, 100)
RANDOM_PAIRS = 3
MOST_STEPS = 2_000_000
"""No longer operands are tried once the grid has taken this many steps."""
GRID_SEED = 3
"""Draws the inputs of the grid; other seeds chose the model and gave the final figures."""


def write_learning_report(learnt: Learnt) -> Path:
    """Write both pages; gives the report's place."""
    folder, weights, problem = RunFolder(learnt.folder), learnt.weights, learnt.problem
    seeds, chosen = list(learnt.recipe.seed_numbers), learnt.chosen
    two_numbers = isinstance(problem.task, NumberTask) and problem.task.operand_count == 2
    text = problem.example or next(iter(learnt.traces.inputs), "")
    write_html(weights, text, folder.replay_page, against=problem.reference)
    report = LearningReport(
        title=f"{problem.name}, learnt",
        statement=learnt.statement,
        strength=learnt.strength,
        facts=_facts(learnt),
        metrics=[progress.as_json() for progress in learnt.curve],
        seeds=seeds,
        chosen=seeds.index(chosen.seed),
        lengths=learnt.report.as_json(),
        exactness=measure_exactness(weights, problem) if problem.sizes and two_numbers else None,
        before=chosen.raw if chosen.polished else None,
        after=weights,
        machine=learnt.machine or (chosen.polished.graph.machine() if chosen.polished else None),
        example=text,
        reference=problem.reference,
    )
    write_report(report, folder.report_page)
    return folder.report_page


def _facts(learnt: Learnt) -> dict[str, str]:
    recipe, weights = learnt.recipe, learnt.weights
    return {
        "examples": "; ".join([learnt.examples, *([learnt.lesson.sentence()] if learnt.lesson else [])]),
        **({"machine": learnt.unmet} if learnt.unmet else {}),
        **({"disbelieved": "; ".join(learnt.disbelieved)} if learnt.disbelieved else {}),
        **({"warnings": "; ".join(learnt.warnings)} if learnt.warnings else {}),
        "model": f"hidden size {weights.shape.d}, {weights.shape.size:,} parameters in {weights.dtype}",
        "recipe": f"{recipe.preset}: {recipe.steps:,} Adam steps from a rate of {recipe.learning_rate:g}",
        "seeds": f"{len(learnt.outcomes)}; seed {learnt.chosen.seed} was chosen",
        "polish": weights.provenance.polish or "none",
        "time": f"{learnt.seconds:.0f} s",
    }


def measure_exactness(weights: Weights, problem: Problem, most_steps: int = MOST_STEPS) -> Exactness:
    """Share of exact runs by the lengths of the two operands: random pairs and a carry that runs through."""
    task = problem.task
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
            found = measure(rollout, problem, TestSet(longest, _cases(task, rng, pair)))
            share[pair] = 1 - len(found.failures) / found.inputs
            steps += found.steps
    return Exactness(lengths, np.array([[share[a, b] for b in lengths] for a in lengths]))


def _cases(task: NumberTask, rng: np.random.Generator, lengths: tuple[int, int]) -> tuple[Case, ...]:
    carry = (task.digits[-1] * lengths[0], "1".rjust(lengths[1], "0"))
    operands = [*(task.random_operands(rng, lengths) for _ in range(RANDOM_PAIRS)), carry]
    return tuple(Case("pair", task.write(pair), "random") for pair in operands)
