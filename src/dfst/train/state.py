"""The state of a training run between two steps: everything that a checkpoint must hold.

Legend: s seeds, P parameters of one model (flat, in the order of `Shape.split`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dfst.errors import InputError
from dfst.model.weights import Shape, initial_parameters
from dfst.train.recipe import LOOKS


@dataclass
class TrainingState:
    """Mutable, owned by one training loop; engines advance it in place."""

    shape: Shape
    seeds: NDArray[np.int64]  # (s,)
    theta: NDArray[Any]  # (s, P) parameters
    first: NDArray[Any]  # (s, P) Adam's running mean of gradients
    second: NDArray[Any]  # (s, P) Adam's running mean of squared gradients
    norm: NDArray[np.float64]  # (s,) running average of the gradient's norm, by which it is clipped
    slowdown: NDArray[np.float64]
    """(s,) what the learning rate is multiplied by: halved at a divergence, then rising to 1"""
    good: NDArray[Any]
    """(s, 3, P) parameters and moments at the last logging point that a diverged seed goes on from"""
    alive: NDArray[np.bool_]
    """(s,) False once a seed met a loss or gradient beyond its precision; its parameters then stay put"""
    total: NDArray[np.float64]  # (s,) sum of the losses since the last logging point
    looks: NDArray[np.int64]
    """(s, looks) learnt states that the seeds had at each look; 0: none, or not yet looked"""
    losses: NDArray[np.float64]
    """(s,) mean losses up to it; NaN before the first one, and where a seed diverged"""
    iteration: int = 0
    device: str = ""  # where the steps were taken, cpu or cuda, or "cuda, cpu" if it went on elsewhere

    def agree(self, look: int) -> bool:
        """Whether all of several seeds had the same learnt states at this look as at the one before."""
        now, before = self.looks[:, look], self.looks[:, look - 1]
        same = (now == now[0]) & (now == before) & (now > 0)
        return look > 0 and len(now) >= SEVERAL and bool(same.all())

    def misfit(self, like: TrainingState, steps: int) -> str | None:
        """What about a state that was read cannot be, in a training of so many steps that began as `like`."""
        if self.shape != like.shape or list(self.seeds) != list(like.seeds):
            return "it belongs to another configuration"
        for name in ARRAYS:
            found, fresh = getattr(self, name), getattr(like, name)
            if (found.shape, found.dtype) != (fresh.shape, fresh.dtype):
                return f"{name} is {found.dtype} of shape {found.shape}"
            if found.dtype.kind == "f" and name != "losses" and not np.isfinite(found[self.alive]).all():
                return f"{name} holds NaN or infinity"
        wrong = {
            f"it is at step {self.iteration:,} of {steps:,}": not 0 <= self.iteration <= steps,
            "a mean of squares is negative": (self.second[self.alive] < 0).any() or (self.norm < 0).any(),
            "slowdown is not between 0 and 1": not ((self.slowdown > 0) & (self.slowdown <= 1)).all(),
            "a number of learnt states is negative": (self.looks < 0).any(),
        }
        return next((words for words, holds in wrong.items() if holds), None)


SEVERAL = 4  # seeds whose agreement counts for something
ARRAYS = (
    "alive", "seeds", "theta", "first", "second", "norm", "slowdown", "good", "total", "looks", "losses",
)  # fmt: skip
"""The arrays of a state, that which says of which seeds the others must be finite first"""


def initial_state(
    shape: Shape, seeds: Sequence[int], dtype: Any, start: ArrayLike | None = None
) -> TrainingState:
    """A fresh run: a model for each seed, at the paper's start or at the parameters given, (s, P)."""
    if start is None:
        start = [initial_parameters(shape, seed, dtype) for seed in seeds]
    theta = np.array(start, dtype=dtype)
    if theta.shape != (len(seeds), shape.size):
        raise InputError(f"a start must have the shape {(len(seeds), shape.size)}, found {theta.shape}")
    count, first, second = len(seeds), np.zeros_like(theta), np.zeros_like(theta)
    return TrainingState(
        shape, np.asarray(seeds, dtype=np.int64), theta, first, second, norm=np.ones(count),
        slowdown=np.ones(count), good=np.stack([theta, first, second], axis=1),
        alive=np.ones(count, dtype=bool), total=np.zeros(count),
        looks=np.zeros((count, len(LOOKS)), dtype=np.int64), losses=np.full(count, np.nan),
    )  # fmt: skip
