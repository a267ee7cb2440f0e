"""The fewest states: bounds that hold, and that meet where the answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machine_zoo import complete_machine, random_machine

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines import MISSING
from dfst.states import fewest, minimise
from dfst.states.fewest import clique, fewest_states, fewest_states_of_traces, incompatible, prefix_tree
from dfst.traces.sample import PAPER_SAMPLING, Sampling, record_all, sample_traces


@pytest.mark.parametrize(("name", "states"), [("add2", 12), ("add10", 20)])
def test_experts_of_which_no_two_states_can_be_merged(name, states):
    agent = expert(name)
    assert fewest_states(agent) == (states, states)
    traces = sample_traces(agent, PAPER_SAMPLING[name])
    assert fewest_states_of_traces(traces, agent) == (states, states)


def test_bounds_meet_on_machines_with_all_their_rules():
    rng = np.random.default_rng(0)
    for _ in range(30):
        machine = complete_machine(rng, int(rng.integers(2, 12)), 3)
        smallest = len(minimise(machine).states)
        assert fewest_states(machine) == (smallest, smallest)


def test_bounds_enclose_what_minimising_finds_on_partial_machines():
    rng = np.random.default_rng(1)
    for _ in range(50):
        machine = random_machine(rng, int(rng.integers(1, 6)), 3, missing=0.4)
        lower, upper = fewest_states(machine)
        assert 1 <= lower <= upper <= len(minimise(machine).states)


def test_states_apart_are_never_merged_and_a_clique_is_one():
    rng = np.random.default_rng(2)
    for _ in range(50):
        machine = random_machine(rng, 4, 3, missing=0.3)
        apart = incompatible(machine)
        found = clique(apart)
        assert (apart == apart.T).all()
        assert not apart.diagonal().any()
        assert apart[np.ix_(found, found)].sum() == len(found) * (len(found) - 1)


def test_only_rules_that_the_traces_show_count():
    agent = expert("add2")
    lower, upper = fewest_states_of_traces(record_all(agent, ["0+0"]), agent)
    assert lower <= upper < 12


def test_traces_alone_enclose_what_the_agent_needs():
    agent = expert("add2")
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    lower, upper = fewest_states_of_traces(traces)
    assert 8 <= lower <= 12 <= upper <= 20
    many = sample_traces(expert("mult2"), Sampling(p=1, max_digits=3, samples=60))
    lower, upper = fewest_states_of_traces(many)
    assert 10 <= lower <= 25
    assert upper is None or lower <= upper


def test_the_prefix_tree_is_a_table_of_histories():
    traces = record_all(expert("add2"), ["1+1", "0+0", "10+1"])
    tree = prefix_tree(traces)
    assert tree.visits[0] == 3
    targets = tree.next[tree.next >= 0]
    assert sorted(targets.tolist()) == list(range(1, len(tree.next)))
    histories = {tuple(traces[i].x[:t]) for i in range(3) for t in range(1, len(traces[i]) + 1)}
    assert np.count_nonzero(tree.next != MISSING) == len(histories)


def test_traces_that_contradict_each_other_are_refused():
    traces = record_all(expert("add2"), ["1+1", "1+1"])
    other = traces.s.copy()
    other[-1] ^= 1
    with pytest.raises(InputError, match="contradict each other"):
        prefix_tree(replace(traces, s=other))


def test_where_few_traces_confuse_more_are_merged(monkeypatch):
    traces = sample_traces(expert("add2"), Sampling(p=1, max_digits=3, samples=60))
    whole, merge, sizes = len(prefix_tree(traces).visits), fewest.merge_tree, []

    def confused(tree, *more):
        sizes.append(len(tree.visits))
        return merge(tree, *more) if len(tree.visits) == whole else (None, [0])

    monkeypatch.setattr(fewest, "FIRST_TRACES", 8)
    monkeypatch.setattr(fewest, "MORE", 2)
    monkeypatch.setattr(fewest, "merge_tree", confused)
    assert fewest_states_of_traces(traces)[1] is not None
    assert sizes[:4] == sorted(sizes[:4])
    monkeypatch.setattr(fewest, "merge_tree", lambda tree, *more: (None, [0]))
    assert fewest_states_of_traces(traces)[1] is None
