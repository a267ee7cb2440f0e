"""Two machines pair by pair of states: against AALpy's bisimilarity, and against runs of random machines."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from aalpy.automata import MealyMachine, MealyState
from aalpy.utils import bisimilar
from evidence import slow
from machine_zoo import complete_machine, random_machine

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines import MISSING
from dfst.proof import prove
from dfst.proof.match import pair_up
from dfst.proof.refute import differs
from dfst.states import minimise
from dfst.states.merging import breadth_first


def as_mealy(agent) -> MealyMachine:
    """The part of a machine that can be reached, as AALpy has it."""
    reached = breadth_first(agent)
    states = {q: MealyState(agent.states[q]) for q in reached}
    for q, state in states.items():
        for x, symbol in enumerate(agent.alphabet):
            state.transitions[symbol] = states[agent.next[q, x]]
            state.output_fun[symbol] = f"{agent.write[q, x]}{agent.motion[q, x]}"
    return MealyMachine(states[0], list(states.values()))


def shuffled(agent, rng):
    """The same machine with its states in another order and every state doubled."""
    n = len(agent.states)
    order = np.concatenate([[0], 1 + rng.permutation(2 * n - 1)])
    place = np.argsort(order)
    following = np.concatenate([agent.next, agent.next])
    following = following + n * rng.integers(0, 2, size=following.shape)
    tables = {
        "write": np.concatenate([agent.write] * 2)[order],
        "motion": np.concatenate([agent.motion] * 2)[order],
        "next": place[following[order]].astype(np.int32),
    }
    return replace(agent, states=tuple(f"t{i}" for i in range(2 * n)), **tables)


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_agrees_with_aalpy(seed):
    rng = np.random.default_rng(seed)
    verdicts = []
    for _ in range(300):
        one = complete_machine(rng, int(rng.integers(1, 6)), int(rng.integers(2, 4)))
        kind = rng.integers(3)
        two = shuffled(one, rng)
        if kind == 0:
            two = complete_machine(rng, int(rng.integers(1, 6)), len(one.alphabet))
        elif kind == 1:
            write = two.write.copy()
            q, x = rng.integers(len(two.states)), rng.integers(len(two.alphabet))
            write[q, x] = 1 - write[q, x]
            two = replace(two, write=write)
        ours = pair_up(one, two).alike
        assert ours == bisimilar(as_mealy(one), as_mealy(two))
        verdicts.append(ours)
    assert 50 < sum(verdicts) < 250  # both answers are common, so agreement says something


@pytest.mark.parametrize("pairs", [30, *slow(400)])
def test_what_is_proved_of_two_machines_is_so_and_what_is_refuted_is_not(pairs):
    """Random partial machines with one rule changed or taken away, on every input of up to five symbols."""
    rng, found = np.random.default_rng(3), Counter()
    for _ in range(pairs):
        one = random_machine(rng, int(rng.integers(1, 4)), 2, missing=0.2)
        following = one.next.copy()
        q, x = rng.integers(len(following)), rng.integers(2)
        following[q, x] = MISSING if rng.random() < 0.5 else rng.integers(len(following))
        two = replace(one, name="other", next=following)
        verdict = prove(one, two, most=2_000)
        found[verdict.strength] += 1
        fails = differs(one, two, 2_000)
        unlike = [
            text for n in range(6) for text in map("".join, product(one.alphabet, repeat=n)) if fails(text)
        ]
        if verdict.strength == "proved":
            assert not unlike
        elif verdict.strength == "refuted":
            assert fails(verdict.counterexample.input)
            assert not verdict.counterexample.shortest or len(verdict.counterexample.input) == len(unlike[0])
    assert found["proved"] > pairs / 6
    assert found["refuted"] > pairs / 6


def test_minimised_machines_are_equivalent_and_smallest():
    rng = np.random.default_rng(5)
    for _ in range(100):
        machine = complete_machine(rng, int(rng.integers(1, 7)), 2)
        small = minimise(shuffled(machine, rng))
        assert pair_up(machine, small).alike
        mealy = as_mealy(machine)
        mealy.minimize()
        assert len(small.states) == len(mealy.states)


def test_other_alphabets_are_refused():
    with pytest.raises(InputError, match="alphabets"):
        prove(expert("add2"), expert("add3"))
