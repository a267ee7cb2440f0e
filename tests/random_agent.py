"""Random machines: what everything that takes a machine is tried on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dfst.machines.agent import HALT, MISSING, Agent
from dfst.world.grid import BLANK, D, L, R, S, U

LINE = (L, R)
PLANE = (U, D, L, R)
PLANE_AND_STAY = (U, D, L, R, S)


def random_agent(
    rng: np.random.Generator,
    states: int,
    symbols: int,
    motions: Sequence[int] = PLANE,
    missing: float = 0.0,
    halting: float = 0.0,
    alphabet: Sequence[str] | None = None,
) -> Agent:
    """A machine whose rules are drawn one by one: missing or halting with the probabilities given.

    The alphabet is λ, 1, 2, … unless one is given; its first symbol is the blank.
    """
    shape = (states, symbols)
    kind = rng.random(shape)
    following = rng.integers(0, states, shape, dtype=np.int32)
    following[kind < halting] = HALT
    following[kind >= 1.0 - missing] = MISSING
    names = tuple(alphabet) if alphabet is not None else (BLANK, *(str(k) for k in range(1, symbols)))
    return Agent(
        name=f"random {states}×{symbols}",
        alphabet=names,
        states=tuple(f"q{i}" for i in range(states)),
        write=rng.integers(0, symbols, shape, dtype=np.uint8),
        motion=rng.choice(np.array(motions, dtype=np.uint8), shape),
        next=following,
        blank=0,
    )
