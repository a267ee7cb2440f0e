"""The curriculum: short questions first, and what changes when a model masters a length.

As published: a model sees lengths up to its current one, the longer ones more often, and now and then any
longer one. When few enough of its answers are wrong, the length grows by one and the pull between the sets
of shared parameters grows with it; a pull that is strong makes way for plain averaging. The learning rate
falls when the loss rose above its last three values. Gradient noise fades with the steps and the errors.

Added here, for training under a clock: in the last part of the budget the pull grows in every round, so that
the sets have become one when time is up, and the learning rate falls for models at the longest length. And a
model that stays at a short length for too long begins anew from other random parameters: what was published
is the best of many starts, too.

Legend: s models. A round is a fixed number of steps, after which the curriculum is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dfst.experiments.rivals.neural_gpu.data import LONGEST


@dataclass(frozen=True)
class Recipe:
    """Everything that decides how models are trained."""

    columns: int = 1344
    """Columns of a ribbon: 32 questions about operands of 20 digits, more when they are shorter."""
    longest: int = LONGEST
    iterations: int = 30_000
    learning_rate: float = 0.004
    largest_gradient: float = 1.0
    """Gradients are scaled down to this norm."""
    gradient_noise: float = 0.001
    dropout: float = 0.09
    """Scaled by 8/n: a question of n cells meets dropout n times."""
    pull: float = 0.0005
    pull_growth: float = 1.2
    strongest_pull: float = 0.1
    wrong_answers: float = 0.15
    """A length counts as mastered when fewer answers than this are wrong."""
    round_steps: int = 100
    least_steps: int = 25
    """Steps at lengths up to its own that a model needs before its errors are judged."""
    patience: int = 40
    """Judgements without progress after which a model begins anew, if it has not come far."""
    far: int = 8
    """Digits; a model that came to more keeps what it has learnt."""
    gathering: float = 0.7
    """Part of the budget after which the pull grows in every round, and no model begins anew."""


@dataclass(frozen=True)
class Courses:
    """How far each model has come."""

    length: NDArray[np.int64]
    """(s,) digits of the operands, at most"""
    rate: NDArray[np.float64]
    """(s,) learning rate"""
    pull: NDArray[np.float64]
    """(s,)"""
    wrong: NDArray[np.float64]
    """(s,) part of the answers that were wrong when last judged"""
    losses: NDArray[np.float64]
    """(s, 3) the last losses, newest last"""
    stalled: NDArray[np.int64]
    """(s,) judgements since the last progress"""
    attempt: NDArray[np.int64]
    """(s,) how often the model began anew"""


@dataclass(frozen=True)
class Verdict:
    """What a round leads to."""

    courses: Courses
    average: NDArray[np.bool_]
    """(s,) whose sets are replaced by their average"""
    restart: NDArray[np.bool_]
    """(s,) who begins anew"""


def first_courses(rates: NDArray[np.float64], recipe: Recipe) -> Courses:
    """Where models with these learning rates (s,) begin."""
    models = len(rates)
    return Courses(
        length=np.full(models, min(3, recipe.longest)),
        rate=rates.copy(),
        pull=np.full(models, recipe.pull),
        wrong=np.ones(models),
        losses=np.full((models, 3), np.inf),
        stalled=np.zeros(models, dtype=np.int64),
        attempt=np.zeros(models, dtype=np.int64),
    )


def choose_leader(courses: Courses, rng: np.random.Generator) -> int:
    """The model whose length decides the next step: each gets the same share of time, not of steps."""
    share = 1 / (2 * courses.length + 1)
    return int(rng.choice(len(share), p=share / share.sum()))


def choose_length(length: int, longest: int, rng: np.random.Generator) -> int:
    """Digits of the next questions for a model that has come to `length`."""
    digits = int(rng.integers(1, length + 1))
    if rng.random() < 0.6:
        digits = max(digits, int(rng.integers(1, length + 1)))
    if rng.random() < AHEAD:
        digits = max(digits, int(rng.integers(1, longest + 1)))
    return digits


AHEAD = 0.25
"""How often a model sees questions that may be longer than its current length."""


def takes_part(courses: Courses, digits: int, leader: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """(s,) which models learn from a step: those at that length already, and now and then the others."""
    part = (digits <= courses.length) | (rng.random(len(courses.length)) < AHEAD)
    part[leader] = True
    return part


def gradient_noise(courses: Courses, iteration: int, recipe: Recipe) -> NDArray[np.float64]:
    """(s,) the size of the noise added to the gradients: none once fewer than 2% of the answers are wrong."""
    wrong = np.clip(courses.wrong - 0.02, 0.0, None)
    scale: NDArray[np.float64] = recipe.gradient_noise * np.sqrt(max(1, iteration) ** -0.55 * wrong)
    return scale


def judge_round(
    courses: Courses,
    steps: NDArray[np.float64],
    loss: NDArray[np.float64],
    wrong: NDArray[np.float64],
    spent: float,
    rates: NDArray[np.float64],
    recipe: Recipe,
) -> Verdict:
    """The courses after a round.

    steps, loss, wrong (s,): how many steps were at a model's own lengths, and sums over these steps
    spent: the part of the budget that is gone
    rates (s,): the learning rates with which models begin
    """
    judged = steps >= recipe.least_steps
    count = np.maximum(steps, 1)
    loss, wrong = loss / count, wrong / count
    mastered = judged & (wrong < recipe.wrong_answers)
    at_end = courses.length >= recipe.longest
    gathering = spent >= recipe.gathering

    tighten = mastered | gathering
    average = tighten & (courses.pull >= recipe.strongest_pull)
    pull = np.where(tighten & ~average, courses.pull * recipe.pull_growth, courses.pull)
    worse = judged & (loss > courses.losses.max(axis=1))
    settled = average & judged & (wrong < recipe.wrong_answers / 3)
    stalled = np.where(mastered, 0, courses.stalled + judged)
    restart = (stalled >= recipe.patience) & (courses.length <= recipe.far) & (not gathering)
    grown = mastered & ~at_end
    losses = np.where(judged[:, None], np.column_stack([courses.losses[:, 1:], loss]), courses.losses)
    after = Courses(
        length=courses.length + grown,
        rate=courses.rate * np.where(worse | settled | (gathering & at_end), 0.98, 1.0),
        pull=pull,
        wrong=np.where(judged, wrong, courses.wrong),
        losses=np.where(grown[:, None], np.inf, losses),
        stalled=stalled,
        attempt=courses.attempt + restart,
    )
    fresh = replace(first_courses(rates, recipe), attempt=after.attempt)
    return Verdict(_chosen(restart, fresh, after), average & ~restart, restart)


def _chosen(where: NDArray[np.bool_], fresh: Courses, courses: Courses) -> Courses:
    """The courses `fresh` where it is said, else `courses`."""
    chosen = {
        name: np.where(where[:, None] if value.ndim == 2 else where, getattr(fresh, name), value)
        for name, value in vars(courses).items()
    }
    return Courses(**chosen)
