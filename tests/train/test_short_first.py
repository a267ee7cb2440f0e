"""Short traces first: only where lengths differ much, and the same bits wherever a training is cut."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.experts import expert
from dfst.model.weights import Shape
from dfst.traces.traceset import gather
from dfst.train.engine_cpu import CpuEngine
from dfst.train.recipe import QUICK, Recipe
from dfst.train.short_first import ShortFirst, short_first
from dfst.train.state import initial_state

AGENT = expert("parity")
TRACES = gather([AGENT.trace(text) for text in ("0", "1", "01" * 40, "10")], AGENT.name, AGENT.alphabet)
SHAPE = Shape(len(TRACES.alphabet), len(TRACES.motions), 3)
RECIPE = Recipe("test", steps=20, learning_rate=0.02, batch_size=2, short_first=10.0)


def made(traces, recipe=RECIPE):
    seen = []

    def make(some):
        seen.append(len(some))
        return CpuEngine(SHAPE, some, recipe)

    return short_first(make, traces, recipe), seen


@pytest.mark.parametrize("cuts", [[4, 6, 5, 5], [7, 13], [12, 8], [1] * 20])
def test_cut_anywhere_it_ends_in_the_same_bits(cuts):
    states = []
    for counts in ([20], cuts):
        state = initial_state(SHAPE, (3, 5), np.float32)
        engine, seen = made(TRACES)
        for count in counts:
            engine.advance(state, count)
        engine.sync(state)
        assert seen == [3, 4]
        states.append(state)
    np.testing.assert_array_equal(states[0].theta, states[1].theta)
    assert states[0].iteration == states[1].iteration == 20


def test_the_first_half_sees_the_short_ones_and_a_resumed_second_half_all():
    state, fewer = (initial_state(SHAPE, (3,), np.float32) for _ in range(2))
    engine, _ = made(TRACES)
    engine.advance(state, 10)
    CpuEngine(SHAPE, TRACES.subset([0, 1, 3]), RECIPE).advance(fewer, 10)
    np.testing.assert_array_equal(state.theta, fewer.theta)
    CpuEngine(SHAPE, TRACES, RECIPE).advance(fewer, 10)
    made(TRACES)[0].advance(state, 10)
    np.testing.assert_array_equal(state.theta, fewer.theta)


def test_the_learning_rate_falls_to_0_in_each_stage_the_second_from_a_quarter_of_it():
    rates = Recipe("test", learning_rate=0.5, path=50, stages=2).for_size(9).learning_rates(0, 200)
    assert rates.shape == (200,)
    assert (rates[0], rates[100]) == (0.5, 0.125)
    assert (np.diff(rates[:100]) < 0).all()
    assert (np.diff(rates[100:]) < 0).all()
    np.testing.assert_allclose(rates[[99, 199]], 0, atol=2e-4)


def test_where_lengths_are_alike_or_nothing_is_asked_all_come_at_once():
    assert not isinstance(made(TRACES.subset([0, 1, 3]))[0], ShortFirst)
    assert not isinstance(made(TRACES, RECIPE.with_overrides(short_first=0.0))[0], ShortFirst)
    assert QUICK.short_first == 10.0
