"""Surroundings: after which rules each rule is shown, and before which symbols.

To be shown once is not enough. A learner does not know that two symbols are treated alike; it has to see each
of them wherever it may come. A rule that was seen in one place only is learnt for that place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dfst.machines.agent import Agent, Rule
from dfst.traces.replay import replayed_states
from dfst.traces.traceset import TraceSet


@dataclass(frozen=True)
class OneWay:
    """A rule shown after one rule only, though another that is answered alike is shown elsewhere, too."""

    rule: Rule
    after: Rule
    """The one rule that came before it"""
    alike: Rule
    """Keeps what it reads, moves and goes on as the rule does"""
    also_after: Rule
    """Came before the other, but never before this one"""

    def __str__(self) -> str:
        rule, after, alike, also = (
            f"({r.state}, {r.symbol})" for r in (self.rule, self.after, self.alike, self.also_after)
        )
        return f"{rule} is shown after {after} only, but {alike}, which is answered alike, also after {also}"


@dataclass(frozen=True)
class Surroundings:
    """Which rules were shown in one surrounding only."""

    after_one: tuple[Rule, ...]
    """Always after the same rule"""
    before_one: tuple[Rule, ...]
    """Always before the same symbol"""
    one_way: tuple[OneWay, ...]
    """Of the first, those that ought to have been shown in another one"""


def surroundings(agent: Agent, traces: TraceSet) -> Surroundings:
    """What stood around each rule, wherever it was used."""
    symbols, rules = len(agent.alphabet), agent.next.size
    rule = replayed_states(agent, traces).astype(np.int64) * symbols + traces.x
    inside = np.ones(len(rule), dtype=bool)
    inside[traces.start[:-1][traces.lengths > 0]] = False
    at = np.flatnonzero(inside)
    pairs = np.stack(np.divmod(np.unique(rule[at - 1] * rules + rule[at]), rules), axis=1)
    before = {int(r): pairs[pairs[:, 1] == r, 0].tolist() for r in np.unique(pairs[:, 1])}
    after = {int(r): pairs[pairs[:, 0] == r, 1].tolist() for r in np.unique(pairs[:, 0])}
    starts = set(rule[~inside].tolist())

    def named(number: int) -> Rule:
        return agent.rule(*divmod(number, symbols))

    alone = [r for r, several in before.items() if len(several) == 1 and r not in starts]
    return Surroundings(
        after_one=tuple(map(named, alone)),
        before_one=tuple(named(r) for r, several in after.items() if len(several) == 1),
        one_way=tuple(
            OneWay(named(r), named(before[r][0]), named(alike), named(also))
            for r in alone
            for alike, also in _elsewhere(agent, r, before, after)[:1]
        ),
    )


def _elsewhere(
    agent: Agent, rule: int, before: dict[int, list[int]], after: dict[int, list[int]]
) -> list[tuple[int, int]]:
    """(a rule answered alike, a rule before it) where this one never came, though several symbols did."""
    symbols = len(agent.alphabet)
    state, x = divmod(rule, symbols)
    if agent.write[state, x] != x:
        return []
    return [
        (other, earlier)
        for y in range(symbols)
        if agent.write[state, y] == y
        and agent.motion[state, y] == agent.motion[state, x]
        and agent.next[state, y] == agent.next[state, x]
        for other in [state * symbols + y]
        for earlier in before.get(other, [])
        if earlier not in before[rule] and len(after[earlier]) > 1
    ]
