"""The gradient of `settling` compiled for the CPU, each product by `tile`."""

from __future__ import annotations

import numpy as np
from numba import njit

from dfst.compiling import inner
from dfst.kernels.cpu import address
from dfst.kernels.noise import MASK
from dfst.kernels.noise_cpu import mix, noise_key
from dfst.kernels.settling import SQUARE
from dfst.kernels.tile import multiply

SPARE = 6
"""Matrices of scratch besides the products of a walk and the powers of the last of them."""


@njit(cache=True)
def fill_walks(seed, step, shown, walks):
    """`settling.walks_of` into walks (symbols, length)."""
    symbols, length = walks.shape
    drawn = length > 1 and step % 2 == 1 and len(shown) > 0
    key = noise_key(seed, step)
    for i in range(symbols):
        at = mix((key + i + 1) & MASK) % len(shown) if drawn else 0
        for l in range(length):
            walks[i, l] = shown[at, l] if drawn else i


@inner
def _slopes(far, near, d, growth):
    """What far and near, or else their difference, are multiplied by for the slopes of far and of near."""
    real = far.dtype.type
    far_size, near_size, size = real(0), real(0), real(1)
    for i in range(d):
        for j in range(d):
            far_size += far[i, j] * far[i, j]
            near_size += near[i, j] * near[i, j]
            size += (far[i, j] - near[i, j]) ** 2
    if not growth:
        return 1 / size, -1 / size
    if far_size <= near_size:
        return real(0), real(0)
    grown = real(0.5) * np.log(far_size / near_size)
    return grown / far_size, -grown / near_size


@inner
def add_settling(theta, walks, d, weight, steps, growth, scratch, straight, gradient):
    """Add the gradient of one seed's penalty, times weight, to its flat gradient (P,).

    walks (symbols, length); scratch (length − 1 + len(steps) + SPARE, d, D), D being d padded to whole
    vectors; straight (≥ d,): 0, 1, 2, …
    """
    chain, count = walks.shape[1] - 1, len(steps)
    real = theta.dtype.type
    zero, size, row = real(0), scratch.itemsize, scratch.shape[2] * scratch.itemsize
    at, to, columns, one = address(scratch), address(straight), scratch.shape[2], d * row
    fresh, onto = np.int64(1), np.int64(0)
    last = chain + count
    products, away = scratch[: last + 1], scratch[last]
    turned, slope, other, part, factor = (
        scratch[last + 1], scratch[last + 2], scratch[last + 3], scratch[last + 4], scratch[last + 5]
    )  # fmt: skip
    turned_at, slope_at, other_at, part_at, factor_at = (
        at + (last + 1) * one, at + (last + 2) * one, at + (last + 3) * one, at + (last + 4) * one,
        at + (last + 5) * one,
    )  # fmt: skip
    base_at = at + chain * one
    scratch[:] = 0
    for walk in range(len(walks)):
        begin = walks[walk, 0] * d * d
        for i in range(d):
            for j in range(d):
                products[0, i, j] = theta[begin + i * d + j]
                part[i, j] = 0
        for l in range(1, chain + 1):
            begin, b = walks[walk, l] * d * d, at + (l - 1) * one
            for i in range(d):
                for j in range(d):
                    factor[i, j] = theta[begin + i * d + j]
            multiply(zero, size, factor_at, row, size, to, b, row, b + one, row, to, d, d, columns, fresh)
        for n in range(count):
            a = base_at + n * one
            b = a if steps[n] == SQUARE else base_at
            multiply(zero, size, a, row, size, to, b, row, a + one, row, to, d, d, columns, fresh)
        of_far, of_near = _slopes(products[last], products[last - 1], d, growth)
        for i in range(d):
            for j in range(d):
                far, near = products[last, i, j], products[last - 1, i, j]
                slope[i, j] = of_far * (far if growth else far - near)
                away[i, j] = of_near * (near if growth else far - near)
        for n in range(count - 1, -1, -1):
            # the way back: slope · (right factor)ᵀ to the left one, (left factor)ᵀ · slope to the right one
            right = products[chain + n] if steps[n] == SQUARE else products[chain]
            left_at, right_at = base_at + n * one, other_at if steps[n] == SQUARE else part_at
            for i in range(d):
                for j in range(d):
                    turned[i, j] = right[j, i]
            multiply(
                zero, size, slope_at, row, size, to, turned_at, row, other_at, row, to, d, d, columns, fresh
            )
            multiply(
                zero, size, left_at, size, row, to, slope_at, row, right_at, row, to, d, d, columns, onto
            )
            for i in range(d):
                for j in range(d):
                    slope[i, j] = other[i, j] + (away[i, j] if n == count - 1 else zero)
        for i in range(d):
            for j in range(d):
                slope[i, j] += part[i, j]
        for l in range(chain, 0, -1):
            begin = walks[walk, l] * d * d
            for i in range(d):
                for j in range(d):
                    turned[i, j] = products[l - 1, j, i]
                    factor[i, j] = theta[begin + i * d + j]
            multiply(
                zero, size, slope_at, row, size, to, turned_at, row, part_at, row, to, d, d, columns, fresh
            )
            multiply(
                zero, size, factor_at, size, row, to, slope_at, row, other_at, row, to, d, d, columns, fresh
            )
            for i in range(d):
                for j in range(d):
                    gradient[begin + i * d + j] += real(weight) * part[i, j]
                    slope[i, j] = other[i, j]
        begin = walks[walk, 0] * d * d
        for i in range(d):
            for j in range(d):
                gradient[begin + i * d + j] += real(weight) * slope[i, j]
