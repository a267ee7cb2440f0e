"""Mealy equivalence: against AALpy's bisimilarity on random pairs, and shortest words against brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from aalpy.automata import MealyMachine, MealyState
from aalpy.utils import bisimilar
from machine_zoo import complete_machine, random_machine

from dfst.agents import MISSING, expert
from dfst.errors import InputError
from dfst.proof import equivalent
from dfst.states import minimise
from dfst.states.minimise import breadth_first


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


@pytest.mark.parametrize("seed", range(8))
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
        ours = equivalent(one, two)
        assert ours.equivalent == bisimilar(as_mealy(one), as_mealy(two))
        verdicts.append(ours.equivalent)
    assert 50 < sum(verdicts) < 250  # both answers are common, so agreement says something


def outputs(agent, word):
    state, shown = 0, []
    for symbol in word:
        x = agent.alphabet.index(symbol)
        if state < 0 or agent.next[state, x] == MISSING:
            return None
        shown.append((agent.alphabet[agent.write[state, x]], int(agent.action[state, x])))
        state = agent.next[state, x]
    return shown


@pytest.mark.parametrize("partial", [False, True])
def test_the_word_is_a_shortest_one(partial):
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(300):
        make = random_machine if partial else complete_machine
        one, two = (make(rng, int(rng.integers(1, 4)), 2) for _ in range(2))
        verdict = equivalent(one, two)
        words = (w for n in range(1, 6) for w in product(one.alphabet, repeat=n))
        differing = [
            w for w in words if outputs(one, w) and outputs(two, w) and outputs(one, w) != outputs(two, w)
        ]
        if differing:
            assert not verdict.equivalent
            assert len(verdict.word) == len(differing[0])
            assert outputs(one, verdict.word) != outputs(two, verdict.word)
            seen += 1
        else:
            assert verdict.equivalent or len(verdict.word) > 5
    assert seen > 100


def test_minimised_machines_are_equivalent_and_smallest():
    rng = np.random.default_rng(5)
    for _ in range(100):
        machine = complete_machine(rng, int(rng.integers(1, 7)), 2)
        small = minimise(shuffled(machine, rng))
        assert equivalent(machine, small).equivalent
        mealy = as_mealy(machine)
        mealy.minimize()
        assert len(small.states) == len(mealy.states)


def test_an_expert_and_its_task_twin():
    assert equivalent(expert("add2"), expert("add2")).same_domain
    verdict = equivalent(expert("sub2"), expert("compare2"))
    assert not verdict.equivalent
    assert verdict.reason


def test_other_alphabets_are_refused():
    with pytest.raises(InputError, match="alphabets"):
        equivalent(expert("add2"), expert("add3"))
