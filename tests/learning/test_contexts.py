"""Contexts of a model on its traces: few, deterministic, the same through blur, merged only where allowed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.agents import expert
from dfst.learning.contexts import NONE, ContextGraph, find_contexts, merge_contexts, sound_contexts
from dfst.model.compile import compile_agent
from dfst.traces.sample import PAPER_SAMPLING, sample_traces

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
    assert graph.spread == 0
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
    assert 0 < graph.spread < 0.02


def test_a_model_that_has_learnt_nothing_has_no_sound_contexts(traces):
    assert sound_contexts(replace(MODEL, A=0 * MODEL.A).flat(), MODEL.shape, traces) is None


def chain(*actions: int) -> ContextGraph:
    """Contexts on a line, at 0, 1, 2, …, each with one action on symbol 0 and one step to the next."""
    n = len(actions)
    following = np.array([[i + 1] for i in range(n - 1)] + [[NONE]], dtype=np.int32)
    return ContextGraph(
        np.arange(float(n))[:, None],
        following,
        np.array(actions, dtype=np.int32)[:, None],
        radius=0.1,
        spread=0.0,
    )


@pytest.mark.parametrize(
    ("graph", "limit", "contexts"),
    [
        (chain(7, 7, 7), 0.5, 3),
        (chain(7, 7, 7), 1.0, 2),
        (chain(7, 7, 7), 2.0, 1),
        (chain(7, 8, 7), 1.0, 3),
        (chain(7, 8, 7), 9.0, 2),
        (chain(NONE, 8, NONE), 1.0, 2),
        (chain(NONE, 8, NONE), 2.0, 1),
    ],
)
def test_contexts_are_one_where_they_lie_close_and_never_disagree(graph, limit, contexts):
    merged = merge_contexts(graph, limit)
    assert len(merged.centre) == contexts
    assert set(merged.action[merged.action != NONE].tolist()) == set(
        graph.action[graph.action != NONE].tolist()
    )
