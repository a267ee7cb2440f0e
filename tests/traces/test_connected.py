"""What examples connect, and what is said of a set that leaves something unconnected."""

import numpy as np
import pytest
from random_agent import random_agent

from dfst.experts import expert
from dfst.problems import find_problem
from dfst.traces.connected import unconnected
from dfst.traces.sample import record_all
from dfst.traces.teaching_set import teaching
from dfst.traces.telling_apart import telling_apart

SUMS = ["00+1", "10+0", "11+11", "1+1", "0+0"]
"""All rules of binary addition, but no carry into a column of 0."""


def unconnected_slowly(agent, shown, possible):
    """Walks from each rule, to the symbols read after it and the other rules that were seen to go on so."""
    targets, found = [*agent.next.ravel().tolist(), 0], set()
    for place, x in np.argwhere(possible).tolist():
        entries = [r for r, target in enumerate(targets) if target == targets[place]]
        met, ways = [place], set()
        for rule in met:
            ways |= set(np.flatnonzero(shown[rule]).tolist())
            met += [r for r in entries if r not in met and any(shown[r, way] for way in ways)]
        if x not in ways:
            found.add((place, x))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_as_walks_find_it(seed):
    random = np.random.default_rng(seed)
    agent = random_agent(
        random, states=int(random.integers(1, 7)), symbols=int(random.integers(1, 6)), missing=0.2
    )
    size = agent.next.size + 1, len(agent.alphabet)
    reachable = np.append(agent.next.ravel(), 0)[:, None] >= 0
    possible = (random.random(size) < 0.7) & reachable
    shown = possible & (random.random(size) < random.choice([0.0, 0.1, 0.3, 0.6, 1.0]))
    found = unconnected(agent, shown, possible)
    assert set(map(tuple, np.argwhere(found).tolist())) == unconnected_slowly(agent, shown, possible)
    assert not (found & shown).any()


def test_a_carry_into_a_zero_is_connected_by_one_sum():
    agent = expert("add2")
    candidates = find_problem("add2").candidates()
    possible = telling_apart(agent, candidates).read_next > 0

    def left_open(sums):
        return unconnected(agent, telling_apart(agent, record_all(agent, sums)).read_next > 0, possible)

    place = agent.states.index("(add,1)") * len(agent.alphabet) + agent.alphabet.index("1")
    assert left_open(SUMS)[place, agent.alphabet.index("0")]
    assert not left_open([*SUMS, "01+1"])[place, agent.alphabet.index("0")]


def test_four_sums_tell_everything_apart_and_connect_it():
    found = find_problem("add2", examples="connected").training_set()
    assert found.traces.inputs == ("11+001", "10+11", "0+0", "01+1")
    assert (
        found.chosen
        == "chosen to tell everything apart once, and 1 to connect how states are entered and left"
    )


@pytest.mark.parametrize("name", ["sum2", "cycle", "divisible3"])
def test_what_is_chosen_connects_everything(name):
    problem = find_problem(name, examples="connected", told_apart=1)
    assert not teaching(problem.agent, problem.training_set().traces, problem.candidates()).unconnected.any()


def test_it_is_the_first_thing_that_a_report_names():
    agent = expert("add2")
    found = teaching(agent, record_all(agent, SUMS), find_problem("add2").candidates())
    assert "nothing connects the two; " in str(found.thinnest(1)[0])
    never = [place for place in found.thinnest(len(found.thin)) if not place.times]
    assert [place.connected for place in never] == sorted(place.connected for place in never)
    assert found.blamed("01+1").endswith(
        "that carry reads 0 after ((add,1), 1) is never shown, and nothing connects the two; 01+1 shows it"
    )
