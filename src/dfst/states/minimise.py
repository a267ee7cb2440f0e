"""Fewer states, same behaviour: a machine whose table may be partial, with compatible states merged.

Which merges are tried first matters for what comes out, so the order is fixed: states by the shortest path
from the start (ties by symbol), each tried against the merged states so far, oldest first.
"""

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dfst.machines.agent import HALT, Agent
from dfst.states.merging import Merging, quotient


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
