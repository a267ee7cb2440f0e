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
from dfst.world.grid import Limits

SUMS = ["00+1", "10+0", "11+11", "1+1", "0+0"]
"""All rules of binary addition, but no carry into a column of 0."""


def ways_slowly(agent, traces):
    """Each way into a state and each symbol read after it: the first trace that shows it."""
    found = {}
    for i in range(len(traces)):
        state, way = 0, (agent.next.size, 0)
        for x in traces[i].x.tolist():
            found.setdefault((*way, x), i)
            place, rule = state * len(agent.alphabet) + x, way
            state, before = int(agent.next[state, x]), state
            way = (place, 0 if state != before else rule[1] + 1 if rule[0] == place else 1)
    return found


def unconnected_slowly(agent, taught, possible):
    """Walks from each way into a state, to the symbols read after it and the other ways that go on so."""
    targets, found = [*agent.next.ravel().tolist(), 0], set()
    for place, rounds, x in possible:
        known = [w for w in taught if w[:2] == (place, rounds)] or [w for w in taught if w[0] == place]
        symbols = {way[2] for way in known}
        while more := {
            y for place_, rounds_, y in taught
            if targets[place_] == targets[place] and y not in symbols
            and any((place_, rounds_, z) in taught for z in symbols)
        }:  # fmt: skip
            symbols |= more
        if x not in symbols:
            found.add((place, rounds, x))
    return found


def listed(ways):
    return {
        (int(ways.places[i]), int(ways.rounds[i]), x): int(ways.first[i, x])
        for i, x in np.argwhere(ways.shown).tolist()
    }


@pytest.mark.parametrize("seed", range(30))
def test_as_walks_find_it(seed):
    random = np.random.default_rng(seed)
    agent = random_agent(random, states=int(random.integers(1, 7)), symbols=int(random.integers(1, 6)))
    texts = ["".join(random.choice(agent.alphabet, n)) for n in random.integers(0, 7, 40)]
    traces = record_all(agent, texts, Limits(steps=60))
    few = traces.subset(range(int(random.integers(9))))
    ways = [telling_apart(agent, some).ways for some in (few, traces)]
    taught, possible = (listed(some) for some in ways)
    assert possible == ways_slowly(agent, traces)
    found = {
        (int(ways[1].places[i]), int(ways[1].rounds[i]), x)
        for i, x in np.argwhere(unconnected(*ways)).tolist()
    }
    assert found == unconnected_slowly(agent, taught, possible)
    assert not found & taught.keys()


def open_after(agent, sums, candidates, state, read, symbol):
    place = agent.states.index(state) * len(agent.alphabet) + agent.alphabet.index(read)
    return teaching(agent, record_all(agent, sums), candidates).apart[place, -len(agent.alphabet) :][
        agent.alphabet.index(symbol)
    ]


def test_a_carry_into_a_zero_is_connected_by_one_sum():
    agent, candidates = expert("add2"), find_problem("add2").candidates()
    assert open_after(agent, SUMS, candidates, "(add,1)", "1", "0")
    assert not open_after(agent, [*SUMS, "01+1"], candidates, "(add,1)", "1", "0")


def test_the_end_of_a_loop_is_to_be_shown_after_rounds_that_go_on_elsewhere():
    """`trim` meets the end of 000+00 after four zeros, and otherwise a digit after one."""
    agent, candidates = expert("add2"), find_problem("add2").candidates()
    sums = ["000+00", "1+1", "01+1"]
    assert open_after(agent, sums, candidates, "trim", "0", "λ")
    assert not open_after(agent, [*sums, "0+0"], candidates, "trim", "0", "λ")
    [place] = [
        place for place in teaching(agent, record_all(agent, sums), candidates).thinnest(100)
        if place.what == "that trim reads λ after (trim, 0)"
    ]  # fmt: skip
    assert "and nothing connects it with shorter or longer stays; 0+0 shows it" in str(place)


def test_five_sums_tell_everything_apart_and_connect_it():
    found = find_problem("add2", examples="connected").training_set()
    assert found.traces.inputs == ("11+001", "10+11", "0+0", "01+1", "0+00")
    assert (
        found.chosen
        == "chosen to tell everything apart once, and 2 to connect how states are entered and left"
    )


@pytest.mark.parametrize("name", ["sum2", "cycle", "divisible3"])
def test_what_is_chosen_connects_everything(name):
    problem = find_problem(name, examples="connected", told_apart=1)
    assert not teaching(problem.agent, problem.training_set().traces, problem.candidates()).apart.any()


def test_it_is_the_first_thing_that_a_report_names():
    agent = expert("add2")
    found = teaching(agent, record_all(agent, SUMS), find_problem("add2").candidates())
    assert "nothing connects the two; " in str(found.thinnest(1)[0])
    never = [place for place in found.thinnest(len(found.thin)) if not place.times]
    assert [place.connected for place in never] == sorted(place.connected for place in never)
    assert found.blamed("01+1").endswith(
        "that carry reads 0 after ((add,1), 1) is never shown, and nothing connects the two; 01+1 shows it"
    )
