"""Taking states for one: a union-find whose merges force followers together, or change nothing at all.

Tables here are partial: a missing rule means "never asked for". Two states may be taken for one if no rule of
one speaks against a rule of the other, nor of the states they lead to in step; every run that the table can
take, the merged one takes in the same way. Who merges says which states to try, in which order; `minimise`
takes them by the shortest path from the start (ties by symbol), each against those merged so far.

Legend: n states, Σ symbols.
"""

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.machines.agent import HALT, MISSING, Agent
from dfst.world.grid import S
from dfst.world.trace import UNKNOWN as UNSEEN

UNKNOWN = -1  # no rule, or one of which only the state that follows is known


class Table(Protocol):
    """What agents and graphs of learnt states have in common; all (n, Σ), as in `dfst.machines.agent`."""

    @property
    def write(self) -> NDArray[np.uint8]: ...
    @property
    def motion(self) -> NDArray[np.uint8]: ...
    @property
    def next(self) -> NDArray[np.int32]: ...


def actions(table: Table) -> NDArray[np.int32]:
    """(n, Σ) what each rule does, its next state aside, as one number; UNKNOWN where that is not known."""
    done = table.write + 256 * table.motion.astype(np.int32) + 65536 * (table.next == HALT)
    end = getattr(table, "end", None)  # of agents: halts in different ends are different actions
    if end is not None:
        done += 131072 * np.where(table.next == HALT, end, 0)
    return np.where((table.next == MISSING) | (table.motion == UNSEEN), UNKNOWN, done).astype(np.int32)


def witnesses(action: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(n, n) twice: which states have rules for the same symbol, and which of them act differently."""
    witnessed, disagreed = (np.zeros((len(action), len(action)), dtype=bool) for _ in range(2))
    for column in action.T:
        both = (column != UNKNOWN)[:, None] & (column != UNKNOWN)[None]
        witnessed |= both
        disagreed |= both & (column[:, None] != column[None])
    return witnessed, disagreed


class Merging:
    """States taken for one so far. Of each set the lowest is the root, and knows what any member knows."""

    def __init__(self, table: Table, allowed: NDArray[np.bool_] | None = None) -> None:
        n, symbols = table.next.shape
        self._parent = np.arange(n, dtype=np.int32)
        self._action, self._next = actions(table), table.next.copy()
        self._allowed = np.ones((0, 0), dtype=bool) if allowed is None else allowed
        """(n, n) which roots may be taken for one; empty: any"""
        # Room for the most that one merge can take; memory is only touched where it is used.
        self._room = (
            np.empty(n, dtype=np.int64),
            np.empty(2 * n * symbols, dtype=np.int64),
            np.empty((n * symbols + 1, 2), dtype=np.int64),
        )

    def root(self, state: int) -> int:
        return int(_root(self._parent, state))

    @property
    def roots(self) -> NDArray[np.int32]:
        """(n,) the root of every state."""
        found = self._parent
        while not np.array_equal(further := found[found], found):
            found = further
        return further

    def followers(self, states: NDArray[np.integer]) -> NDArray[np.int32]:
        """The roots of all states that follow these roots, each once."""
        targets = self._next[states]
        return np.unique([self.root(q) for q in np.unique(targets[targets >= 0])]).astype(np.int32)

    def try_merge(self, one: int, two: int) -> bool:
        """Merge both and all that follows in step, or change nothing."""
        return self._merge(one, two, keep=True) >= 0

    def try_each(self, one: NDArray[np.int64], two: NDArray[np.int64]) -> None:
        """`try_merge` for pair after pair."""
        _merge_each(self._parent, self._action, self._next, self._allowed, *self._room, one, two)

    def evidence(self, one: int, two: int) -> int:
        """In how many rules the two would agree if they were merged; -1 where they cannot be."""
        return self._merge(one, two, keep=False)

    def _merge(self, one: int, two: int, keep: bool) -> int:
        table = self._parent, self._action, self._next
        return int(_merge(*table, self._allowed, *self._room, one, two, keep))


def quotient(table: Table, label: NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """(write, motion, next) with one state for each label; states labelled -1 are left out."""
    q, x = np.nonzero((table.next != MISSING) & (label >= 0)[:, None])
    order = np.argsort(table.motion[q, x] != UNSEEN, kind="stable")  # what is known comes last, and stays
    q, x = q[order], x[order]
    shape = (int(label.max()) + 1, table.next.shape[1])
    write, motion = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    following = np.full(shape, MISSING, dtype=np.int32)
    at, led = (label[q], x), table.next[q, x]
    write[at], motion[at] = table.write[q, x], table.motion[q, x]
    following[at] = np.where(led >= 0, label[np.maximum(led, 0)], led)
    return write, motion, following


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


def minimise(machine: Agent, keep_names: bool = False) -> Agent:
    """Merge what can be merged; a machine with all its rules becomes the smallest one there is.

    keep_names: a merged state is called as the first of those that it is made of
    """
    machine = merge_by(machine, range(len(machine.states)), machine.states if keep_names else None)
    merging = Merging(machine)
    kept: list[int] = []
    for state in range(len(machine.states)):
        if merging.root(state) == state and not any(merging.try_merge(old, state) for old in kept):
            kept.append(state)
    return merge_by(machine, merging.roots.tolist(), machine.states if keep_names else None)


def merge_by(machine: Agent, block: Sequence[int], names: Sequence[str] | None = None) -> Agent:
    """One state for each block number that is reached; the states of a block agree."""
    reached = breadth_first(machine)
    order = list(dict.fromkeys(block[q] for q in reached))
    number = {b: i for i, b in enumerate(order)}
    label = np.full(len(machine.states), -1)
    label[reached] = [number[block[q]] for q in reached]
    write, motion, following = quotient(machine, label)
    end = None
    if machine.end is not None:
        end = np.zeros(following.shape, dtype=np.int32)
        q, x = np.nonzero((machine.next == HALT) & (label >= 0)[:, None])
        end[label[q], x] = machine.end[q, x]
    # q0, q1, … without the names of the machine's ends: JFLAP calls those q3, too
    free = (name for i in itertools.count() if (name := f"q{i}") not in {end.name for end in machine.ends})
    states = tuple(names[b] for b in order) if names else tuple(itertools.islice(free, len(order)))
    return replace(machine, states=states, write=write, motion=motion, next=following, end=end)


@njit(cache=True)
def _root(parent, state):
    while parent[state] != state:
        state = parent[state]
    return state


@njit(cache=True)
def _merge(parent, action, following, allowed, joined, filled, pending, one, two, keep):
    """How many rules agreed, or -1 where the merge is impossible; undone then, or if it is not to be kept."""
    joins = fills = evidence = 0
    pending[0, 0], pending[0, 1] = one, two
    waiting, symbols = 1, action.shape[1]
    while waiting > 0 and evidence >= 0:
        waiting -= 1
        a, b = _root(parent, pending[waiting, 0]), _root(parent, pending[waiting, 1])
        if a == b:
            continue
        a, b = min(a, b), max(a, b)
        if allowed.size > 0 and not allowed[a, b]:
            evidence = -1
            break
        for x in range(symbols):
            if following[b, x] == MISSING:
                continue
            if following[a, x] == MISSING:
                action[a, x], following[a, x] = action[b, x], following[b, x]
                filled[fills] = a * symbols + x
                fills += 1
                continue
            ends = following[a, x] == HALT
            if ends != (following[b, x] == HALT):
                evidence = -1
                break
            if action[a, x] == UNKNOWN and action[b, x] != UNKNOWN:
                action[a, x] = action[b, x]
                filled[fills] = -1 - (a * symbols + x)
                fills += 1
            elif action[b, x] != UNKNOWN:
                if action[a, x] != action[b, x]:
                    evidence = -1
                    break
                evidence += 1
            if not ends:
                pending[waiting, 0], pending[waiting, 1] = following[a, x], following[b, x]
                waiting += 1
        else:
            parent[b] = a
            joined[joins] = b
            joins += 1
    if evidence < 0 or not keep:
        for place in filled[:fills]:  # below zero: only the action was filled in
            at = max(place, -1 - place)
            action[at // symbols, at % symbols] = UNKNOWN
            if place >= 0:
                following[at // symbols, at % symbols] = MISSING
        for state in joined[:joins]:
            parent[state] = state
    else:
        for state in joined[:joins]:
            parent[state] = _root(parent, state)
    return evidence


@njit(cache=True)
def _merge_each(parent, action, following, allowed, joined, filled, pending, ones, twos):
    for i in range(len(ones)):
        _merge(parent, action, following, allowed, joined, filled, pending, ones[i], twos[i], True)
