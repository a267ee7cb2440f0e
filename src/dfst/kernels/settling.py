"""A walk over one symbol must settle: a penalty on ‖A[x]^2n − A[x]^n‖ for every symbol x.

Along the traces a walk is a few cells long, so they cannot tell a loop (A h = h) from a state that drifts in
a direction no answer looks at (A h = h + u). Over thousands of cells the drift grows, and what is left of
other states falls onto it. A walk that loops or dies out has A^2n = A^n for an n that outlasts what dies; a
drift, growth and turning have not. No trace is needed to say so, and a right model has nothing to lose by it:
unlike decay it does not pull a loop's eigenvalue of 1 towards 0. Cycles whose length divides n are let be.

    penalty of a seed:   w Σ_x ½ log(1 + ‖D‖²),   D = A[x]^2n − A[x]^n

The logarithm keeps the gradient within bounds where powers explode, as they do at the start of a training.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.compiling import inner
from dfst.errors import InputError
from dfst.kernels.cpu import address
from dfst.kernels.tile import multiply

SQUARE, TIMES_A = 0, 1
"""How a power is made from the one before: its square, or its product with A itself."""


def steps_to(n: int) -> NDArray[np.int64]:
    """The steps from A to A^2n. n: a power of two, or three times one."""
    doublings = (n // 3 if n % 3 == 0 else n).bit_length()
    steps = [SQUARE, TIMES_A][: 2 * (n % 3 == 0)] + [SQUARE] * doublings
    if n < 1 or (3 if n % 3 == 0 else 1) << doublings != 2 * n:
        raise InputError(f"a walk must settle by 1, 2, 3, 4, 6, 8, 12, 16, 24 … cells, found {n}")
    return np.array(steps)


def settling(A: NDArray[Any], n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """(…,) penalty and (…, d, d) gradient of matrices (…, d, d), for w = 1. The slow twin."""
    steps, powers = steps_to(n), [A]
    for step in steps:
        powers.append(powers[-1] @ (powers[-1] if step == SQUARE else A))
    D = powers[-1] - powers[-2]
    size = (D * D).sum(axis=(-2, -1), keepdims=True)
    slope = D / (1 + size)
    gradient, of_A = slope, np.zeros_like(A)
    for i in range(len(steps) - 1, -1, -1):
        turned, A_turned = powers[i].swapaxes(-2, -1), A.swapaxes(-2, -1)
        if steps[i] == SQUARE:
            gradient = gradient @ turned + turned @ gradient
        else:
            of_A += turned @ gradient
            gradient = gradient @ A_turned
        if i == len(steps) - 1:
            gradient = gradient - slope
    return 0.5 * np.log1p(size)[..., 0, 0], gradient + of_A


@inner
def add_settling(theta, k, d, weight, steps, scratch, straight, gradient):
    """Add the gradient of one seed's penalty, times weight, to its flat gradient (P,).

    scratch (len(steps) + 5, d, D), D being d padded to whole vectors; straight (≥ d,): 0, 1, 2, …
    """
    count = len(steps)
    zero, size, row = scratch.dtype.type(0), scratch.itemsize, scratch.shape[2] * scratch.itemsize
    at, to, columns, one = address(scratch), address(straight), scratch.shape[2], d * scratch.shape[2]
    one *= size
    fresh, onto = np.int64(1), np.int64(0)
    powers, away = scratch[: count + 1], scratch[count]
    turned, slope, other, of_A = (
        scratch[count + 1],
        scratch[count + 2],
        scratch[count + 3],
        scratch[count + 4],
    )
    turned_at, slope_at, other_at, of_A_at = (
        at + (count + 1) * one, at + (count + 2) * one, at + (count + 3) * one, at + (count + 4) * one
    )  # fmt: skip
    scratch[:] = 0
    for x in range(k):
        begin = x * d * d
        for i in range(d):
            for j in range(d):
                powers[0, i, j] = theta[begin + i * d + j]
                of_A[i, j] = 0
        for n in range(count):
            a = at + n * one
            b = a if steps[n] == SQUARE else at
            multiply(zero, size, a, row, size, b, row, a + one, row, to, d, d, columns, fresh)
        norm = theta.dtype.type(1)
        for i in range(d):
            for j in range(d):
                away[i, j] -= powers[count - 1, i, j]
                norm += away[i, j] * away[i, j]
        for i in range(d):
            for j in range(d):
                away[i, j] /= norm
                slope[i, j] = away[i, j]
        for n in range(count - 1, -1, -1):
            # the way back: slope · (right factor)ᵀ to the left one, (left factor)ᵀ · slope to the right one
            right = powers[n] if steps[n] == SQUARE else powers[0]
            left_at, right_at = at + n * one, other_at if steps[n] == SQUARE else of_A_at
            for i in range(d):
                for j in range(d):
                    turned[i, j] = right[j, i]
            multiply(zero, size, slope_at, row, size, turned_at, row, other_at, row, to, d, d, columns, fresh)
            multiply(zero, size, left_at, size, row, slope_at, row, right_at, row, to, d, d, columns, onto)
            for i in range(d):
                for j in range(d):
                    slope[i, j] = other[i, j] - (away[i, j] if n == count - 1 else zero)
        for i in range(d):
            for j in range(d):
                gradient[begin + i * d + j] += theta.dtype.type(weight) * (slope[i, j] + of_A[i, j])
