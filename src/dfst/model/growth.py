"""Growth: what a hidden state is multiplied by when the same few symbols are read again and again. What
grows takes over on a long input (docs/concepts/stability.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dfst.model.weights import Weights

HARMFUL = 0.005
"""A round: of 224 models of mult2 all that grew by more than 0.6 % failed at 600 digits or before."""


@dataclass(frozen=True)
class Growth:
    """The round that grows most."""

    symbols: str
    rate: float  # what it is multiplied by in a round, less 1; negative where everything dies out

    @property
    def harmful(self) -> bool:
        return self.rate > HARMFUL

    def sentence(self) -> str:
        return f"an error grows by {self.rate:.1%} whenever it reads {self.symbols} once more"


def fastest_growth(weights: Weights, rounds: Iterable[Sequence[int]]) -> Growth | None:
    """Of all rounds (`traces.rounds`) the one with the largest eigenvalue; None if there is no round."""
    A = weights.A.astype(np.float64)
    found = []
    for symbols in rounds:
        product = np.eye(weights.shape.d)
        for x in symbols:
            product = A[x] @ product
        if np.isfinite(product).all():
            rate = float(np.abs(np.linalg.eigvals(product)).max()) - 1
            found.append(Growth("".join(weights.alphabet[x] for x in symbols), rate))
    return max(found, key=lambda growth: growth.rate, default=None)
