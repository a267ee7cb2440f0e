"""The curriculum: short questions first, and what changes when a model masters a length.

As published: a model sees lengths up to its current one, the longer ones more often, and now and then any
longer one. When few enough of its answers are wrong, the length grows by one and the pull between the sets
of shared parameters grows with it; a pull that is strong makes way for plain averaging. The learning rate
falls when the loss rose above its last three values. Gradient noise fades with the steps and the errors.

Added here, for training under a clock: in the last part of the budget the pull grows in every round, so that
the sets have become one when time is up, and the learning rate falls for a model at the longest length. And a
model that stays at a short length for too long begins anew from other random parameters: what was published
is the best of many starts, too.

A round is a fixed number of steps, after which the curriculum is looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dfst.experiments.rivals.neural_gpu.data import LONGEST

AHEAD = 0.25
"""How often a model sees questions that may be longer than its current length."""


@dataclass(frozen=True)
class Schedule:
    """Everything that decides how a model is trained."""

    columns: int = 1344
    """Cells of a batch: 32 questions about operands of 20 digits, more when they are shorter."""
    longest: int = LONGEST
    iterations: int = 30_000
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
class Course:
    """How far a model has come."""

    length: int
    """Digits of the operands, at most"""
    rate: float
    """Learning rate"""
    pull: float
    wrong: float = 1.0
    """Part of the answers that were wrong when last judged"""
    losses: tuple[float, ...] = ()
    """The last three at this length, newest last"""
    stalled: int = 0
    """Judgements since the last progress"""
    attempt: int = 0
    """How often the model began anew"""


def first_course(rate: float, schedule: Schedule, attempt: int = 0) -> Course:
    return Course(min(3, schedule.longest), rate, schedule.pull, attempt=attempt)


def choose_length(length: int, longest: int, rng: np.random.Generator) -> int:
    """Digits of the next questions for a model that has come to `length`."""
    digits = int(rng.integers(1, length + 1))
    if rng.random() < 0.6:
        digits = max(digits, int(rng.integers(1, length + 1)))
    if rng.random() < AHEAD:
        digits = max(digits, int(rng.integers(1, longest + 1)))
    return digits


def gradient_noise(course: Course, iteration: int, schedule: Schedule) -> float:
    """The size of the noise added to the gradients: none once fewer than 2% of the answers are wrong."""
    return schedule.gradient_noise * math.sqrt(max(1, iteration) ** -0.55 * max(0.0, course.wrong - 0.02))


def judge(
    course: Course, steps: float, loss: float, wrong: float, spent: float, rate: float, schedule: Schedule
) -> tuple[Course, bool]:
    """The course after a round, one attempt on if the model begins anew; whether the sets are averaged.

    steps, loss, wrong: how many steps were at the model's own lengths, and sums over these steps
    spent: the part of the budget that is gone
    rate: the learning rate with which the model began
    """
    gathering = spent >= schedule.gathering
    judged = steps >= schedule.least_steps
    if judged:
        loss, wrong = loss / steps, wrong / steps
    mastered = judged and wrong < schedule.wrong_answers
    stalled = 0 if mastered else course.stalled + judged
    if stalled >= schedule.patience and course.length <= schedule.far and not gathering:
        return first_course(rate, schedule, course.attempt + 1), False
    tighten = mastered or gathering
    average = tighten and course.pull >= schedule.strongest_pull
    if tighten and not average:
        course = replace(course, pull=course.pull * schedule.pull_growth)
    at_end = course.length >= schedule.longest
    worse = judged and len(course.losses) == 3 and loss > max(course.losses)
    settled = average and judged and wrong < schedule.wrong_answers / 3
    if worse or settled or (gathering and at_end):
        course = replace(course, rate=0.98 * course.rate)
    if judged:
        course = replace(course, wrong=wrong, losses=(*course.losses, loss)[-3:])
    if mastered and not at_end:
        course = replace(course, length=course.length + 1, losses=())
    return replace(course, stalled=stalled), average
