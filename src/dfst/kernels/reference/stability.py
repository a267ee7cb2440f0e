"""The stability penalty: a word repeated 64 or 72 times must do what it did when repeated 52 times.

    w Σ min ½ log(1 + ‖P^64 − P^52‖²), ½ log(1 + ‖P^72 − P^52‖²)

over the words of a step; P is the product of the word's matrices, P^52 is held fixed. Traces cannot tell a
loop (A h = h) from a state that grows or drifts (A h = h + u) in a direction that no output reads, and that
takes over on long inputs. The penalty is quadratic in a drift, so that it goes to zero; the growth of norms
that was penalised before is of fourth order in it, and left a percent a symbol. What loops, what dies out in
fifty rounds and what turns in a cycle costs nothing: twelve rounds are whole turns of a cycle of 2, 3, 4 or
6, twenty of one of 2, 4 or 5, and a word needs but one of the two. (Sixty would do for all at once. But they
are whole turns of a rotation by a sixtieth, too, and descent learnt loops as such.) As P^52 is held fixed, a
loop that is half learnt and fades is pulled up and never down to nothing; what fades faster has no slope. By
the logarithm no word drowns the others.

Matrices that are stable one by one may grow when they take turns, so a word may have several symbols, P =
A[z] A[y] A[x]: in every other step each word is one that the traces read, drawn by a hash; in the steps
between, it is a symbol. A word whose powers leave the range of the numbers is left out of that step.
docs/concepts/stability.md, docs/research/descent.md.

This is the slow twin; `kernels.cpu.stability` and `kernels.gpu.stability` are fast.
"""

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.kernels.reference.noise import MASK, mix, noise_key
from dfst.traces.reweighting import NO_SYMBOL

FOURTH, EIGHTH, SQUARINGS = 2, 3, 6
"""Squarings that lead from P to P^4, to P^8 and to P^64: P^52 is P^32 P^16 P^4, and P^72 is P^64 P^8."""
HELD = 52


def words_of(seed: int, step: int, symbols: int, shown: NDArray[np.int8]) -> NDArray[np.int64]:
    """(symbols, length) the words of one step of one seed, NO_SYMBOL after their end; shown (n, length)."""
    words = np.full((symbols, shown.shape[1]), NO_SYMBOL)
    words[:, 0] = np.arange(symbols)
    if step % 2 and len(shown):
        key = noise_key(seed, step)
        for i in range(symbols):
            words[i] = shown[mix((key + i + 1) & MASK) % len(shown)]
    return words


def stability_penalty(
    A: NDArray[Any], words: NDArray[np.int64], held: NDArray[Any] | None = None
) -> tuple[float, NDArray[Any]]:
    """The penalty of matrices (k, d, d) and its slope, w = 1; P^52 is one of the matrices `held`, or of A."""
    penalty, gradient = 0.0, np.zeros_like(A)
    for padded in words:
        word = padded[padded != NO_SYMBOL]
        before = [np.eye(A.shape[-1])]
        for x in word:
            before.append(A[x] @ before[-1])
        near = reduce(lambda product, x: (A if held is None else held)[x] @ product, word, before[0])
        some, slope = _of_a_word(before.pop(), np.linalg.matrix_power(near, HELD))
        penalty += some
        for x in word[::-1]:
            gradient[x] += slope @ before.pop().T
            slope = A[x].T @ slope
    return penalty, gradient


def _of_a_word(P: NDArray[Any], near: NDArray[Any]) -> tuple[float, NDArray[Any]]:
    """The penalty on the far powers of P and on the near one, and its slope by the P of the far ones."""
    powers = [P]
    for _ in range(SQUARINGS):
        powers.append(powers[-1] @ powers[-1])
    far, eighth = powers.pop(), powers[EIGHTH]
    further = far @ eighth
    size, size_further = (((power - near) ** 2).sum() for power in (far, further))
    if not np.isfinite(size):
        return 0.0, np.zeros_like(P)
    of_eighth = np.zeros_like(P)
    if size_further < size:
        size, change = size_further, (further - near) / (1 + size_further)
        gradient, of_eighth = change @ eighth.T, far.T @ change
    else:
        gradient = (far - near) / (1 + size)
    while powers:
        root = powers.pop().T
        gradient = gradient @ root + root @ gradient
        if len(powers) == EIGHTH:
            gradient += of_eighth
    return 0.5 * float(np.log1p(size)), gradient
