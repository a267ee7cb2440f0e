"""The gradient of `stability_penalty` compiled for the CPU, each product by `tile`."""

from __future__ import annotations

import numpy as np
from numba import njit

from dfst.compiling import inner
from dfst.kernels.cpu.noise import mix, noise_key
from dfst.kernels.cpu.recurrence import address
from dfst.kernels.reference.noise import MASK
from dfst.kernels.reference.stability import SQUARE
from dfst.model.rollout.tile import multiply

SPARE = 6
"""Matrices of scratch besides the products of a word and the powers of the last of them."""


@njit(cache=True)
def fill_words(seed, step, shown, words):
    """`stability.words_of` into words (symbols, length)."""
    symbols, length = words.shape
    drawn = length > 1 and step % 2 == 1 and len(shown) > 0
    key = noise_key(seed, step)
    for i in range(symbols):
        at = mix((key + i + 1) & MASK) % len(shown) if drawn else 0
        for l in range(length):
            words[i, l] = shown[at, l] if drawn else i


@inner
def _slopes(far, near, d):
    """What far and near are multiplied by for their slopes; 0 where nothing grows, or overflows."""
    real = far.dtype.type
    far_size, near_size = real(0), real(0)
    for i in range(d):
        for j in range(d):
            far_size += far[i, j] * far[i, j]
            near_size += near[i, j] * near[i, j]
    if not near_size < far_size < np.inf:
        return real(0), real(0)
    grown = real(0.5) * np.log(far_size / near_size)
    return grown / far_size, -grown / near_size


@inner
def add_stability(theta, words, d, weight, steps, scratch, straight, gradient):
    """Add the gradient of one seed's penalty, times weight, to its flat gradient (P,).

    words (symbols, length); scratch (length − 1 + len(steps) + SPARE, d, D), D being d padded to whole
    vectors; straight (≥ d,): 0, 1, 2, …
    """
    chain, count = words.shape[1] - 1, len(steps)
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
    for word in range(len(words)):
        begin = words[word, 0] * d * d
        for i in range(d):
            for j in range(d):
                products[0, i, j] = theta[begin + i * d + j]
                part[i, j] = 0
        for l in range(1, chain + 1):
            begin, b = words[word, l] * d * d, at + (l - 1) * one
            for i in range(d):
                for j in range(d):
                    factor[i, j] = theta[begin + i * d + j]
            multiply(zero, size, factor_at, row, size, to, b, row, b + one, row, to, d, d, columns, fresh)
        for n in range(count):
            a = base_at + n * one
            b = a if steps[n] == SQUARE else base_at
            multiply(zero, size, a, row, size, to, b, row, a + one, row, to, d, d, columns, fresh)
        of_far, of_near = _slopes(products[last], products[last - 1], d)
        if of_far == 0:
            continue
        for i in range(d):
            for j in range(d):
                far, near = products[last, i, j], products[last - 1, i, j]
                slope[i, j] = of_far * far
                away[i, j] = of_near * near
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
            begin = words[word, l] * d * d
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
        begin = words[word, 0] * d * d
        for i in range(d):
            for j in range(d):
                gradient[begin + i * d + j] += real(weight) * slope[i, j]
