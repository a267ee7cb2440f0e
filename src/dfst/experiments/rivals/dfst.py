"""The DFST itself as a learner, by the pipeline behind `dfst learn`: with the polish, or without it.

One seed is trained alone, so that it can be set beside one seed of any rival; `dfst learn` trains several
and keeps the best. The wall time is that until the model is finished: without the final evaluation and, where
nothing is polished, without what follows the training.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.spectral import spectral_parameters
from dfst.learning.learn import learn
from dfst.learning.learnt import Learnt
from dfst.learning.progress import Narrator, Progress
from dfst.learning.runfolder import RunFolder
from dfst.model.weights import Shape
from dfst.rollout.compiled import Rollout
from dfst.traces.traceset import TraceSet

ASKED_DIGITS = (3,)
"""What the pipeline itself asks at its end: little, since the comparison asks more."""


def train(assignment: Assignment) -> Trained:
    """Trained and polished."""
    return _train(assignment, polish=True)


def train_raw(assignment: Assignment) -> Trained:
    """Trained only."""
    return _train(assignment, polish=False)


def train_from_spectral(assignment: Assignment) -> Trained:
    """Trained and polished from the spectral solution, in place of the paper's start."""
    traces = assignment.plan.traces()
    start = _contracted(assignment.plan.shape(traces), traces, assignment.seed)
    return _train(assignment, polish=True, start=start[None])


def _contracted(shape: Shape, traces: TraceSet, seed: int) -> NDArray[np.float64]:
    """(P,) the spectral solution, each A[x] shrunk to spectral radius 1, or long traces would overflow."""
    theta = spectral_parameters(traces, shape.d, seed)[1]
    for matrix in shape.split(theta)[0]:
        matrix /= max(1.0, float(np.abs(np.linalg.eigvals(matrix)).max()))
    return theta


def _train(assignment: Assignment, polish: bool, start: NDArray[np.float64] | None = None) -> Trained:
    recipe = assignment.plan.recipe.with_overrides(iterations=assignment.iterations, polish=polish)
    folder = RunFolder(assignment.folder / "run")
    learnt = learn(
        replace(assignment.plan, recipe=recipe),
        folder.path,
        assignment.device,
        ASKED_DIGITS,
        _Teller(assignment),
        resume=folder.exists(),
        start=start,
    )
    return trained_of(learnt)


def trained_of(learnt: Learnt) -> Trained:
    """What a run of one seed came to, as every learner hands it back."""
    weights, recipe = learnt.weights, learnt.plan.recipe
    finished = learnt.seconds - sum(report.seconds for report in learnt.reports)
    return Trained(
        subject=Rollout(weights.astype(np.float32)),
        samples=len(learnt.traces),
        parameters=weights.shape.size,
        iterations=recipe.iterations,
        seconds=finished if recipe.polish else learnt.training_seconds,
        loss=learnt.chosen.loss,
        settings={
            "hidden_size": weights.shape.d,
            "recipe": recipe.preset,
            "rate": recipe.rate,
            "polish": weights.training.get("polish", "none"),
            "strength": learnt.strength,
        },
    )


class _Teller(Narrator):
    """Passes the training's progress on."""

    def __init__(self, assignment: Assignment) -> None:
        self._tell = assignment.progress

    def progress(self, progress: Progress) -> None:
        if self._tell:
            self._tell(progress.iteration, progress.iterations, float(progress.losses[0]))
