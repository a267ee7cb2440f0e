"""Learnt states of a model on its traces: few, deterministic, the same through blur."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.model.compile import compile_agent
from dfst.model.weights import weights_from_flat
from dfst.states.follow import follow, follow_soundly
from dfst.traces.sample import PAPER_SAMPLING, record_all, sample_traces

AGENT = expert("add2")
MODEL = compile_agent(AGENT, dtype=np.float64)


@pytest.fixture(scope="module")
def traces():
    return sample_traces(AGENT, PAPER_SAMPLING["add2"])


def blurred(size, seed=0):
    theta = MODEL.flat() + size * np.random.default_rng(seed).normal(size=MODEL.shape.size)
    return weights_from_flat(theta, MODEL)


def test_the_learnt_states_of_a_compiled_agent_are_its_own(traces):
    graph = follow(MODEL, traces, radius=0.1)
    states = graph.hidden.argmax(1)
    assert len(set(states.tolist())) == len(graph) == len(AGENT.states)
    assert graph.edges == AGENT.rule_count
    for c, x in graph.known:
        rule = AGENT.rule(int(states[c]), int(x))
        assert graph.write[c, x] == AGENT.write[states[c], x]
        assert graph.motion[c, x] == AGENT.action[states[c], x]
        assert rule.next is None or AGENT.states[states[graph.next[c, x]]] == rule.next


def test_a_little_blur_changes_nothing_but_the_centres(traces):
    plain = follow(MODEL, traces, radius=0.1)
    graph = follow_soundly(blurred(1e-5), traces)
    assert graph.next.tolist() == plain.next.tolist()
    assert graph.write.tolist() == plain.write.tolist()
    assert graph.motion.tolist() == plain.motion.tolist()
    assert 0 < np.abs(graph.hidden - plain.hidden).max() < 0.02


def test_much_blur_is_followed_at_a_larger_radius(traces):
    model = blurred(0.02, seed=2)
    assert follow(model, traces, 0.1 * np.linalg.norm(model.h0)) is None
    graph = follow_soundly(model, traces)
    assert graph.tolerance > 0.1 * np.linalg.norm(model.h0)
    assert graph.acts_as(traces)


def test_learnt_states_lie_further_apart_than_the_radius(traces):
    model = blurred(1e-3)
    for radius in (0.3, 0.1, 0.03):
        graph = follow(model, traces, radius)
        apart = np.linalg.norm(graph.hidden[:, None] - graph.hidden[None], axis=2)
        assert apart[~np.eye(len(apart), dtype=bool)].min() > radius
        assert graph.acts_as(traces)


def test_every_step_is_computed_from_a_learnt_state(traces):
    model = blurred(1e-3)
    graph = follow(model, traces, 0.1)
    for c, x in graph.known:
        if graph.next[c, x] >= 0:
            assert np.linalg.norm(model.A[x] @ graph.hidden[c] - graph.hidden[graph.next[c, x]]) <= 0.1


def test_a_graph_acts_as_its_agent_on_inputs_it_has_not_seen(traces):
    graph = follow(MODEL, traces, radius=0.1)
    longer = record_all(AGENT, ["110101+111", "1+111111", "0000+1011"])
    assert graph.acts_as(longer)
    for c, x in graph.known[1::7]:
        for table in ("write", "motion"):
            broken = getattr(graph, table).copy()
            broken[c, x] ^= 1
            assert not replace(graph, **{table: broken}).acts_as(traces)
    for end in (HALT, MISSING):
        ended = graph.next.copy()
        ended[0] = end
        assert not replace(graph, next=ended).acts_as(longer)


def test_a_model_that_has_learnt_nothing_has_no_sound_graph(traces):
    assert follow_soundly(replace(MODEL, A=0 * MODEL.A), traces) is None
