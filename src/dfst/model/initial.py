"""Where training starts: the paper's identity initialisation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.model.weights import Shape


def initial_parameters(shape: Shape, seed: int, dtype: Any) -> NDArray[Any]:
    """(P,) the paper's start: A[x] = identity, B = C = 0, h0 uniform in (0, 1) scaled to length 1."""
    theta = np.zeros(shape.size, dtype=dtype)
    A, _, _, h0 = shape.split(theta)
    A[...] = np.eye(shape.d, dtype=dtype)
    draw = np.random.default_rng(seed).random(shape.d)
    h0[...] = draw / np.linalg.norm(draw)
    return theta
