"""The report on a training set: what it counts, and that it predicts how training came out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
import teachers
from random_agent import LINE, random_agent

import dfst
from dfst.experts import expert
from dfst.machines.agent import Agent
from dfst.machines.rulebook import RuleBook
from dfst.states.teachability import Teachability, teachability
from dfst.tasks.registry import find_task
from dfst.traces.loops import Loop, shown_loops
from dfst.traces.sample import PAPER_SAMPLING, record_all, sample_traces
from dfst.traces.surroundings import surroundings
from dfst.traces.traceset import TraceSet
from dfst.world.grid import BLANK, L, Limits, R


def taught(build, name: str, data_seed: int = 0) -> Teachability:
    agent = build(find_task(name)) if build else expert(name)
    return teachability(agent, sample_traces(agent, replace(PAPER_SAMPLING[name], data_seed=data_seed)))


OUTCOMES = [
    # teacher, task, data seed, hidden size, what the report must say, or "" where training mostly went well
    (teachers.add_at_first, "add10", 0, 20, "never shown"),
    (teachers.add_at_first, "add10", 4530, 20, "(left, 1) is shown after (finish, +) only"),
    (teachers.add_operator_kept, "add10", 0, 20, "(trim, 2) is shown after (trim, 0) only"),
    (teachers.add_zero_trimmed, "add10", 0, 20, ""),
    (teachers.add_zero_trimmed, "add10", 0, 21, "room to count"),
    (teachers.add_zero_trimmed, "add10", 0, 32, "room to count"),
    (teachers.add_padded_ahead, "add10", 0, 20, "(carry, 9) invites counting"),
    (None, "add10", 0, 20, ""),
    (teachers.add_at_first, "add2", 0, 12, "never once"),
    (teachers.add_zero_trimmed, "add2", 0, 12, "never once"),
    (None, "add2", 0, 12, "(carry, 1) repeats 0 or 2 times, never once"),
    (teachers.mult_at_first, "mult2", 0, 32, "room to count: 25 states explain the traces"),
    (teachers.mult_at_first, "mult2", 0, 25, "(to_b, λ)"),
    (teachers.mult_with_a_gap, "mult2", 0, 32, "(right, λ) (5 lengths in a run): a gap of blanks that grows"),
    (None, "mult2", 0, 32, ""),
    (None, "mult2", 0, 24, "less than the 32 states"),
]


@pytest.mark.parametrize(("build", "name", "data_seed", "hidden_size", "words"), OUTCOMES)
def test_it_predicts_how_training_came_out(build, name, data_seed, hidden_size, words):
    warnings = taught(build, name, data_seed).warnings(hidden_size)
    assert words in " | ".join(warnings)
    assert bool(warnings) == bool(words)


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (teachers.add_at_first, "add3"),
        (teachers.add_operator_kept, "add3"),
        (teachers.add_zero_trimmed, "add3"),
        (teachers.add_padded_ahead, "add3"),
        (teachers.mult_at_first, "mult2"),
        (teachers.mult_with_a_gap, "mult2"),
    ],
)
def test_the_teachers_compute_rightly(build, name):
    task, rng = find_task(name), np.random.default_rng(0)
    agent = build(task)
    for lengths in [(1, 1), (1, 3), (3, 1), (4, 4), (5, 2), (7, 7)]:
        operands = task.random_operands(rng, lengths)
        assert agent.run(task.write(operands)).answer == task.solve(operands)


def walker() -> Agent:
    """Goes left over blanks to the last letter, and right over letters a."""
    rules = RuleBook((BLANK, "a", "b"))
    rules.on("left", BLANK, L)
    rules.on("left", ("a", "b"), R, to="right")
    rules.on("right", "a", R)
    rules.halt("right", (BLANK, "b"))
    return rules.agent("walker", layout="last")


def test_a_loop_by_hand():
    agent = walker()
    traces = record_all(agent, ["ab", "a__", "b_", "aab_", "abaa"])
    found = {loop.name: loop for loop in shown_loops(agent, traces)}
    blanks = found["(left, λ)"]
    assert blanks.over_blanks
    assert blanks.walks == {(None, "a"): (0, 2), (None, "b"): (0, 1)}
    assert blanks.exits == {"a": (0, 2), "b": (0, 1)}
    assert blanks.rounds == (0, 1, 2)
    assert blanks.lengths_in_a_run == 1


def entered_from_p(exits: dict[str, tuple[int, ...]]) -> Loop:
    walks = {("p", symbol): shown for symbol, shown in exits.items()}
    return Loop("q", "x", walks, over_blanks=False, lengths_in_a_run=1)


@pytest.mark.parametrize(
    ("exits", "untied", "skips_one"),
    [
        ({"0": (0,), "λ": (2,)}, (2,), False),
        ({"0": (0,), "λ": (0, 2)}, (), True),
        ({"0": (0, 1), "λ": (0, 2)}, (), False),
        ({"0": (0, 1), "λ": (2,)}, (2,), False),
        ({"0": (0,), "λ": (1,)}, (), False),
        ({"0": (2,), "1": (2,)}, (), False),
        ({"0": (0, 3), "1": (3, 5)}, (), True),
        ({"0": (0, 1, 2, 3), "1": (0, 4)}, (), False),
    ],
)
def test_what_ties_the_rounds_of_a_loop(exits, untied, skips_one):
    loop = entered_from_p(exits)
    assert (loop.untied, loop.skips_one) == (untied, skips_one)


def test_a_gap_is_one_that_grows_in_a_run():
    growing = Loop("q", "λ", {("p", "a"): (1, 2, 3)}, over_blanks=True, lengths_in_a_run=3)
    assert growing.is_growing_gap
    assert not replace(growing, over_blanks=False).is_growing_gap
    assert not replace(growing, lengths_in_a_run=1).is_growing_gap


@pytest.mark.parametrize(
    ("walks", "cycle"),
    [
        ({("p", "a"): (2, 4)}, 2),
        ({("p", "a"): (2, 3, 4)}, 1),
        ({("p", "a"): (0, 2), ("p", "b"): (1, 3)}, 2),  # the one ends in one half of the cycle, the other …
        ({("p", "a"): (0, 4), ("r", "a"): (1, 3)}, 2),  # or begins there
        ({("p", "a"): (0, 2), ("r", "a"): (1, 4)}, 1),
        ({("p", "a"): (1, 4, 10)}, 3),
        ({("p", "a"): (0, 1)}, 1),
        ({("p", "a"): (2,)}, 0),
        ({("p", "a"): (2,), ("r", "a"): (3,)}, 0),
        ({}, 0),
    ],
)
def test_the_cycle_that_fits_as_well(walks, cycle):
    assert Loop("q", "x", walks, over_blanks=True, lengths_in_a_run=1).cycle == cycle


def test_a_cycle_of_two_fits_even_walks_by_hand():
    found = teachability(walker(), record_all(walker(), ["b__", "a__", "a____"]))
    assert [(loop.name, loop.cycle) for loop in found.cycles] == [("(left, λ)", 2)]
    assert found.warnings()[-1] == (
        "(left, λ) repeats 2 or 4 times, never an odd number: "
        "a cycle of 2 states fits as well; add inputs of other lengths, if any"
    )


def places_in_the_cycle(agent: Agent, traces: TraceSet, loop: Loop, symbol: str) -> set[int]:
    """Where a cycle in the loop's place reads the symbol, if each state enters it where it must."""
    q, k, y = agent.states.index(loop.state), agent.alphabet.index(loop.symbol), agent.alphabet.index(symbol)
    places = set()
    for i in range(len(traces)):
        state, before, place = 0, None, 0
        for x in traces[i].x.tolist():
            if state == q and before != (q, k):
                entered_from = None if before is None else agent.states[before[0]]
                place = -loop.walks.get((entered_from, symbol), (0,))[0]
            elif state == q:
                place += 1
            if (state, x) == (q, y):
                places.add(place % loop.cycle)
            before, state = (state, x), int(agent.next[state, x])
    return places


def test_the_cycle_fits_the_traces():
    """A symbol that ends walks is read in one state of the cycle alone, so others may answer otherwise."""
    tried = 0
    for seed in range(100):
        agent = random_agent(np.random.default_rng(seed), 1 + seed % 3, 3, LINE)
        traces = record_all(agent, ["111122", "1211", "22211112"], Limits(steps=16))
        for loop in (loop for loop in shown_loops(agent, traces) if loop.cycle > 1):
            for symbol in loop.exits:
                assert places_in_the_cycle(agent, traces, loop, symbol) == {0}
                tried += 1
    assert tried > 20


def test_a_walk_that_is_cut_off_has_no_length():
    agent = walker()
    inputs = ["b", "b__", "b____", "b_____________"]
    whole, cut = record_all(agent, inputs), record_all(agent, inputs, Limits(steps=8))
    assert [loop.cycle for loop in shown_loops(agent, whole)] == [1]
    assert [loop.cycle for loop in shown_loops(agent, cut)] == [2]


def test_add10_walks_an_even_number_of_cells_on_data_seed_100():
    assert taught(None, "add10", 0).cycles == ()
    found = taught(None, "add10", 100)
    assert [(loop.name, loop.rounds, loop.cycle) for loop in found.cycles] == [
        ("((add,0), λ)", (2, 4), 2),
        ("((add,8), λ)", (2, 4), 2),
    ]
    assert found.warnings(20) == tuple(
        f"((add,{digit}), λ) repeats 2 or 4 times, never an odd number: "
        "a cycle of 2 states fits as well; add inputs of other lengths, if any"
        for digit in (0, 8)
    )
    assert found.warnings(20, brief=True) == (
        "((add,0), λ) repeats 2 or 4 times, never an odd number: a cycle of 2 states fits as well, "
        "as with 1 more loop; add inputs of other lengths, if any",
    )


def test_a_loop_is_named_once_and_the_least_shown_first():
    found = taught(None, "add2")
    assert [(loop.name, loop.cycle) for loop in found.cycles] == [("(carry, 1)", 2), ("(advance, λ)", 2)]
    skipped, advance = found.warnings()
    assert skipped.startswith("(carry, 1) repeats 0 or 2 times, never once")
    assert advance.startswith("(advance, λ) repeats 1 or 3 times between carry and +, never an even number")


def slow_loops(agent: Agent, traces: TraceSet) -> dict[str, tuple[dict[tuple[str | None, str], tuple], int]]:
    """Every loop → its walks and the most lengths in a run, by walking each trace step by step."""
    walks: dict[tuple[int, int], dict[tuple[str | None, str], set[int]]]
    walks = defaultdict(lambda: defaultdict(set))
    lengths: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    walked = set()
    for i in range(len(traces)):
        state, before, rounds, entry = 0, None, 0, None
        for x in traces[i].x.tolist():
            if before is not None and before != (state, x) and before[0] == state:
                walks[before][entry, agent.alphabet[x]].add(rounds)
                lengths[*before, i].add(rounds)
            if before != (state, x):
                entry = None if before is None else agent.states[before[0]]
            for k in np.flatnonzero(agent.next[state] == state).tolist():
                if k != x and before != (state, k):
                    before_it = None if before is None else agent.states[before[0]]
                    walks[state, k][before_it, agent.alphabet[x]].add(0)
            rounds = rounds + 1 if before == (state, x) else 1
            before, state = (state, x), int(agent.next[state, x])
            if state == before[0]:
                walked.add(before)
    return {
        f"({agent.states[q]}, {agent.alphabet[k]})": (
            {ends: tuple(sorted(shown)) for ends, shown in walks[q, k].items()},
            max((len(several) for (s, y, _), several in lengths.items() if (s, y) == (q, k)), default=0),
        )
        for q, k in walked
    }


@pytest.mark.parametrize("seed", range(20))
def test_loops_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    agent = random_agent(rng, 1 + seed % 4, 3, missing=0.0, halting=0.05)
    inputs = ["", "".join(agent.alphabet[i] for i in rng.integers(0, 3, size=9) if i != agent.blank)]
    traces = record_all(agent, list(dict.fromkeys(inputs)), Limits(steps=200))
    found = {loop.name: (dict(loop.walks), loop.lengths_in_a_run) for loop in shown_loops(agent, traces)}
    assert found == slow_loops(agent, traces)


def test_surroundings_by_hand():
    agent = walker()
    traces = record_all(agent, ["ab", "aab_"])
    found = surroundings(agent, traces)
    assert [(rule.state, rule.symbol) for rule in found.after_one] == [("right", "λ")]
    assert [(rule.state, rule.symbol) for rule in found.before_one] == [("left", "λ"), ("left", "b")]
    assert found.one_way == ()


def test_in_python_by_name_and_by_traces():
    agent = expert("add2")
    known = dfst.teachability("add2")
    assert known.as_json(12) | {"thin": None} == taught(None, "add2").as_json(12)
    assert known.teaching is not None
    assert str(known.teaching.thinnest(1)[0]) == (
        "that carry repeats once after ((add,1), 1) is never shown; 11+1 shows it"
    )
    few = dfst.teachability(agent, record_all(agent, ["1+1"]))
    assert few.coverage.unseen
    assert "never shown" in few.warnings()[0]


def test_too_many_states_are_not_compared(monkeypatch):
    monkeypatch.setattr("dfst.states.teachability.MOST_STATES", 5)
    found = dfst.teachability("add2")
    assert found.fewest is None
    assert not any("hidden size" in warning for warning in found.warnings(99))
