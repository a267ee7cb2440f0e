"""From the parameters of a training run to weights that can act, with their history written on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.learning.plan import Plan
from dfst.model.weights import Weights
from dfst.traces.traceset import TraceSet
from dfst.world.grid import BLANK


def weights_of(
    theta: NDArray[Any], plan: Plan, traces: TraceSet, seed: int, iterations: int, **more: str
) -> Weights:
    """One seed's parameters (P,) as weights."""
    agent = plan.agent
    A, B, C, h0 = (np.array(part) for part in plan.shape(traces).split(theta))
    return Weights(
        A,
        B,
        C,
        h0,
        alphabet=tuple(BLANK if i == agent.blank else s for i, s in enumerate(agent.alphabet)),
        motions=traces.motions,
        layout=agent.layout,
        name=agent.name,
        task=agent.task,
        training={
            "samples": str(len(traces)),
            "data_seed": str(plan.sampling.data_seed) if plan.sampling else "",
            "seed": str(seed),
            "iterations": str(iterations),
            "recipe": plan.recipe.preset,
            **more,
        },
    )
