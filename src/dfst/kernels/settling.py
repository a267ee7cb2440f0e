"""A walk must settle: P^2n = P^n, where P is a walk over one symbol, or over a few in turn.

Along the traces a walk is a few cells long, so they cannot tell a loop (A h = h) from a state that drifts in
a direction no answer looks at (A h = h + u). Over thousands of cells the drift grows, and what is left of
other states falls onto it. A walk that loops or dies out has P^2n = P^n for an n that outlasts what dies; a
drift, growth and turning have not. No trace is needed to say so, and a right model has nothing to lose by it:
unlike decay it does not pull a loop's eigenvalue of 1 towards 0. Cycles whose length divides n are let be.

    penalty of a seed:   w Σ_x ½ log(1 + ‖D‖²),   D = P^2n − P^n,   P = A[x]

But where a loop is half learnt, with an eigenvalue λ < 1, the way from λ^n to λ^2n is shortest towards 0, and
a walk that may end on the way leaves a slope at the right solution. Growth alone has neither fault: what dies
out costs nothing, and a right model, whose walks loop or end, never grows.

    growth only:         w Σ_x ½ max(0, g)²,       g = log(‖P^2n‖ / ‖P^n‖)

Matrices that settle one by one may still grow when they take turns, and an agent that takes a digit, adds it
and goes up does take turns. So P may be a walk over several symbols, A[z] A[y] A[x]: in every other step each
is one that the traces show, drawn by a hash; in the steps between, A[x] A[x] A[x] for every symbol x.

The logarithm keeps the gradient within bounds where powers explode, as they do at the start of a training.
Here as it is meant; `settling_cpu` and `gpu_settling` are fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.kernels.noise import MASK, mix, noise_key

SQUARE, TIMES_P = 0, 1
"""How a power is made from the one before: its square, or its product with P itself."""


def steps_to(n: int) -> NDArray[np.int64]:
    """The steps from P to P^2n. n: a power of two, or three times one."""
    first, steps = (3, [SQUARE, TIMES_P]) if n % 3 == 0 else (1, [])
    doublings = (n // first).bit_length()
    steps += [SQUARE] * doublings
    if n < 1 or first << doublings != 2 * n:
        raise InputError(f"a walk must settle by 1, 2, 3, 4, 6, 8, 12, 16, 24 … rounds, found {n}")
    return np.array(steps)


def walks_of(seed: int, step: int, symbols: int, shown: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(symbols, length) what the walks of one step of one seed read; shown (n, length): `windows`."""
    length = shown.shape[1]
    walks = np.repeat(np.arange(symbols), length).reshape(symbols, length)
    if length > 1 and step % 2 and len(shown):
        key = noise_key(seed, step)
        for i in range(symbols):
            walks[i] = shown[mix((key + i + 1) & MASK) % len(shown)]
    return walks


def settling(
    A: NDArray[Any], walks: NDArray[np.int64], n: int, growth: bool = False
) -> tuple[float, NDArray[Any]]:
    """The penalty of matrices (k, d, d), on growth only if so, and its gradient, for w = 1."""
    penalty, gradient = 0.0, np.zeros_like(A)
    for walk in walks:
        before = [np.eye(A.shape[-1])]
        for x in walk:
            before.append(A[x] @ before[-1])
        some, slope = _of_a_round(before.pop(), n, growth)
        penalty += some
        for x in walk[::-1]:
            gradient[x] += slope @ before.pop().T
            slope = A[x].T @ slope
    return penalty, gradient


def _of_a_round(P: NDArray[Any], n: int, growth: bool) -> tuple[float, NDArray[Any]]:
    """The penalty on P^2n and P^n, and its gradient by P."""
    steps, powers = steps_to(n), [P]
    for step in steps:
        powers.append(powers[-1] @ (powers[-1] if step == SQUARE else P))
    penalty, gradient, at_near = (_growth if growth else _change)(powers[-1], powers[-2])
    of_P = np.zeros_like(P)
    for i in range(len(steps) - 1, -1, -1):
        if steps[i] == SQUARE:
            gradient = gradient @ powers[i].T + powers[i].T @ gradient
        else:
            of_P += powers[i].T @ gradient
            gradient = gradient @ P.T
        if i == len(steps) - 1:
            gradient = gradient + at_near
    return penalty, gradient + of_P


def _change(far: NDArray[Any], near: NDArray[Any]) -> tuple[float, NDArray[Any], NDArray[Any]]:
    """½ log(1 + ‖far − near‖²), and its gradient by either."""
    D = far - near
    size = (D * D).sum()
    return 0.5 * float(np.log1p(size)), D / (1 + size), -D / (1 + size)


def _growth(far: NDArray[Any], near: NDArray[Any]) -> tuple[float, NDArray[Any], NDArray[Any]]:
    """½ max(0, log(‖far‖ / ‖near‖))², and its gradient by either."""
    far_size, near_size = (far * far).sum(), (near * near).sum()
    if far_size <= near_size:
        return 0.0, np.zeros_like(far), np.zeros_like(near)
    grown = 0.5 * float(np.log(far_size / near_size))
    return 0.5 * grown**2, grown / far_size * far, -grown / near_size * near
