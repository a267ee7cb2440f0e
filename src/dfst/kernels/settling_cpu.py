"""The gradient of `settling` compiled for the CPU, each product by `tile`."""

from __future__ import annotations

import numpy as np

from dfst.compiling import inner
from dfst.kernels.cpu import address
from dfst.kernels.settling import SQUARE
from dfst.kernels.tile import multiply


@inner
def add_settling(theta, k, d, weight, steps, scratch, straight, gradient):
    """Add the gradient of one seed's penalty, times weight, to its flat gradient (P,).

    scratch (len(steps) + 5, d, D), D being d padded to whole vectors; straight (≥ d,): 0, 1, 2, …
    """
    count = len(steps)
    zero, size, row = scratch.dtype.type(0), scratch.itemsize, scratch.shape[2] * scratch.itemsize
    at, to, columns, one = address(scratch), address(straight), scratch.shape[2], d * row
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
