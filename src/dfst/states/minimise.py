"""Fewer states, same behaviour: merging the states of a machine whose table is partial.

A missing rule means "never asked for", not "must not be". Two states may be merged if no rule of one speaks
against a rule of the other, nor of the states they lead to in step; the merged state has the rules of both.
Every run the first machine can take, the merged one takes in the same way, action for action. Which
merges are tried first matters for what comes out, so the order is fixed: states by the shortest path
from the start (ties by symbol), each tried against the merged states so far, oldest first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.errors import InputError
from dfst.world.grid import S

Rules = dict[int, tuple[int, int, int]]
"""symbol → (write, motion, next state)"""


def breadth_first(machine: Agent) -> list[int]:
    """The states that can be reached over the rules, by shortest path."""
    order, queue = [0], deque([0])
    seen = {0}
    while queue:
        for target in machine.next[queue.popleft()].tolist():
            if target >= 0 and target not in seen:
                seen.add(target)
                order.append(target)
                queue.append(target)
    return order


def minimise(machine: Agent) -> Agent:
    """Merge what can be merged; a machine with all its rules becomes the smallest one there is."""
    merging = _Merging(machine)
    kept: list[int] = []
    for state in breadth_first(machine):
        if merging.root(state) != state:
            continue
        if not any(merging.try_merge(old, state) for old in kept):
            kept.append(state)
    return merge_by(machine, [merging.root(q) for q in range(len(machine.states))])


def merge_by(machine: Agent, block: Sequence[int], names: Sequence[str] | None = None) -> Agent:
    """One state for each block number that is reached; refuses blocks whose states contradict each other."""
    order = list(dict.fromkeys(block[q] for q in breadth_first(machine)))
    number = {b: i for i, b in enumerate(order)}
    shape = (len(order), len(machine.alphabet))
    write, motion = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    following = np.full(shape, MISSING, dtype=np.int32)
    for q in breadth_first(machine):
        b = number[block[q]]
        for x in np.flatnonzero(machine.next[q] != MISSING).tolist():
            target = int(machine.next[q, x])
            rule = (
                int(machine.write[q, x]),
                int(machine.motion[q, x]),
                target if target < 0 else number[block[target]],
            )
            if following[b, x] == MISSING:
                write[b, x], motion[b, x], following[b, x] = rule
            elif rule != (write[b, x], motion[b, x], following[b, x]):
                raise InputError(
                    f"{machine.name}: state {machine.states[q]!r} cannot be merged as asked: "
                    f"its rule for {machine.alphabet[x]!r} contradicts that of the others"
                )
    states = tuple(names[b] for b in order) if names else tuple(f"q{i}" for i in range(len(order)))
    return replace(machine, states=states, write=write, motion=motion, next=following)


class _Merging:
    """Union-find over states, each set with the rules of all its members."""

    def __init__(self, machine: Agent) -> None:
        self._parent = list(range(len(machine.states)))
        self._rules: list[Rules] = [
            {
                x: (int(machine.write[q, x]), int(machine.motion[q, x]), int(machine.next[q, x]))
                for x in np.flatnonzero(machine.next[q] != MISSING).tolist()
            }
            for q in range(len(machine.states))
        ]

    def root(self, state: int) -> int:
        while self._parent[state] != state:
            state = self._parent[state]
        return state

    def try_merge(self, a: int, b: int) -> bool:
        """Merge both and all that follows in step, or change nothing."""
        parents: dict[int, int] = {}
        rules: dict[int, Rules] = {}

        def root(state: int) -> int:
            while (up := parents.get(state, self._parent[state])) != state:
                state = up
            return state

        waiting = [(a, b)]
        while waiting:
            one, two = (root(state) for state in waiting.pop())
            if one == two:
                continue
            # The older root stays, so that the roots of kept states never change.
            one, two = (one, two) if self._older(one, two, a) else (two, one)
            merged = dict(rules.get(one, self._rules[one]))
            for x, rule in rules.get(two, self._rules[two]).items():
                mine = merged.setdefault(x, rule)
                if mine is rule:
                    continue
                if mine[:2] != rule[:2] or (mine[2] == HALT) != (rule[2] == HALT):
                    return False
                if mine[2] != HALT:
                    waiting.append((mine[2], rule[2]))
            parents[two] = one
            rules[one] = merged
        for state, up in parents.items():
            self._parent[state] = up
        for state, merged in rules.items():
            self._rules[state] = merged
        return True

    @staticmethod
    def _older(one: int, two: int, preferred: int) -> bool:
        return one == preferred or (two != preferred and one < two)
