"""What a proof says about the weights: hidden states, margins, and for how many steps errors are bounded.

The checker recomputes decisions, margins and residuals. `recheck_steps` does the same for the step counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.agents.agent import HALT, MISSING
from dfst.model.weights import Weights, from_bytes
from dfst.proof.checker import Rejected
from dfst.proof.match import Pairing
from dfst.proof.packing import packed, unpacked
from dfst.proof.rounding import Edges, covered_steps
from dfst.states.graph import StateGraph

ROUNDING_SLACK = 1e-13
"""The checker sums in another order than the explorer; residuals and margins may differ by this much."""


def weights_claim(graph: StateGraph, pairing: Pairing) -> dict[str, Any]:
    """The part of a proof that is about the weights; `steps` is empty where all steps are covered."""
    exact = graph.tolerance == 0
    states = np.array(pairing.subject, dtype=np.int32)
    slack = 0.0 if exact else ROUNDING_SLACK * max(1.0, float(np.abs(graph.hidden).max()))
    steps = {} if exact else _steps(graph.weights, graph.hidden, states, pairing.machine.next)
    return {
        "fingerprint": graph.weights.fingerprint(),
        "arithmetic": "bits" if exact else "tolerance",
        "tolerance": graph.tolerance,
        "contexts": packed(states),
        "hidden": packed(graph.hidden),
        "radius": graph.radius + slack,
        "margin": graph.smallest_margin - slack,
        "steps": steps,
    }


def recheck_steps(proof: dict[str, Any], weights: bytes) -> dict[str, float]:
    """The step counts of a checked proof, computed again; `Rejected` if the proof claims more."""
    claim = proof["weights"]
    model = from_bytes(weights, "the weights")
    if claim["arithmetic"] == "bits":
        return {str(model.dtype): np.inf}
    hidden, states = unpacked(claim["hidden"]), unpacked(claim["contexts"])
    steps = _steps(model, hidden, states, unpacked(proof["machine"]["next"]))
    for name, claimed in claim["steps"].items():
        found = steps.get(name, 0)
        if claimed > found:
            raise Rejected(
                f"the proof claims {claimed:,} steps in {name} arithmetic, but {found:,} are covered"
            )
    return steps


def _steps(
    weights: Weights, hidden: NDArray[Any], states: NDArray[np.int32], following: NDArray[np.int32]
) -> dict[str, float]:
    stacked = np.concatenate([weights.A, weights.B, weights.C], axis=1)
    edges: Edges = {}
    for p, x in np.argwhere(following != MISSING):
        target = following[p, x]
        edges[int(states[p]), int(x)] = HALT if target == HALT else int(states[target])
    return covered_steps(stacked, hidden, edges, len(weights.alphabet))
