"""The DFST itself as a learner, by the pipeline behind `dfst learn`: with the polish, or without it.

One seed is trained alone, as one seed of any other learner is; `dfst learn` trains several and keeps the
best. The wall time is that until the model is finished: without the final evaluation and, where
nothing is polished, without what follows the training.
"""

from __future__ import annotations

import numpy as np

from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.learning import learn
from dfst.model.rollout.compiled import Rollout
from dfst.states.follow import hidden_states
from dfst.train.learnt import Learnt
from dfst.train.progress import Narrator, Progress
from dfst.train.runfolder import RunFolder

ASKED_DIGITS = (3,)
"""What the pipeline itself asks at its end: little, since the comparison asks more."""


def train(assignment: Assignment) -> Trained:
    """Trained and polished."""
    return _train(assignment, polish=True)


def train_raw(assignment: Assignment) -> Trained:
    """Trained only."""
    return _train(assignment, polish=False)


def _train(assignment: Assignment, polish: bool) -> Trained:
    recipe = assignment.plan.recipe.with_overrides(polish=polish)
    folder = RunFolder(assignment.folder / "run")
    learnt = learn(
        assignment.plan.problem,
        recipe,
        folder.path,
        assignment.device,
        ASKED_DIGITS,
        _Teller(assignment),
        resume=folder.exists(),
    )
    return trained_of(learnt)


def trained_of(learnt: Learnt) -> Trained:
    """What a run of one seed came to, as every learner hands it back."""
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
    )


class _Teller(Narrator):
    """Passes the training's progress on."""

    def __init__(self, assignment: Assignment) -> None:
        self._tell = assignment.progress

    def progress(self, progress: Progress) -> None:
        if self._tell:
            self._tell(progress.iteration, progress.iterations, float(progress.losses[0]))
