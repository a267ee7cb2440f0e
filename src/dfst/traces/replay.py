"""Replaying traces in a table: the state before each step, how far the table does what a trace shows, and
which rules of it a set of traces never shows."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.counted import all_of, counted
from dfst.errors import InputError
from dfst.machines.agent import MISSING, Agent, Rule
from dfst.traces.traceset import TraceSet
from dfst.world.trace import UNKNOWN

LEFT = -3  # in place of a state: the table has left the trace before this step


@dataclass(frozen=True, eq=False)
class Replay:
    """One table along T steps of n traces."""

    states: NDArray[np.int32]
    """(T,) the state in which each symbol is read; LEFT once the table does otherwise than its trace"""
    agreed: NDArray[np.int64]  # (n,) the first steps of each trace that the table does alike

    def leaves(self, traces: TraceSet) -> NDArray[np.int64]:
        """The traces that the table does not follow to their end."""
        return np.flatnonzero(self.agreed < traces.lengths)


def replay(
    write: NDArray[np.uint8], shown: NDArray[np.uint8], following: NDArray[np.int32], traces: TraceSet
) -> Replay:
    """Follow a table (n, Σ) from its first state; `shown` are the motions that an onlooker sees."""
    states = np.full(traces.tokens, LEFT, dtype=np.int32)
    agreed = np.zeros(len(traces), dtype=np.int64)
    _replay(write, shown, following, traces.x, traces.s, traces.m, traces.start, states, agreed)
    return Replay(states, agreed)


def replayed_states(agent: Agent, traces: TraceSet) -> NDArray[np.int32]:
    """(T,) the state in which the agent read each symbol of its traces; traces of another are refused."""
    found = replay(agent.write, agent.action, agent.next, traces)
    for i in found.leaves(traces)[:1].tolist():
        raise InputError(
            f"the traces are not those of {agent.name}: it does otherwise on {traces.inputs[i]!r} "
            f"in step {int(found.agreed[i])}; record them anew"
        )
    return found.states


@dataclass(frozen=True)
class Coverage:
    """How often each rule fired. One that is never shown cannot be learnt."""

    agent: Agent
    uses: NDArray[np.int64]  # (Q, Σ) number of times each rule was used

    @property
    def unseen(self) -> list[Rule]:
        """The rules that never fired."""
        pairs = np.nonzero((self.agent.next != MISSING) & (self.uses == 0))
        return [self.agent.rule(int(q), int(k)) for q, k in zip(*pairs, strict=True)]

    @property
    def seen(self) -> int:
        return int(np.count_nonzero(self.uses))

    def sentence(self) -> str:
        """For people: what the traces show, and which rules they do not."""
        total, unseen = self.agent.rule_count, self.unseen
        if not unseen:
            return f"the traces show {all_of(total, 'rule')} of {self.agent.name}"
        names = ", ".join(f"({rule.state}, {rule.symbol})" for rule in unseen[:5])
        more = f" and {len(unseen) - 5} more" if len(unseen) > 5 else ""
        return (
            f"the traces show {self.seen} of {counted(total, 'rule')} of {self.agent.name}; "
            f"what they never show cannot be learnt: {names}{more}"
        )


def rule_coverage(agent: Agent, traces: TraceSet) -> Coverage:
    """Replay the states along every trace and count the rules."""
    uses = np.zeros(agent.next.shape, dtype=np.int64)
    np.add.at(uses, (replayed_states(agent, traces), traces.x), 1)
    return Coverage(agent, uses)


def states_along(following: NDArray[np.int32], traces: TraceSet) -> NDArray[np.int32]:
    """(T,) the state in which each symbol is read, whatever was done; LEFT where a table has no rule."""
    anything = np.full(following.shape, UNKNOWN, dtype=np.uint8)
    return replay(anything, anything, following, traces).states


@njit(cache=True, nogil=True)
def _replay(write, shown, following, x, s, m, start, states, agreed):
    for trace in range(start.shape[0] - 1):
        q = 0
        for t in range(start[trace], start[trace + 1]):
            k = x[t]
            if q < 0 or following[q, k] == MISSING:
                break
            compared = m[t] != UNKNOWN and shown[q, k] != UNKNOWN
            if compared and (write[q, k] != s[t] or shown[q, k] != m[t]):
                break
            states[t] = q
            agreed[trace] += 1
            q = following[q, k]
