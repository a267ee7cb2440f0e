"""Merging: a merge and all that it forces, or nothing; held against a closure written down plainly."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from machine_zoo import random_machine

from dfst.machines import HALT, MISSING, Agent
from dfst.states.merging import Merging


def forced(machine: Agent, blocks: list[set[int]], one: int, two: int) -> list[set[int]] | None:
    """The finest partition that takes two states for one; None if states of a block act differently."""
    blocks = [set(block) for block in blocks]
    pending = [(one, two)]
    while pending:
        a, b = (next(block for block in blocks if q in block) for q in pending.pop())
        if a is b:
            continue
        blocks.remove(b)
        a |= b
        for x in range(len(machine.alphabet)):
            rules = [q for q in sorted(a) if machine.next[q, x] != MISSING]
            for p, q in combinations(rules, 2):
                ends = machine.next[p, x], machine.next[q, x]
                if (ends[0] == HALT) != (ends[1] == HALT):
                    return None
                if (machine.write[p, x], machine.motion[p, x]) != (machine.write[q, x], machine.motion[q, x]):
                    return None
                if ends[0] != HALT:
                    pending.append((int(ends[0]), int(ends[1])))
    return blocks


def blocks_of(merging: Merging) -> list[set[int]]:
    roots = merging.roots.tolist()
    return [{q for q, r in enumerate(roots) if r == root} for root in sorted(set(roots))]


@pytest.mark.parametrize("seed", range(40))
def test_merges_are_what_the_closure_says(seed):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, int(rng.integers(2, 6)), int(rng.integers(1, 4)), missing=0.5)
    merging, blocks = Merging(machine), [{q} for q in range(len(machine.states))]
    pairs = rng.permutation(list(combinations(range(len(machine.states)), 2))).reshape(-1, 2)
    for one, two in pairs.tolist():
        wanted = forced(machine, blocks, one, two)
        assert (merging.evidence(one, two) >= 0) == (wanted is not None)
        assert blocks_of(merging) == sorted(blocks, key=min)
        assert merging.try_merge(one, two) == (wanted is not None)
        blocks = wanted or blocks
        assert blocks_of(merging) == sorted(blocks, key=min)
    at_once = Merging(machine)
    at_once.try_each(*pairs.T)
    assert blocks_of(at_once) == sorted(blocks, key=min)


def test_what_may_not_be_merged_is_not():
    machine = random_machine(np.random.default_rng(0), 3, 2, missing=1.0)
    n = len(machine.states)
    allowed = np.ones((n, n), dtype=bool)
    allowed[0, 1] = allowed[1, 0] = False
    merging = Merging(machine, allowed)
    assert not merging.try_merge(0, 1)
    assert merging.try_merge(0, 2)
    assert not merging.try_merge(1, 2)
