"""The likeliest machine near one that is nearly right, where some recorded actions are wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.machines.rulebook import RuleBook
from dfst.model import compile_agent
from dfst.states.follow import follow_soundly
from dfst.states.graph import settled
from dfst.states.likeliest import _try, likelier
from dfst.traces.sample import record_all
from dfst.world.grid import R


def three_coins():
    """Three coins open it, and a push locks it."""
    rules = RuleBook(("c", "p", "l", "u", "λ"))
    for state, write, onward in (("0", "l", "1"), ("1", "l", "2"), ("2", "u", "3"), ("3", "u", "3")):
        rules.on(state, "c", R, write, onward)
        rules.on(state, "p", R, "l", "0" if state == "3" else state)
        rules.halt(state, "λ")
    return rules.agent("three_coins")


@pytest.fixture(scope="module")
def clean():
    rng = np.random.default_rng(0)
    return record_all(three_coins(), ["".join(rng.choice(["c", "p"], 12)) for _ in range(40)])


@pytest.fixture(scope="module")
def recorded(clean):
    """One action in ten is wrong, three in ten are unknown."""
    rng = np.random.default_rng(1)
    wrong = rng.random(clean.tokens) < 0.1
    spoilt = replace(clean, s=np.where(wrong, (clean.s + 1) % 5, clean.s).astype(np.uint8))
    return spoilt.without(rng.random(clean.tokens) < 0.3)


@pytest.mark.parametrize(
    "change",
    [{}, {(0, 0): 0}, {(2, 0): 0, (3, 1): 1}],
    ids=["right", "one wrong", "two wrong"],
)
def test_rules_that_are_wrong_are_found(clean, recorded, change):
    graph = follow_soundly(compile_agent(three_coins()), clean)
    assert graph is not None
    following = graph.next.copy()
    for place, target in change.items():
        following[place] = target
    found = settled(likelier(replace(graph, next=following), recorded, 8), recorded)
    assert len(found) == 4
    assert found.acts_as(clean)


def test_no_error_gets_a_state_of_its_own(clean, recorded):
    """A graph with a state for every coin that was ever counted comes down to the four that are needed."""
    graph = follow_soundly(compile_agent(three_coins()), clean)
    assert graph is not None
    n = len(graph)
    twice = [np.concatenate([part, part]) for part in (graph.hidden, graph.write, graph.motion)]
    following = np.concatenate([np.where(graph.next >= 0, graph.next + n, graph.next), graph.next])
    double = replace(graph, hidden=twice[0], write=twice[1], motion=twice[2], next=following)
    found = likelier(double, recorded, 8)
    assert len(found) == 4
    assert settled(found, recorded).acts_as(clean)


def test_what_is_followed_anew_is_what_all_of_it_would_be(recorded):
    """Rules changed at random, taken over or not: path and counts are those of a walk from the start."""
    rng = np.random.default_rng(2)
    room, symbols, actions = 6, len(recorded.alphabet), len(recorded.alphabet) * len(recorded.motions)
    begins = np.isin(np.arange(recorded.tokens + 1), recorded.start)
    action = np.where(recorded.known, recorded.s.astype(np.int64) * len(recorded.motions) + recorded.m, -1)
    prior, costs = np.log(np.full((symbols, actions), 1 / actions)), np.array([-0.1, -5.0, 1.0])

    def fresh():
        counts = np.zeros((room, symbols, actions), np.int32), np.zeros((room, symbols), np.int64)
        return *counts, np.zeros(room, np.int64), np.zeros((room, symbols)), np.full(recorded.tokens, -1)

    def follow(following, table, least, after):
        *counts, path = table
        way, spans = np.empty_like(path), np.empty((recorded.tokens + 1, 2), np.int64)
        steps = recorded.x, action, begins, prior, costs, path, way, spans
        return _try(following, *counts, *steps, after, least)

    following = rng.integers(0, room, (room, symbols))
    following[-1] = room - 1
    table, every = fresh(), np.arange(recorded.tokens)
    follow(following, table, -np.inf, every)
    for attempt in range(40):
        before = following.copy()
        k = rng.integers(symbols)
        following[rng.integers(room - 1), k] = rng.integers(room)
        after = every if attempt % 3 else np.flatnonzero(recorded.x == k)
        if not follow(following, table, -np.inf if attempt % 2 else np.inf, after):
            following = before
        again = fresh()
        follow(following, again, -np.inf, every)
        for one, other in zip(table, again, strict=True):
            np.testing.assert_allclose(one, other)
