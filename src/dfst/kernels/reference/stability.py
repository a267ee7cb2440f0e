"""The stability penalty: a word that is repeated for long must do no more than it did when repeated twice.

    w Σ ½ log(1 + ‖P^12 − P^2‖²)

over the words of a step; P is the product of the word's matrices, and P^2 is held fixed. Traces cannot tell a
loop (A h = h) from a state that grows or drifts (A h = h + u) in a direction that no output reads, and that
takes over on long inputs. The penalty is quadratic in a drift, so that it goes to zero; the growth of norms
that was penalised before is of fourth order in it, and left a percent a symbol. What loops, what dies out in
twelve symbols and what turns in a cycle costs nothing: ten rounds of six symbols are whole turns of any cycle
whose length divides 60. (With 30 rounds a loop could be learnt as a slow turn, once in 180 symbols, and was.)
As P^2 is held fixed, a loop that is half learnt and fades is pulled up and never down to nothing; what fades
faster has no slope at P^12. By the logarithm no word drowns the others.

Matrices that are stable one by one may grow when they take turns, so a word has several symbols, P = A[z]
A[y] A[x]: in every other step each word is one that the traces repeat, drawn by a hash; in the steps between,
x x x for every symbol x. A word whose powers leave the range of the numbers is left out of that step.
docs/concepts/stability.md, docs/research/one-recipe.md.

This is the slow twin; `kernels.cpu.stability` and `kernels.gpu.stability` are fast.
"""

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.kernels.reference.noise import MASK, mix, noise_key

WORD = 6  # symbols in a word: shorter ones that the traces repeat are repeated until they have as many
NEAR, SQUARINGS = 1, 3  # from P to P^2, which is held fixed, and to P^8; P^12 is P^8 P^4


def words_of(seed: int, step: int, symbols: int, shown: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(symbols, length) the words of one step of one seed; shown (n, length): `words_of_length`."""
    length = shown.shape[1]
    words = np.repeat(np.arange(symbols), length).reshape(symbols, length)
    if length > 1 and step % 2 and len(shown):
        key = noise_key(seed, step)
        for i in range(symbols):
            words[i] = shown[mix((key + i + 1) & MASK) % len(shown)]
    return words


def stability_penalty(
    A: NDArray[Any], words: NDArray[np.int64], squarings: int, held: NDArray[Any] | None = None
) -> tuple[float, NDArray[Any]]:
    """The penalty of matrices (k, d, d) and its slope, w = 1; P^2 is made of the matrices `held`, or of A."""
    penalty, gradient = 0.0, np.zeros_like(A)
    for word in words:
        before = [np.eye(A.shape[-1])]
        for x in word:
            before.append(A[x] @ before[-1])
        near = reduce(lambda product, x: (A if held is None else held)[x] @ product, word, before[0])
        some, slope = _of_a_word(before.pop(), np.linalg.matrix_power(near, 2**NEAR), squarings)
        penalty += some
        for x in word[::-1]:
            gradient[x] += slope @ before.pop().T
            slope = A[x].T @ slope
    return penalty, gradient


def _of_a_word(P: NDArray[Any], near: NDArray[Any], squarings: int) -> tuple[float, NDArray[Any]]:
    """The penalty on the far power of P and on the near one, and its slope by the P of the far one."""
    powers = [P]
    for _ in range(squarings):
        powers.append(powers[-1] @ powers[-1])
    last, before = powers.pop(), powers[-1]
    change = last @ before - near
    size = (change * change).sum()
    if not np.isfinite(size):
        return 0.0, np.zeros_like(P)
    change_slope = change / (1 + size)
    gradient, at_before = change_slope @ before.T, last.T @ change_slope
    while powers:
        root = powers.pop().T
        gradient = gradient @ root + root @ gradient + at_before
        at_before = np.zeros_like(P)
    return 0.5 * float(np.log1p(size)), gradient
