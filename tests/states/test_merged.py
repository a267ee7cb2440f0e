"""Coarser graphs: only where nothing speaks against it, near before far, witnessed before unwitnessed."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.model.compile import compile_agent
from dfst.model.weights import weights_from_flat
from dfst.states import merged
from dfst.states.follow import follow
from dfst.states.graph import StateGraph
from dfst.states.merged import coarser_graphs, distances, merge_near
from dfst.traces.sample import PAPER_SAMPLING, sample_traces
from dfst.world.grid import R, S

ANY = compile_agent(expert("add2"))


def graph_of(places: list[float], writes: list[int | None], following: list[int]) -> StateGraph:
    """Learnt states at points of a line, each with what it writes on symbol 0, if that is known."""
    known = np.array([[w is not None] for w in writes])
    following = np.where(known, np.array(following)[:, None], MISSING).astype(np.int32)
    motion = np.where(following >= 0, R, S).astype(np.uint8)
    write = np.array([[w or 0] for w in writes], dtype=np.uint8)
    return StateGraph(np.array(places)[:, None], write, motion, following, 0.1, ANY)


def chain(*writes: int | None) -> StateGraph:
    """States at 0, 1, 2, …, each with one step to the next; the last goes back by one."""
    n = len(writes)
    return graph_of([float(i) for i in range(n)], list(writes), [*range(1, n), n - 2])


@pytest.mark.parametrize(
    ("graph", "limit", "states"),
    [
        (chain(7, 7, 7), 0.5, 3),
        (chain(7, 7, 7), 1.0, 2),
        (chain(7, 7, 7), 2.0, 1),
        (chain(7, 8, 7), 1.0, 3),
        (chain(7, 8, 7), 9.0, 2),
        (chain(None, 8, None), 2.9, 3),
        (chain(None, 8, None), 6.0, 2),
        (chain(None, 8, None), 12.0, 1),
    ],
)
def test_states_are_one_where_they_lie_close_and_never_disagree(graph, limit, states):
    merged = merge_near(graph, distances(graph), limit)
    assert len(merged) == states
    written = [set(g.write[g.next != MISSING].tolist()) for g in (merged, graph)]
    assert written[0] == written[1]


def test_what_a_merge_forces_must_agree_too():
    """States 0 and 1 agree, but their followers 2 and 3 act differently."""
    graph = graph_of([0.0, 0.1, 5.0, 5.1], [1, 1, 2, 3], [2, 3, HALT, HALT])
    assert len(merge_near(graph, distances(graph), 1.0)) == 4


def test_a_merged_graph_still_shows_all_that_the_traces_do():
    agent = expert("add2")
    model = compile_agent(agent, dtype=np.float64)
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    theta = model.flat() + 0.003 * np.random.default_rng(0).normal(size=model.shape.size)
    finest = follow(weights_from_flat(theta, model), traces, 0.02)
    graphs = list(coarser_graphs(finest))
    sizes = [len(g) for g in graphs]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > len(agent.states) >= sizes[-1]
    assert all(g.acts_as(traces) for g in graphs)


def test_a_radius_at_which_too_many_states_are_left_is_not_the_last_one(monkeypatch):
    monkeypatch.setattr(merged, "merged_graph", lambda graph, most, useful: graph)
    graphs = [range(9), range(5), range(3)]
    assert merged.first_merged(iter(graphs), most=4, enough=5) is graphs[1]
    assert merged.first_merged(iter(graphs), most=2, enough=2) is graphs[0]
    assert merged.first_merged(iter([]), most=2, enough=2) is None
