"""Any grid agent as an exact DFST: the universality theorem of the paper, as code.

State i of the agent is the basis vector e_i. A rule (state i, symbol j) → (write j', motion l, state i')
becomes three ones: A[j, i', i], B[j, j', i] and C[j, l, i]. All sums are then sums of one 1 and zeros, so
the model is exact in every floating-point format. A halting rule shows motion S; its next state is 0.
"""

from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError
from dfst.machines.agent import MISSING, Agent
from dfst.model.weights import Provenance, Weights, symbols_of_model
from dfst.world.grid import MOTION_NAMES, MOTIONS, N


def compile_agent(agent: Agent, d: int | None = None, dtype: Any = np.float32) -> Weights:
    """The agent as a one-hot DFST of dimension d (default: its number of states)."""
    q, k = agent.next.shape
    d = q if d is None else d
    if d < q:
        raise InputError(f"{agent.name} has {counted(q, 'state')}, so d must be at least {q}, found {d}")
    given = agent.next != MISSING
    motions = MOTION_NAMES if (agent.action[given] == N).any() else MOTIONS
    A, B, C = (np.zeros((k, rows, d), dtype=dtype) for rows in (d, k, len(motions)))
    for i, j in zip(*np.nonzero(given), strict=True):
        if agent.next[i, j] >= 0:
            A[j, agent.next[i, j], i] = 1
        B[j, agent.write[i, j], i] = 1
        C[j, agent.action[i, j], i] = 1
    h0 = np.eye(1, d, dtype=dtype)[0]
    return Weights(
        A, B, C, h0, symbols_of_model(agent.name, agent.alphabet, agent.blank), motions, agent.layout,
        name=f"compiled:{agent.name}", task=agent.task,
        provenance=Provenance(recipe="compiled from the agent's table"),
    )  # fmt: skip
