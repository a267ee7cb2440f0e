"""A walk over one symbol must settle: a penalty on ‖A[x]^2n − A[x]^n‖ for every symbol x.

Along the traces a walk is a few cells long, so they cannot tell a loop (A h = h) from a state that drifts in
a direction no answer looks at (A h = h + u). Over thousands of cells the drift grows, and what is left of
other states falls onto it. A walk that loops or dies out has A^2n = A^n for an n that outlasts what dies; a
drift, growth and turning have not. No trace is needed to say so, and a right model has nothing to lose by it:
unlike decay it does not pull a loop's eigenvalue of 1 towards 0. Cycles whose length divides n are let be.

    penalty of a seed:   w Σ_x ½ log(1 + ‖D‖²),   D = A[x]^2n − A[x]^n

The logarithm keeps the gradient within bounds where powers explode, as they do at the start of a training.
Here as it is meant; `settling_cpu` and `gpu_settling` are fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError

SQUARE, TIMES_A = 0, 1
"""How a power is made from the one before: its square, or its product with A itself."""


def steps_to(n: int) -> NDArray[np.int64]:
    """The steps from A to A^2n. n: a power of two, or three times one."""
    first, steps = (3, [SQUARE, TIMES_A]) if n % 3 == 0 else (1, [])
    doublings = (n // first).bit_length()
    steps += [SQUARE] * doublings
    if n < 1 or first << doublings != 2 * n:
        raise InputError(f"a walk must settle by 1, 2, 3, 4, 6, 8, 12, 16, 24 … cells, found {n}")
    return np.array(steps)


def settling(A: NDArray[Any], n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """(…,) penalty and (…, d, d) gradient of matrices (…, d, d), for w = 1."""
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
