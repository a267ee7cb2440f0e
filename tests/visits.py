"""How many cells a run visits, at the full speed of any simulator.

The machine is given one more symbol, a fresh blank that it treats as it does the old one and never
writes. A head writes every cell it reads, so in the end the cells that are not fresh are the visited ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dfst.machines.agent import Agent
from dfst.world.grid import Limits

FRESH = "\0fresh"


def with_fresh_blank(agent: Agent) -> Agent:
    """The same machine, for which a blank it wrote differs from one it has not seen."""
    tables = {
        name: np.concatenate([table, table[:, agent.blank : agent.blank + 1]], axis=1)
        for name, table in (("write", agent.write), ("motion", agent.motion), ("next", agent.next))
    }
    alphabet = (*agent.alphabet, FRESH)
    return replace(agent, alphabet=alphabet, blank=len(alphabet) - 1, **tables)  # type: ignore[arg-type]


def count_visited(agent: Agent, text: str = "", limits: Limits = Limits()) -> int:
    """The cells a run reads; the one it comes to rest on counts where it stood on it before."""
    return with_fresh_blank(agent).run(text, limits).nonblank
