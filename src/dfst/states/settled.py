"""What a learnt state does where the traces do not say it in one voice: a vote of the steps taken in it.

Where some recorded actions are unknown or wrong, a learnt state has a rule of which only the next state is
sure. Its action is what most of the steps that use the rule were recorded to do; if nothing was recorded of
any, what the model itself scores best.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dfst.machines.agent import HALT
from dfst.states.graph import StateGraph
from dfst.traces.replay import states_along
from dfst.traces.traceset import TraceSet
from dfst.world.grid import S
from dfst.world.trace import UNKNOWN


def settled(graph: StateGraph, recorded: TraceSet) -> StateGraph:
    """The graph with an action for every rule; what the traces say in one voice stays as it is."""
    write, motion, following = graph.write.copy(), graph.motion.copy(), graph.next.copy()
    scores = graph.scores
    for c, x in np.argwhere((motion == UNKNOWN) & (following >= 0)):
        write[c, x], motion[c, x] = (int(part.argmax()) for part in scores(int(c), int(x)))
    at = states_along(following, recorded)
    ends = np.isin(np.arange(recorded.tokens) + 1, recorded.start)
    voting = np.flatnonzero((at >= 0) & recorded.known & ((recorded.m != S) | ends))
    rule = at[voting].astype(np.int64) * following.shape[1] + recorded.x[voting]
    ballot = (rule << 16) | (recorded.s[voting].astype(np.int64) << 8) | recorded.m[voting]
    ballots, votes = np.unique(ballot, return_counts=True)
    for b in ballots[np.argsort(votes, kind="stable")].tolist():  # the most votes come last, and stay
        c, x = divmod(b >> 16, following.shape[1])
        s, m = (b >> 8) & 255, b & 255
        if following[c, x] != HALT or m == S:  # where it halts, nothing says what would follow
            write[c, x], motion[c, x] = s, m
    following[(motion == S) & (following >= 0)] = HALT
    return replace(graph, write=write, motion=motion, next=following)
