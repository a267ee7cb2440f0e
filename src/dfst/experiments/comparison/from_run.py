"""Results of a run that `dfst learn` has made: its seeds, which it trained side by side, each measured alone.

Without a polish a seed comes to the same weights in company as by itself, so only its wall time differs: that
of all of them together is told, and how many they were. They are measured on the cores of this machine, which
may be another than the one that trained them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from dfst.errors import InputError
from dfst.experiments.baselines.assignment import Trained
from dfst.experiments.comparison.measure import measure
from dfst.experiments.comparison.result import Result
from dfst.experiments.comparison.tasks import plan_of
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import load_weights
from dfst.train.config import RunConfig, read_config
from dfst.train.runfolder import RunFolder
from dfst.train.train import logged

LEARNERS = {"descent": "dfst-descent", "quick": "dfst-raw"}
"""What the seeds of a preset are called, as training left them."""


def results_of_run(path: str | Path) -> list[Result]:
    """A result for each seed of a finished run that followed its preset unchanged."""
    folder = RunFolder(path)
    plan = read_config(folder.path)
    learner = LEARNERS.get(plan.recipe.preset)
    if learner is None or not _unchanged(plan):
        found = f"the preset {plan.recipe.preset}{' with other settings' if learner else ''}"
        raise InputError(
            f"{path} must hold a task learnt by the preset {' or '.join(LEARNERS)}, changed in nothing but "
            f"its seeds; found {found}; learn it anew"
        )
    try:
        device = str(json.loads(folder.report_file.read_text("utf-8"))["device"])
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} holds no finished run ({error}); finish it: --resume {path}") from error
    last, count = logged(folder, plan.recipe, plan.recipe.steps)[-1], plan.recipe.seeds
    seeds = plan.recipe.seed_numbers
    first = f" --set first_seed={seeds[0]}" if seeds[0] else ""
    begun_on = device.split(",")[0]  # it may have been continued elsewhere
    command = (
        f"dfst learn {plan.problem.name} --preset {plan.recipe.preset}{first} --seeds {count} "
        f"--device {begun_on}"
    )
    results = []
    for seed, loss in zip(seeds, last.losses.tolist(), strict=True):
        weights = load_weights(folder.seed_file(seed))
        trained = Trained(
            subject=Rollout(weights.astype(np.float32)),
            samples=weights.examples,
            parameters=weights.shape.size,
            iterations=plan.recipe.steps,
            seconds=last.seconds,
            loss=loss,
            settings={
                "hidden_size": weights.shape.d, "recipe": plan.recipe.preset,
                "rate": plan.recipe.learning_rate,
                "polish": "none", "seeds_side_by_side": count,
            },
        )  # fmt: skip
        result = measure(learner, plan.problem, seed, "cpu", trained)
        results.append(
            replace(
                result, device=device, machine=f"trained on {device}, measured on {result.machine}",
                command=f"{command} --out RUN; dfst compare --run RUN",
            )
        )  # fmt: skip
    return results


def _unchanged(plan: RunConfig) -> bool:
    """Whether it is what the learner is compared by."""
    if not plan.problem.sizes:
        return False
    usual, ours = plan_of(plan.problem.name, 0, plan.recipe.preset), plan.recipe
    size = usual.recipe.hidden_size or usual.problem.known_size or ours.hidden_size
    assert isinstance(size, int)
    recipe = replace(usual.recipe, seeds=ours.seeds, first_seed=ours.first_seed, hidden_size=size)
    return plan.problem.as_json() == usual.problem.as_json() and ours == recipe.for_size(size)
