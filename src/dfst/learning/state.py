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
    good: NDArray[Any]
    """(s, P) parameters at the last logging point with a finite loss; what a diverged seed falls back to"""
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
        theta.copy(),
        np.ones(len(seeds), dtype=bool),
    )
