"""What the last steps of gradient descent alone do to loops, with and without a floor under the penalty.

python tools/last_steps.py measure docs/research/records/last-steps.jsonl add10 103 4 50000 0 0.02
python tools/last_steps.py docs/research/records/last-steps.jsonl       # the tables

Task, data seed, seeds, steps, and values of stability_floor: each is a training by the preset `descent` on
the CPU, looked at after shares of the steps. The loss is that of the whole training set, without noise; the
drift is that of `tools/drift.py`. At the end each seed works four inputs of the paper's length, or of 500
symbols: a random one and numbers of one repeated digit.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from drift import drift_of
from margins import followed

from dfst.evaluation.evaluate import FINAL_SEED
from dfst.model.weights import Weights
from dfst.paper import TASKS
from dfst.problems import Problem
from dfst.train.engine_cpu import CpuEngine
from dfst.train.finish import weights_of
from dfst.train.prepare import training_set
from dfst.train.settings import configure
from dfst.train.state import TrainingState, initial_state

SHARES = (0.8, 0.9, 0.95, 0.97, 1.0)
FEW = 4  # seeds that are told one by one


def measure(task: str, data_seed: int, seeds: int, steps: int, floor: float) -> list[dict[str, Any]]:
    """A line for each share."""
    config = configure(task, "descent", data_seed=data_seed, seeds=seeds, steps=steps, stability_floor=floor)
    problem, traces = config.problem, training_set(config.problem, config.recipe)
    shape = config.shape(traces)
    recipe = replace(config.recipe, hidden_size=shape.d).for_size(shape.d)
    still = replace(recipe, learning_rate=1e-30, state_noise=0, stability=0, batch_size=len(traces))
    engine, judge = CpuEngine(shape, traces, recipe), CpuEngine(shape, traces, still)
    state, lines = initial_state(shape, recipe.seed_numbers, recipe.dtype), []
    for share in SHARES:
        engine.advance(state, round(share * steps) - state.iteration)
        models = [weights_of(theta, problem, traces.motions, shape.d) for theta in state.theta]
        lines.append({
            "task": task, "data_seed": data_seed, "steps": steps, "stability_floor": floor, "share": share,
            "losses": losses(judge, state), "drifts": [drift_of(model) for model in models],
        })  # fmt: skip
    return [*lines[:-1], lines[-1] | at_length(problem, models)]


def losses(judge: CpuEngine, state: TrainingState) -> list[float]:
    there = initial_state(judge.shape, list(state.seeds), state.theta.dtype, state.theta)
    judge.advance(there, 1)
    return [float(loss) for loss in judge.latest]


def at_length(problem: Problem, models: list[Weights]) -> dict[str, Any]:
    """Of each model the smallest margin in units of |h|, None where it errs."""
    digits = TASKS[problem.name].tested_digits if problem.name in TASKS else 500
    cases = problem.tests([digits], FINAL_SEED)[0].cases
    pairs = [case for case in cases if case.role == "repeated"] or cases[1:]
    worked = [cases[0], pairs[0], pairs[len(pairs) // 2], pairs[-1]]
    traces, found = [problem.agent.trace_compiled(case.input) for case in worked], []
    for model in models:
        runs = followed(model, traces)
        right = all(step < 0 for *_, step in runs)
        found.append(min(relative for _, relative, _ in runs) if right else None)
    return {"digits": digits, "margins": found}


def tables(records: str) -> list[str]:
    trainings: dict[tuple[Any, ...], dict[float, dict[str, Any]]] = {}
    for line in map(json.loads, Path(records).read_text("utf-8").splitlines()):
        kind = line["task"], line["data_seed"], line["steps"], line["stability_floor"]
        trainings.setdefault(kind, {})[line["share"]] = line
    whole = {kind: looks for kind, looks in trainings.items() if len(looks) == len(SHARES)}
    rows = ["| task, data seed, steps | floor | " + " | ".join(f"{share:.0%}" for share in SHARES) + " |"]
    rows.append("|---" * (len(SHARES) + 2) + "|")
    for (task, data, steps, floor), looks in whole.items():
        drifts = [looks[share]["drifts"] for share in SHARES]
        told = [" ".join(f"{d:.0e}" for d in each) if len(each) <= FEW else middle(each) for each in drifts]
        rows.append(f"| {task}, {data}, {steps:,} | {floor:g} | " + " | ".join(told) + " |")
    rows += ["", "| task, data seed, steps | floor | right | margins, of the norm of h | drift | loss |"]
    rows.append("|---" * 6 + "|")
    for (task, data, steps, floor), looks in trainings.items():
        last = looks[1.0]
        right = [margin for margin in last["margins"] if margin is not None]
        told = f"{len(right)} of {len(last['margins'])} at {last['digits']:,}"
        margins = f"{min(right):.2g}, {median(right):.2g}" if right else "–"
        rows.append(
            f"| {task}, {data}, {steps:,} | {floor:g} | {told} | {margins} | {middle(last['drifts'])} "
            f"| {middle(last['losses'])} |"
        )
    return rows


def middle(numbers: list[float]) -> str:
    return f"{median(numbers):.0e}, at most {max(numbers):.0e}"


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        path, task, *numbers = sys.argv[2:]
        data_seed, seeds, steps = map(int, numbers[:3])
        for floor in map(float, numbers[3:]):
            with Path(path).open("a", encoding="utf-8") as file:
                for line in measure(task, data_seed, seeds, steps, floor):
                    file.write(json.dumps(line) + "\n")
    else:
        print(*tables(sys.argv[1]), sep="\n")
