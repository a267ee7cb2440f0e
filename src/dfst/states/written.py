"""An exact model in the basis of its own learnt states, so that its hidden state repeats to the bit.

A change of basis changes nothing that a DFST does. Take the learnt states for unit vectors: then A[x] has to
move unit vectors to unit vectors and the scores have to be 0 and 1. A model that is exact up to rounding is
this up to rounding, so rounding its numbers to 0 and 1 makes it exact: no sum is rounded any more, in any
format, in any order. The learnt machine is written back into the weights. A model that is not exact is
refused.

Legend: n learnt states, Σ symbols, d hidden size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import MISSING
from dfst.model.weights import Weights
from dfst.states.extract import Refused
from dfst.states.graph import StateGraph

NEAR = 1e-3
"""A number this near to 0 or 1 was meant to be it."""


@dataclass(frozen=True)
class Written:
    """The model in the basis of its learnt states, and how little it took."""

    weights: Weights
    moved: float
    """The farthest that any number in use lay from the 0 or 1 it became."""


def write_back(graph: StateGraph) -> Written:
    """The model of the graph with unit vectors for learnt states; `Refused` where it is not exact enough.

    Directions in which no learnt state lies, and symbols that are never read in one, become zero.
    """
    weights, (n, d) = graph.weights, graph.hidden.shape
    H = graph.hidden.astype(np.float64).T
    if n > d or np.linalg.matrix_rank(H) < n:
        raise Refused(f"{weights.name}: its {n} learnt states are no basis of {d} dimensions")
    back = np.linalg.pinv(H)
    A, B, C = (np.zeros_like(part, dtype=np.float64) for part in (weights.A, weights.B, weights.C))
    moved = 0.0
    for x in range(len(weights.alphabet)):
        met = np.flatnonzero(graph.next[:, x] != MISSING)
        going = np.flatnonzero(graph.next[:, x] >= 0)
        outside = weights.A[x] @ H[:, going] - H @ (back @ weights.A[x] @ H[:, going])
        A[x, :n, going] = (back @ weights.A[x] @ H[:, going]).T
        B[x][:, met], C[x][:, met] = weights.B[x] @ H[:, met], weights.C[x] @ H[:, met]
        moved = max(moved, float(np.abs(outside).max(initial=0)))
    moved = max(moved, *(_distance(part) for part in (A, B, C)))
    if not moved <= NEAR:
        raise Refused(
            f"{weights.name}: in the basis of its learnt states its numbers are {moved:.1e} from 0 and 1; "
            "only a model that is exact up to rounding can be written back"
        )
    A, B, C, h0 = (np.rint(part) + 0.0 for part in (A, B, C, np.eye(d)[0]))
    return Written(replace(weights, A=A, B=B, C=C, h0=h0).astype(weights.dtype), moved)


def _distance(numbers: NDArray[np.float64]) -> float:
    """From 0 or 1, whichever is nearer."""
    return float(np.minimum(np.abs(numbers), np.abs(numbers - 1)).max())
