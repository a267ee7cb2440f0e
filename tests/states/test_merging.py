"""Merging contexts: only where nothing speaks against it, near before far, witnessed before unwitnessed."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.agents import expert
from dfst.model.compile import compile_agent
from dfst.states.merging import distances, merge_contexts, merged_graphs
from dfst.states.trace_graph import NONE, TraceGraph, find_contexts
from dfst.traces.sample import PAPER_SAMPLING, sample_traces


def chain(*actions: int) -> TraceGraph:
    """Contexts on a line, at 0, 1, 2, …, each with one action on symbol 0 and one step to the next."""
    n = len(actions)
    following = np.array([[i + 1] for i in range(n - 1)] + [[NONE]], dtype=np.int32)
    return TraceGraph(
        np.arange(float(n))[:, None],
        following,
        np.array(actions, dtype=np.int32)[:, None],
        radius=0.1,
    )


@pytest.mark.parametrize(
    ("graph", "limit", "contexts"),
    [
        (chain(7, 7, 7), 0.5, 3),
        (chain(7, 7, 7), 1.0, 2),
        (chain(7, 7, 7), 2.0, 1),
        (chain(7, 8, 7), 1.0, 3),
        (chain(7, 8, 7), 9.0, 2),
        (chain(NONE, 8, NONE), 2.9, 3),
        (chain(NONE, 8, NONE), 3.0, 2),
        (chain(NONE, 8, NONE), 6.0, 1),
    ],
)
def test_contexts_are_one_where_they_lie_close_and_never_disagree(graph, limit, contexts):
    merged = merge_contexts(graph, distances(graph), limit)
    assert len(merged.centre) == contexts
    assert set(merged.action[merged.action != NONE].tolist()) == set(
        graph.action[graph.action != NONE].tolist()
    )


def test_what_a_merge_forces_must_agree_too():
    """Contexts 0 and 1 agree, but their followers 2 and 3 act differently."""
    graph = TraceGraph(
        np.array([[0.0], [0.1], [5.0], [5.1]]),
        np.array([[2], [3], [NONE], [NONE]], dtype=np.int32),
        np.array([[1], [1], [2], [3]], dtype=np.int32),
        radius=0.01,
    )
    assert len(merge_contexts(graph, distances(graph), 1.0).centre) == 4


def test_a_merged_graph_still_shows_all_that_the_traces_do():
    agent = expert("add2")
    model = compile_agent(agent, dtype=np.float64)
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    theta = model.flat() + 0.003 * np.random.default_rng(0).normal(size=model.shape.size)
    finest = find_contexts(theta, model.shape, traces, 0.02)
    graphs = list(merged_graphs(finest))
    sizes = [len(g.centre) for g in graphs]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > len(agent.states) >= sizes[-1]
    assert all(g.acts_as(traces) for g in graphs)
