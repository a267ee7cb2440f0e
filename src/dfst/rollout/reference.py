"""The DFST as a control unit, readably: one matrix-vector product a step.

Sums run over the hidden units in order, one rounding an operation, as in the compiled loop and in the
browser, so that all three agree to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.model.weights import Weights


class DfstUnit:
    """h ← A[x] h; symbol = argmax B[x] h; motion = argmax C[x] h."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.name = weights.name
        self.alphabet = weights.alphabet
        self.blank = weights.blank
        self.encode = weights.encode
        self._motions = weights.motion_codes()
        self.h = weights.h0.copy()
        self.margin = np.inf

    def reset(self) -> None:
        self.h = self.weights.h0.copy()
        self.margin = np.inf

    def step(self, symbol: int) -> tuple[int, int]:
        written = self._decide(self.weights.B[symbol])
        motion = self._decide(self.weights.C[symbol])
        self.h = in_order(self.weights.A[symbol], self.h)
        return written, int(self._motions[motion])

    def _decide(self, matrix: NDArray[Any]) -> int:
        scores = in_order(matrix, self.h)
        best = int(np.argmax(scores))
        rest = np.delete(scores, best)
        if rest.size:
            self.margin = min(self.margin, float(scores[best] - rest.max()))
        return best


def in_order(matrix: NDArray[Any], h: NDArray[Any]) -> NDArray[Any]:
    """matrix @ h, the sum over j taken from left to right."""
    total = np.zeros(matrix.shape[0], dtype=h.dtype)
    for j in range(h.size):
        total += matrix[:, j] * h[j]
    return total
