"""In which coordinates errors are counted: the learnt states themselves, where they are a basis.

A model that moves each learnt state to another never makes an error larger that is written as a sum of
learnt states and measured by the sizes of the coefficients. The checker takes any invertible matrix for the
measure; this one covers most steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def states_as_basis(hidden: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(Z, Y), Y the inverse of Z: coordinates in as many learnt states as are independent, and a rest.

    hidden (n, d). States are taken greedily, the farthest from the span of those before it first.
    """
    states = hidden.astype(np.float64)
    rest, basis = states.copy(), list[NDArray[np.float64]]()
    size = float(np.linalg.norm(states, axis=1).max()) or 1.0
    while len(basis) < states.shape[1]:
        length = np.linalg.norm(rest, axis=1)
        at = int(np.argmax(length))
        if length[at] < 1e-3 * size:
            break
        basis.append(states[at])
        direction = rest[at] / length[at]
        rest -= np.outer(rest @ direction, direction)
    taken = np.array(basis).reshape(-1, states.shape[1])
    beyond = np.linalg.svd(taken)[2][len(basis) :] * size if len(basis) else np.eye(states.shape[1])
    Y = np.concatenate([taken, beyond]).T
    return np.linalg.inv(Y), np.ascontiguousarray(Y)
