"""What examples connect, and what is said of a set that leaves something unconnected."""

import numpy as np
import pytest
from random_agent import random_agent

from dfst.experts import expert
from dfst.problems import find_problem
from dfst.traces.connected import DEPTH, unconnected
from dfst.traces.sample import record_all
from dfst.traces.teaching_set import teaching
from dfst.traces.telling_apart import telling_apart
from dfst.world.grid import Limits

SUMS = ["00+1", "10+0", "11+11", "1+1", "0+0"]
"""All rules of binary addition, but no carry into a column of 0."""
CANDIDATES = find_problem("add2").candidates()


def ways_slowly(agent, traces, depth):
    """Each way into a state and each symbol read after it: the first trace that shows it."""
    found, start = {}, agent.next.size
    for i in range(len(traces)):
        state, way = 0, []
        for x in traces[i].x.tolist():
            more = next((i for i, rule in enumerate(way[::-1]) if rule != way[-1]), len(way)) - DEPTH
            found.setdefault((tuple(way[-depth:]) or (start,), max(0, more) * (depth == DEPTH), x), i)
            way.append(state * len(agent.alphabet) + x)
            state = int(agent.next[state, x])
    return found


def unconnected_slowly(agent, taught, possible):
    """Walks from each way into a state, to the symbols read after it and the other ways that go on so."""
    targets, found = [*agent.next.ravel().tolist(), 0], set()
    for way, rounds, x in possible:
        others = [line for line in taught if targets[line[0][-1]] == targets[way[-1]]]
        symbols = {y for w, r, y in taught if (w, r) == (way, rounds)}
        while more := {
            y for w, r, y in others if y not in symbols and any((w, r, z) in taught for z in symbols)
        }:  # fmt: skip
            symbols |= more
        if symbols and x not in symbols and any(y == x for *_, y in others):
            found.add((way, rounds, x))
    return found


def named(ways, i, x):
    return tuple(ways.rules(i)), int(ways.keys[i]) // (ways.agent.next.size + 1) ** ways.depth, x


def listed(ways):
    return {named(ways, i, x): int(ways.first[i, x]) for i, x in np.argwhere(ways.shown).tolist()}


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("seed", range(20))
def test_as_walks_find_it(seed, depth):
    random = np.random.default_rng(seed)
    agent = random_agent(random, states=int(random.integers(1, 7)), symbols=int(random.integers(1, 6)))
    texts = ["".join(random.choice(agent.alphabet, n)) for n in random.integers(0, 7, 40)]
    traces = record_all(agent, texts, Limits(steps=60))
    few = traces.subset(range(int(random.integers(9))))
    ways = [telling_apart(agent, some).ways(depth) for some in (few, traces)]
    taught, possible = (listed(some) for some in ways)
    assert possible == ways_slowly(agent, traces, depth)
    found = {named(ways[1], i, x) for i, x in np.argwhere(unconnected(*ways)).tolist()}
    assert found == unconnected_slowly(agent, taught, possible)
    assert not found & taught.keys()


def of_sums(sums):
    return teaching(expert("add2"), record_all(expert("add2"), sums), CANDIDATES)


def test_a_carry_into_a_zero_is_connected_by_one_sum():
    said = "that carry reads 0 after ((add,1), 1) is never shown, and nothing connects the two; 01+1 shows it"
    assert str(of_sums(SUMS).thinnest(1)[0]) == said
    assert of_sums(SUMS).connection() == f"0 rules back, not 1: {said}"
    assert of_sums([*SUMS, "01+1"]).depth == 1


def test_the_end_of_a_loop_is_to_be_shown_after_rounds_that_go_on_elsewhere():
    """`trim` meets the end of 0+0 after three zeros, and a digit after one."""
    four = ["11+001", "10+11", "0+0", "01+1"]
    assert of_sums(four).connection() == (
        "2 rules back, not 3: that trim reads 0 after (trim, 0) (trim, 0) (trim, 0) is never shown, "
        "and nothing connects the two; 0+00 shows it"
    )
    assert of_sums([*four, "0+00"]).depth == 3
    assert of_sums([*four, "0+00", "00+0"]).connection() == "4 rules back"
    assert all(place.connected for place in of_sums(four).thinnest(100))


def test_of_a_machine_with_thousands_of_rules_fewer_are_looked_at():
    random = np.random.default_rng(0)
    agent = random_agent(random, states=3_000, symbols=5)
    texts = ["".join(random.choice(agent.alphabet, n)) for n in range(12)]
    traces = record_all(agent, texts, Limits(steps=60))
    assert telling_apart(agent, traces).ways(DEPTH).depth == 3
    assert listed(telling_apart(agent, traces).ways(2)) == ways_slowly(agent, traces, 2)
    assert teaching(agent, traces, traces).connection() == "3 rules back"


def test_six_sums_tell_everything_apart_and_connect_it():
    found = find_problem("add2", examples="connected").training_set()
    assert found.traces.inputs == ("11+001", "10+11", "0+0", "0+00", "00+0", "01+1")
    assert (
        found.chosen
        == "chosen to tell everything apart once, and 3 to connect how states are entered and left"
    )


@pytest.mark.parametrize("name", ["sum2", "cycle", "divisible3"])
def test_what_is_chosen_connects_everything(name):
    problem = find_problem(name, examples="connected", told_apart=1)
    assert not teaching(problem.agent, problem.training_set().traces, problem.candidates()).apart[1].any()


def test_it_is_the_first_thing_that_a_report_names():
    found = of_sums(SUMS)
    never = [place for place in found.thinnest(len(found.thin)) if not place.times]
    assert [place.connected for place in never] == sorted(place.connected for place in never)
    assert found.blamed("01+1").endswith(
        "that carry reads 0 after ((add,1), 1) is never shown, and nothing connects the two; 01+1 shows it"
    )


def test_a_learner_that_merges_is_told_of_thin_places_alone():
    four = of_sums(["11+001", "10+11", "0+0", "01+1"])
    assert "nothing connects" in four.blamed("0+1")
    assert "nothing connects" not in four.blamed("0+1", merged=True)
