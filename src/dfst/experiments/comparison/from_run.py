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
from dfst.experiments.comparison.measure import measure
from dfst.experiments.comparison.result import Result
from dfst.experiments.comparison.tasks import plan_of
from dfst.experiments.rivals.assignment import Trained
from dfst.learning.learn import resume_plan
from dfst.learning.plan import Plan
from dfst.learning.runfolder import RunFolder
from dfst.learning.train import logged
from dfst.model.weights import load_weights
from dfst.rollout.compiled import Rollout

LEARNERS = {"descent": "dfst-descent", "quick": "dfst-raw"}
"""What the seeds of a preset are called, as training left them."""


def results_of_run(path: str | Path) -> list[Result]:
    """A result for each seed of a finished run that followed its preset unchanged."""
    folder = RunFolder(path)
    plan = resume_plan(folder.path)
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
    last, count = logged(folder, plan.recipe, plan.recipe.iterations)[-1], len(plan.seeds)
    first = f" --first-seed {plan.seeds[0]}" if plan.seeds[0] else ""
    begun_on = device.split(",")[0]  # it may have been continued elsewhere
    command = (
        f"dfst learn {plan.agent.name} --preset {plan.recipe.preset}{first} --seeds {count} "
        f"--device {begun_on}"
    )
    results = []
    for seed, loss in zip(plan.seeds, last.losses.tolist(), strict=True):
        weights = load_weights(folder.seed_file(seed))
        trained = Trained(
            subject=Rollout(weights.astype(np.float32)),
            samples=int(weights.training["samples"]),
            parameters=weights.shape.size,
            iterations=plan.recipe.iterations,
            seconds=last.seconds,
            loss=loss,
            settings={
                "hidden_size": weights.shape.d, "recipe": plan.recipe.preset, "rate": plan.recipe.rate,
                "polish": "none", "seeds_side_by_side": count,
            },
        )  # fmt: skip
        result = measure(learner, plan.agent, seed, "cpu", trained)
        results.append(
            replace(
                result, device=device, machine=f"trained on {device}, measured on {result.machine}",
                command=f"{command} --out RUN; dfst compare --run RUN",
            )
        )  # fmt: skip
    return results


def _unchanged(plan: Plan) -> bool:
    """Whether it is the plan by which the learner is compared."""
    if plan.expert is None or plan.expert.task is None:
        return False
    usual = plan_of(plan.agent.name, 0, plan.recipe.preset)
    recipe = usual.recipe.with_overrides(seeds=plan.recipe.seeds)
    same = (plan.hidden_size, plan.sampling, plan.inputs) == (usual.hidden_size, usual.sampling, usual.inputs)
    return same and plan.recipe == recipe
