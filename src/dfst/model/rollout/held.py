"""What holding a run against an expert takes: its rules as an onlooker sees them, and the difference."""

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import MISSING, Agent
from dfst.world.grid import MOTION_NAMES, Cell
from dfst.world.run import Difference
from dfst.world.unit import NO_RULE


def shown_rules(expert: Agent) -> NDArray[np.int64]:
    """(Q · Σ,) what an onlooker sees of each rule: next state · 2¹⁶ + motion shown · 2⁸ + symbol written."""
    following = expert.next.astype(np.int64) << 16
    return (following | (expert.action.astype(np.int64) << 8) | expert.write).ravel()


def difference(
    expert: Agent, state: int, step: int, cell: Cell, read: int, found: tuple[int, int]
) -> Difference:
    """In names: reading `read` in `state`, the expert acts otherwise than `found`, or not at all."""
    expected = NO_RULE
    if expert.next[state, read] != MISSING:
        expected = (expert.alphabet[expert.write[state, read]], MOTION_NAMES[expert.action[state, read]])
    names = (expert.alphabet[found[0]], MOTION_NAMES[found[1]])
    return Difference(step, cell, expert.alphabet[read], expected, names)
