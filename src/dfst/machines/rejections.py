"""Rejection as something that shows: what an onlooker, and so a learner, can see of it.

A machine from elsewhere rejects an input by having no rule for what it reads. That is no action, and a model
always does something. So a lesson shows it as two: where the rule is missing the head stays (N), the symbol
as it was, and halts in the step after; so does a rule that halts in a state that rejects.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import HALT, MISSING, Agent
from dfst.machines.ends import End
from dfst.world.grid import S

REJECTED = "(rejected)"  # the end of such runs, in a machine whose ends have names
REJECTS = "(rejects)"  # the state that follows where the machine rejects; it halts whatever it reads


def with_rejections(agent: Agent) -> Agent:
    """The machine with a rule for whatever it reads; the same one where it never rejects."""
    missing, rejecting = agent.next == MISSING, rejecting_rules(agent)
    if agent.states[-1] == REJECTS or not (missing | rejecting).any():
        return agent
    ends, end = agent.ends, agent.end
    if end is not None:
        end = np.vstack([end, np.full(end.shape[1], len(ends), dtype=np.int32)])
        says = agent.stuck_rejects or rejecting.any()
        ends = (*ends, End(REJECTED, False if says else None))
    return replace(one_more_step(agent, missing, rejecting, REJECTS), ends=ends, end=end)


def one_more_step(agent: Agent, missing: NDArray[np.bool_], rejecting: NDArray[np.bool_], name: str) -> Agent:
    """The table without ends, where these rules that it lacks (Q, Σ) and these that halt go on, to a new
    state that halts whatever it reads."""
    states, symbols = agent.next.shape
    kept = np.arange(symbols)
    write = np.vstack([np.where(missing, kept, agent.write), kept])
    motion = np.vstack([np.where(missing, S, agent.motion), np.full(symbols, S)])
    following = np.vstack([np.where(missing | rejecting, states, agent.next), np.full(symbols, HALT)])
    return replace(
        agent, states=(*agent.states, name), write=write.astype(np.uint8), motion=motion.astype(np.uint8),
        next=following.astype(np.int32), ends=(), end=None,
    )  # fmt: skip


def rejecting_rules(agent: Agent) -> NDArray[np.bool_]:
    """(Q, Σ) the rules that halt in a state that rejects."""
    if agent.end is None:
        return np.zeros(agent.next.shape, dtype=bool)
    rejects = np.array([end.accepts is False for end in agent.ends])
    halting = agent.next == HALT
    return halting & rejects[np.where(halting, agent.end, 0)]


def rejections(agent: Agent) -> NDArray[np.bool_]:
    """(Q, Σ) the rules that only say that there is none, and those of the state they lead to."""
    if agent.states[-1] != REJECTS:
        return np.zeros(agent.next.shape, dtype=bool)
    last, kept = len(agent.states) - 1, np.arange(len(agent.alphabet))
    found = (agent.next == last) & (agent.motion == S) & (agent.write == kept)
    found[last] = True
    return found


def without_rejections(agent: Agent, met: NDArray[np.bool_]) -> Agent:
    """The machine without the rejections that are not met; what cannot be met need not be shown."""
    unmet = rejections(agent) & ~met
    return replace(agent, next=np.where(unmet, MISSING, agent.next).astype(np.int32))


def as_it_was(agent: Agent) -> Agent:
    """The machine that `with_rejections` was given, wherever its last state has come to stand since."""
    if REJECTS not in agent.states:
        return agent
    at = agent.states.index(REJECTS)
    kept = [q for q in range(len(agent.states)) if q != at]
    following = agent.next[kept]
    following = np.where(following == at, MISSING, following - (following > at)).astype(np.int32)
    return replace(
        agent, states=tuple(agent.states[q] for q in kept), write=agent.write[kept],
        motion=agent.motion[kept], next=following, end=None if agent.end is None else agent.end[kept],
    )  # fmt: skip
