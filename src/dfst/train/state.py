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
from dfst.model.initial import initial_parameters
from dfst.model.weights import Shape


@dataclass
class TrainingState:
    """Mutable, owned by one training loop; engines advance it in place."""

    shape: Shape
    seeds: NDArray[np.int64]
    """(s,)"""
    theta: NDArray[Any]
    """(s, P) parameters"""
    first: NDArray[Any]
    """(s, P) Adam's running mean of gradients"""
    second: NDArray[Any]
    """(s, P) Adam's running mean of squared gradients"""
    norm: NDArray[np.float64]
    """(s,) running average of the gradient's norm, by which it is clipped"""
    slowdown: NDArray[np.float64]
    """(s,) what the learning rate is multiplied by, halved at every divergence"""
    good: NDArray[Any]
    """(s, 3, P) parameters and moments at the last logging point that a diverged seed goes on from"""
    alive: NDArray[np.bool_]
    """(s,) False once a seed met a loss or gradient beyond its precision; its parameters then stay put"""
    iteration: int = 0


def initial_state(
    shape: Shape, seeds: Sequence[int], dtype: Any, start: ArrayLike | None = None
) -> TrainingState:
    """A fresh run: a model for each seed, at the paper's start or at the parameters given, (s, P)."""
    if start is None:
        start = [initial_parameters(shape, seed, dtype) for seed in seeds]
    theta = np.array(start, dtype=dtype)
    if theta.shape != (len(seeds), shape.size):
        raise InputError(f"a start must have the shape {(len(seeds), shape.size)}, found {theta.shape}")
    return TrainingState(
        shape,
        np.asarray(seeds, dtype=np.int64),
        theta,
        np.zeros_like(theta),
        np.zeros_like(theta),
        np.ones(len(seeds)),
        np.ones(len(seeds)),
        np.stack([theta, np.zeros_like(theta), np.zeros_like(theta)], axis=1),
        np.ones(len(seeds), dtype=bool),
    )
