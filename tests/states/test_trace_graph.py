"""Contexts of a model on its traces: few, deterministic, the same through blur."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.agents import expert
from dfst.model.compile import compile_agent
from dfst.states.trace_graph import NONE, find_contexts, sound_contexts
from dfst.traces.sample import PAPER_SAMPLING, record_all, sample_traces

AGENT = expert("add2")
MODEL = compile_agent(AGENT, dtype=np.float64)


@pytest.fixture(scope="module")
def traces():
    return sample_traces(AGENT, PAPER_SAMPLING["add2"])


def blurred(size, seed=0):
    return MODEL.flat() + size * np.random.default_rng(seed).normal(size=MODEL.shape.size)


def test_the_contexts_of_a_compiled_agent_are_its_states(traces):
    graph = find_contexts(MODEL.flat(), MODEL.shape, traces, radius=0.1)
    states = graph.centre.argmax(1)
    assert len(set(states.tolist())) == len(graph.centre) == len(AGENT.states)
    assert len(graph.edges) == AGENT.rule_count
    for c, x in graph.edges:
        rule = AGENT.rule(int(states[c]), int(x))
        assert graph.action[c, x] == int(AGENT.write[states[c], x]) + 256 * int(AGENT.action[states[c], x])
        assert rule.next is None or AGENT.states[states[graph.following[c, x]]] == rule.next


def test_a_little_blur_changes_nothing_but_the_centres(traces):
    plain = find_contexts(MODEL.flat(), MODEL.shape, traces, radius=0.1)
    graph = sound_contexts(blurred(1e-5), MODEL.shape, traces)
    assert graph.following.tolist() == plain.following.tolist()
    assert graph.action.tolist() == plain.action.tolist()
    assert 0 < np.abs(graph.centre - plain.centre).max() < 0.02


def test_contexts_lie_further_apart_than_the_radius(traces):
    theta = blurred(1e-3)
    for radius in (0.3, 0.1, 0.03):
        graph = find_contexts(theta, MODEL.shape, traces, radius)
        apart = np.linalg.norm(graph.centre[:, None] - graph.centre[None], axis=2)
        assert apart[~np.eye(len(apart), dtype=bool)].min() > radius
        assert graph.acts_as(traces)


def test_every_step_is_computed_from_a_context(traces):
    theta = blurred(1e-3)
    A, *_ = MODEL.shape.split(theta)
    graph = find_contexts(theta, MODEL.shape, traces, 0.1)
    for c, x in graph.edges:
        if graph.following[c, x] >= 0:
            assert np.linalg.norm(A[x] @ graph.centre[c] - graph.centre[graph.following[c, x]]) <= 0.1


def test_a_graph_acts_as_its_agent_on_inputs_it_has_not_seen(traces):
    graph = find_contexts(MODEL.flat(), MODEL.shape, traces, radius=0.1)
    longer = record_all(AGENT, ["110101+111", "1+111111", "0000+1011"])
    assert graph.acts_as(longer)
    for c, x in graph.edges[1::7]:
        broken = graph.action.copy()
        broken[c, x] ^= 1
        assert not replace(graph, action=broken).acts_as(traces)
    unknown = graph.following.copy()
    unknown[0] = NONE
    assert not replace(graph, following=unknown).acts_as(longer)


def test_a_model_that_has_learnt_nothing_has_no_sound_contexts(traces):
    assert sound_contexts(replace(MODEL, A=0 * MODEL.A).flat(), MODEL.shape, traces) is None
