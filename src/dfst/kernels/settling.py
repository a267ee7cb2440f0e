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
from dfst.kernels.cpu import address
from dfst.kernels.tile import multiply

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
def add_settling(theta, k, d, weight, scratch, straight, gradient):
    """Add the gradient of one seed's penalty, times weight, to its flat gradient (P,).

    scratch (SQUARINGS + 4, d, D), D being d padded to whole vectors; straight (≥ d,): 0, 1, 2, …
    """
    D, size = scratch.shape[2], scratch.itemsize
    zero, row, to = scratch.dtype.type(0), D * size, address(straight)
    at, fresh, onto = address(scratch), np.int64(1), np.int64(0)
    one, turned_at = d * row, at + (SQUARINGS + 1) * d * row
    turned, total, other = scratch[SQUARINGS + 1], scratch[SQUARINGS + 2], scratch[SQUARINGS + 3]
    D_at, total_at, other_at = at + SQUARINGS * one, turned_at + one, turned_at + 2 * one
    scratch[:] = 0
    for x in range(k):
        begin = x * d * d
        for i in range(d):
            for j in range(d):
                scratch[0, i, j] = theta[begin + i * d + j]
        for n in range(SQUARINGS):
            a = at + n * one
            multiply(zero, size, a, row, size, a, row, a + one, row, to, d, d, D, fresh)
        norm = theta.dtype.type(1)
        for i in range(d):
            for j in range(d):
                away = scratch[SQUARINGS, i, j] - scratch[SQUARINGS - 1, i, j]
                scratch[SQUARINGS, i, j] = away
                norm += away * away
        for n in range(SQUARINGS - 1, -1, -1):
            a = at + n * one
            source = D_at if n == SQUARINGS - 1 else total_at
            for i in range(d):
                for j in range(d):
                    turned[i, j] = scratch[n, j, i]
            multiply(zero, size, source, row, size, turned_at, row, other_at, row, to, d, d, D, fresh)
            multiply(zero, size, turned_at, row, size, source, row, other_at, row, to, d, d, D, onto)
            for i in range(d):
                for j in range(d):
                    first = scratch[SQUARINGS, i, j] if n == SQUARINGS - 1 else zero
                    scale = 1 / norm if n == SQUARINGS - 1 else zero + 1
                    total[i, j] = (other[i, j] - first) * scale
        for i in range(d):
            for j in range(d):
                gradient[begin + i * d + j] += theta.dtype.type(weight) * total[i, j]
