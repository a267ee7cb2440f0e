"""Telling states apart: what a set of traces shows of where each rule leads.

A rule (q, a) → q′ is *told apart* from a state p ≠ q′ each time it is used and what follows in that trace
could not have come from p: given the same symbols, p would write, move or halt otherwise at some later step.
Where p has no rule, or the two paths meet, nothing is told. How long the agent stays in a state is counted
too, and each symbol that is read after a rule: of a loop, or a state, a learner knows only what it was shown.
To tell every rule apart from every other state is a characteristic sample (Gold 1978); here it is counted.

Legend: Q states, Σ symbols, T steps, R = Q·Σ + 1 places: the rule (q, a) is place q·Σ + a, the start the
last one. C = Q + 4 + Σ columns, of which the first Q tell states apart.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.machines.agent import HALT, MISSING, Agent
from dfst.traces.connected import Ways, ways
from dfst.traces.replay import replayed_states
from dfst.traces.traceset import TraceSet

NO_RULE = -1
ROUNDS = 3  # stays of fewer rounds in a state are counted, each number by itself
PER_STEP = 3  # what a step shows at most, besides the states that it tells apart


@dataclass(frozen=True, eq=False)
class TellingApart:
    """How often traces use each rule, tell where it leads from every other state, and stay there."""

    agent: Agent
    steps: int  # of all traces together
    counts: NDArray[np.int64]
    """(R, C) columns: the target of a place is told from each state · the rule is used · the state it leads
    to repeats 0, 1, 2 times before it is left · each symbol is read in the step after it"""
    first: NDArray[np.int32]  # (R, C) the first trace that shows it, or -1
    soonest: NDArray[np.int32]  # (R, C) after how few steps it is told; 0 for what a step shows by itself
    soon: NDArray[np.int64]  # (R, C) how often it is told as soon as that
    traces: TraceSet
    states: NDArray[np.int32]  # (T,) of the agent

    @property
    def uses(self) -> NDArray[np.int64]:
        """(Q, Σ) how often each rule is used, halting ones included."""
        return self.counts[:-1, len(self.agent.states)].reshape(self.agent.next.shape)

    def ways(self, depth: int) -> Ways:
        """Ways of so many rules into states, and how the traces go on."""
        return ways(self.agent, self.traces, self.states, depth)

    def named(self, place: int, column: int) -> str:
        """What a count is about, as the subject of a sentence."""
        agent, rule = self.agent, self.named_rule(place)
        start = place == agent.next.size
        if column == len(agent.states):
            return rule
        target = agent.states[0 if start else int(agent.next.ravel()[place])]
        if column < len(agent.states):
            return f"that {rule} {'is' if start else 'leads to'} {target}, not {agent.states[column]},"
        if column > len(agent.states) + ROUNDS:
            read = agent.alphabet[column - len(agent.states) - 1 - ROUNDS]
            return f"that {target} reads {read} after {rule}"
        repeats = ("is left at once", "repeats once", "repeats twice")[column - len(agent.states) - 1]
        return f"that {target} {repeats} after {rule}"

    def named_rule(self, place: int) -> str:
        q, a = divmod(place, len(self.agent.alphabet))
        return (
            "the start"
            if q == len(self.agent.states)
            else f"({self.agent.states[q]}, {self.agent.alphabet[a]})"
        )


def telling_apart(agent: Agent, traces: TraceSet) -> TellingApart:
    """What the agent's own traces tell apart."""
    rows, columns = agent.next.size + 1, len(agent.states) + 1 + ROUNDS + len(agent.alphabet)
    counts = np.zeros((rows, columns), dtype=np.int64)
    first = np.full((rows, columns), -1, dtype=np.int32)
    soonest, soon = np.zeros((rows, columns), dtype=np.int32), np.zeros_like(counts)
    states = replayed_states(agent, traces)
    _count(visible(agent), agent.next, traces.x, states, traces.start, counts, first, soonest, soon)
    return TellingApart(agent, traces.tokens, counts, first, soonest, soon, traces, states)


def visible(agent: Agent) -> NDArray[np.int32]:
    """(Q, Σ) what an onlooker sees of each rule, as one number; NO_RULE where there is none."""
    seen = agent.write + 256 * agent.action.astype(np.int32)
    return np.where(agent.next == MISSING, NO_RULE, seen).astype(np.int32)


def told_slowly(agent: Agent, states: list[int], read: list[int], t: int, p: int) -> int:
    """The definition, the twin of the compiled loop: after how many of the steps from t on the state there is
    told from p; 0: never."""
    seen = visible(agent)
    for steps, (q, x) in enumerate(zip(states[t:], read[t:], strict=True), 1):
        if p == q or seen[p, x] == NO_RULE:
            return 0
        if seen[p, x] != seen[q, x]:
            return steps
        p = int(agent.next[p, x])
        if p == HALT:
            return 0
    return 0


@njit(cache=True, nogil=True)
def shown_by(seen, following, x, states, pairs):
    """Fill in every (place, column) that one trace shows, from its end: what tells lies ahead, so many steps
    (third column); how many."""
    n, symbols = seen.shape
    later, now = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    found, rounds = 0, ROUNDS  # of a stay that the end cuts off nothing is known
    for t in range(x.shape[0] - 1, -1, -1):
        q, k = states[t], x[t]
        pairs[found] = q * symbols + k, n, 0
        found += 1
        for p in range(n):
            now[p] = 0
            if p != q and seen[p, k] != NO_RULE:
                if seen[p, k] != seen[q, k]:
                    now[p] = 1
                elif following[p, k] >= 0 and later[following[p, k]]:
                    now[p] = later[following[p, k]] + 1
        later, now = now, later
        place = n * symbols if t == 0 else states[t - 1] * symbols + x[t - 1]
        for p in range(n):
            if later[p]:
                pairs[found] = place, p, later[p]
                found += 1
        rounds = rounds + 1 if following[q, k] == q else 0
        if rounds < ROUNDS and (t == 0 or states[t - 1] != q):
            pairs[found] = place, n + 1 + rounds, 0
            found += 1
        pairs[found] = place, n + 1 + ROUNDS + k, 0
        found += 1
    return found


@njit(cache=True, nogil=True)
def _count(seen, following, x, states, start, counts, first, soonest, soon):
    longest = 0
    for trace in range(start.shape[0] - 1):
        longest = max(longest, start[trace + 1] - start[trace])
    pairs = np.empty((longest * (seen.shape[0] + PER_STEP), 3), dtype=np.int64)
    for trace in range(start.shape[0] - 1):
        begin, end = start[trace], start[trace + 1]
        for i in range(shown_by(seen, following, x[begin:end], states[begin:end], pairs)):
            place, column, steps = pairs[i]
            counts[place, column] += 1
            if first[place, column] < 0:
                first[place, column] = trace
            if soon[place, column] == 0 or steps < soonest[place, column]:
                soonest[place, column], soon[place, column] = steps, 0
            if steps == soonest[place, column]:
                soon[place, column] += 1
