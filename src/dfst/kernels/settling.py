"""A walk over one symbol must settle: a penalty on ‖A[x]^16 − A[x]^8‖ for every symbol x.

Along the traces a walk is a few cells long, so they cannot tell a loop (A h = h) from a state that drifts in
a direction no answer looks at (A h = h + u). Over thousands of cells the drift grows, and what is left of
other states falls onto it. A walk that loops or dies out has A^2n = A^n for an n that outlasts what dies; a
drift, growth and turning have not. No trace is needed to say so, and a right model has nothing to lose by it:
unlike decay it does not pull a loop's eigenvalue of 1 towards 0. (n = 8 lets cycles of 2, 4 and 8 cells be.)

    penalty of a seed:   w Σ_x ½ log(1 + ‖D‖²),   D = A[x]^2n − A[x]^n

The logarithm keeps the gradient within bounds where powers explode, as they do at the start of a training.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.compiling import inner

SQUARINGS = 4
"""2n = 2^SQUARINGS"""


def settling(A: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """(…,) penalty and (…, d, d) gradient of matrices (…, d, d), for w = 1. The slow twin."""
    powers = [A]
    for _ in range(SQUARINGS):
        powers.append(powers[-1] @ powers[-1])
    D = powers[-1] - powers[-2]
    size = (D * D).sum(axis=(-2, -1), keepdims=True)
    slope = D / (1 + size)
    gradient = slope
    for power in powers[-2::-1]:
        gradient = gradient @ power.swapaxes(-2, -1) + power.swapaxes(-2, -1) @ gradient
        if power is powers[-2]:
            gradient = gradient - slope
    return 0.5 * np.log1p(size)[..., 0, 0], gradient


@inner
def product(a, b, c, fresh):
    """c (d, d) = (if not fresh, +=) a b."""
    d = a.shape[0]
    for i in range(d):
        if fresh:
            c[i, :] = 0
        for j in range(d):
            value = a[i, j]
            for l in range(d):
                c[i, l] += value * b[j, l]


@inner
def add_settling(theta, k, d, weight, scratch, gradient):
    """Add the gradient of one seed's penalty, times weight, to its flat gradient (P,).

    scratch (SQUARINGS + 4, d, d).
    """
    powers, slope, total, other = scratch[: SQUARINGS + 1], scratch[-3], scratch[-2], scratch[-1]
    for x in range(k):
        part = slice(x * d * d, (x + 1) * d * d)
        powers[0] = theta[part].reshape((d, d))
        for i in range(SQUARINGS):
            product(powers[i], powers[i], powers[i + 1], np.int64(1))
        slope[:] = powers[SQUARINGS] - powers[SQUARINGS - 1]
        size = theta.dtype.type(1)
        for i in range(d):
            for j in range(d):
                size += slope[i, j] * slope[i, j]
        slope[:] = slope / size
        total[:] = slope
        for i in range(SQUARINGS - 1, -1, -1):
            turned = powers[SQUARINGS]  # no longer needed
            turned[:] = powers[i].T
            product(total, turned, other, np.int64(1))
            product(turned, total, other, np.int64(0))
            total[:] = other
            if i == SQUARINGS - 1:
                total -= slope
        gradient[part] += theta.dtype.type(weight) * total.reshape(d * d)
