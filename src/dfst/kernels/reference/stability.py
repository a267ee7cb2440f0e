"""The stability penalty: the product P of the matrices of a word must not grow when the word is repeated.

    w Σ ½ max(0, g)²,      g = log(‖P^2n‖ / ‖P^n‖)

over the words of a step. Traces cannot tell a loop (A h = h) from a state that grows or drifts in a direction
no output reads, which takes over on long inputs. What dies out and what turns in a cycle of any length costs
nothing. The larger n, the smaller the growth that shows, but the more the penalty disturbs the loops.
Matrices that are stable one by one may grow when they take turns, so a word has several symbols, P = A[z]
A[y] A[x]: in every other step each word is one that the traces repeat, drawn by a hash; in the steps between,
x x x for every symbol x. A word whose powers leave the range of the numbers is left out of that step.
docs/concepts/stability.md, docs/research/one-recipe.md.

This is the slow twin; `kernels.cpu.stability` and `kernels.gpu.stability` are fast.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.kernels.reference.noise import MASK, mix, noise_key

WORD = 6  # symbols in a word: shorter ones that the traces repeat are repeated until they have as many
SQUARINGS = 3  # from P to P^2n: n is 4


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
    A: NDArray[Any], words: NDArray[np.int64], squarings: int
) -> tuple[float, NDArray[Any]]:
    """The penalty of matrices (k, d, d), and its gradient, for w = 1."""
    penalty, gradient = 0.0, np.zeros_like(A)
    for word in words:
        before = [np.eye(A.shape[-1])]
        for x in word:
            before.append(A[x] @ before[-1])
        some, slope = _of_a_word(before.pop(), squarings)
        penalty += some
        for x in word[::-1]:
            gradient[x] += slope @ before.pop().T
            slope = A[x].T @ slope
    return penalty, gradient


def _of_a_word(P: NDArray[Any], squarings: int) -> tuple[float, NDArray[Any]]:
    """The penalty on P^2n and P^n, and its gradient by P."""
    powers = [P]
    for _ in range(squarings):
        powers.append(powers[-1] @ powers[-1])
    penalty, gradient, at_near = _growth(powers.pop(), powers[-1])
    while powers:
        root = powers.pop().T
        gradient = gradient @ root + root @ gradient + at_near
        at_near = np.zeros_like(P)  # only the last square has a slope of its own
    return penalty, gradient


def _growth(far: NDArray[Any], near: NDArray[Any]) -> tuple[float, NDArray[Any], NDArray[Any]]:
    """½ max(0, log(‖far‖ / ‖near‖))², and its gradient by either."""
    far_size, near_size = (far * far).sum(), (near * near).sum()
    if not near_size < far_size < np.inf:
        return 0.0, np.zeros_like(far), np.zeros_like(near)
    grown = 0.5 * float(np.log(far_size / near_size))
    return 0.5 * grown**2, grown / far_size * far, -grown / near_size * near
