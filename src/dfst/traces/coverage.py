"""Rule coverage: which rules of the agent a set of traces never shows.

A rule that is never shown cannot be learnt, so this is the first thing to know about a training set. It
needs the agent: the traces alone do not tell the states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dfst.counted import all_of, counted
from dfst.machines.agent import MISSING, Agent, Rule
from dfst.traces.replay import replayed_states
from dfst.traces.traceset import TraceSet


@dataclass(frozen=True)
class Coverage:
    """How often each rule fired."""

    agent: Agent
    uses: NDArray[np.int64]
    """(Q, Σ) number of times each rule was used"""

    @property
    def unseen(self) -> list[Rule]:
        """The rules that never fired."""
        pairs = np.nonzero((self.agent.next != MISSING) & (self.uses == 0))
        return [self.agent.rule(int(q), int(k)) for q, k in zip(*pairs, strict=True)]

    @property
    def seen(self) -> int:
        return int(np.count_nonzero(self.uses))

    @property
    def complete(self) -> bool:
        return not self.unseen

    def sentence(self) -> str:
        """For people: what the traces show, and which rules they do not."""
        total = self.agent.rule_count
        if self.complete:
            return f"the traces show {all_of(total, 'rule')} of {self.agent.name}"
        names = ", ".join(f"({rule.state}, {rule.symbol})" for rule in self.unseen[:5])
        more = f" and {len(self.unseen) - 5} more" if len(self.unseen) > 5 else ""
        return (
            f"the traces show {self.seen} of {counted(total, 'rule')} of {self.agent.name}; "
            f"what they never show cannot be learnt: {names}{more}"
        )


def rule_coverage(agent: Agent, traces: TraceSet) -> Coverage:
    """Replay the states along every trace and count the rules."""
    uses = np.zeros(agent.next.shape, dtype=np.int64)
    np.add.at(uses, (replayed_states(agent, traces), traces.x), 1)
    return Coverage(agent, uses)
