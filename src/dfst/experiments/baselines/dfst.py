"""The DFST itself as a learner, by the pipeline behind `dfst learn`: with the polish, or without it.

One seed is trained alone, as one seed of any other learner is. The wall time is that until the model is
finished: without the final evaluation and, where nothing is polished, without what follows the training.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.learning import learn
from dfst.model.rollout.compiled import Rollout
from dfst.states.follow import hidden_states
from dfst.train.config import RunConfig
from dfst.train.runfolder import RunFolder
from dfst.viewer.report import write_learning_report

ASKED_DIGITS = (3,)
"""What the pipeline asks of a model that was not polished: little, since the comparison asks more."""


def train(assignment: Assignment) -> Trained:
    """By the recipe of the plan."""
    return _train(assignment, assignment.plan)


def train_raw(assignment: Assignment) -> Trained:
    """Trained only."""
    recipe = replace(assignment.plan.recipe, polish=False)
    return _train(assignment, replace(assignment.plan, recipe=recipe, sizes=ASKED_DIGITS))


def _train(assignment: Assignment, plan: RunConfig) -> Trained:
    config, folder = replace(plan, device=assignment.device), RunFolder(assignment.folder)
    learnt = learn(config, folder.path, assignment.narrator, resume=folder.exists())
    write_learning_report(learnt)
    weights, recipe = learnt.weights, learnt.recipe
    finished = learnt.seconds - learnt.report.seconds
    return Trained(
        subject=Rollout(weights.astype(np.float32)),
        samples=len(learnt.traces),
        parameters=weights.shape.size,
        iterations=recipe.steps,
        seconds=finished if recipe.polish else learnt.training_seconds,
        loss=learnt.chosen.loss,
        settings={
            "hidden_size": weights.shape.d,
            "recipe": recipe.preset,
            "rate": recipe.learning_rate,
            "polish": weights.provenance.polish or "none",
            "strength": learnt.strength,
        },
        hidden=hidden_states(weights),
        learnt=learnt,
    )
