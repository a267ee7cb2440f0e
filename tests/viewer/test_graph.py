"""Graphs of machines: what stands on the arrows, and that nothing lies over anything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viewer_subjects import langton

from dfst.experts import expert
from dfst.machines import Agent
from dfst.machines.agent import HALT
from dfst.machines.formats.published import published
from dfst.viewer.graph import Graph, draw_graph, machine_graph, rules_by_arrow

MACHINES = [expert("add10"), expert("mult2"), expert("sort3"), published("bb5"), langton()]


def overlaps(graph: Graph) -> list[tuple[str, str]]:
    """Pairs of boxes, states and words, that share some of the plane."""
    drawing = graph.drawing
    boxes = [
        (name, *at, *size) for name, at, size in zip(graph.names, drawing.nodes, graph.sizes, strict=True)
    ]
    boxes += [
        ("; ".join(lines), *route.label, *arrow.label)
        for lines, route, arrow in zip(graph.lines, drawing.routes, graph.arrows, strict=True)
    ]
    names = [box[0] for box in boxes]
    x, y, w, h = np.array([box[1:] for box in boxes]).T
    over = (np.abs(x[:, None] - x) < (w[:, None] + w) / 2 - 1e-9) & (
        np.abs(y[:, None] - y) < (h[:, None] + h) / 2 - 1e-9
    )
    return [(names[i], names[j]) for i, j in zip(*np.nonzero(np.triu(over, 1)), strict=True)]


@pytest.mark.parametrize("downwards", [False, True])
@pytest.mark.parametrize("agent", MACHINES, ids=lambda agent: agent.name)
def test_no_words_lie_over_each_other(agent: Agent, downwards: bool) -> None:
    graph = machine_graph(agent, downwards)
    assert overlaps(graph) == []
    assert len(graph.names) == len(agent.states) + bool((agent.next == HALT).any())


@given(st.integers(1, 9), st.data())
@settings(max_examples=60, deadline=None)
def test_nor_on_any_graph(n: int, data: st.DataObject) -> None:
    pairs = data.draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), unique=True, max_size=24)
    )
    words = st.lists(st.text("ab :→", min_size=1, max_size=12), min_size=1, max_size=5)
    graph = draw_graph([f"q{i}" for i in range(n)], {pair: data.draw(words) for pair in pairs})
    drawing = graph.drawing
    assert overlaps(graph) == []
    for (a, b), route in zip(pairs, drawing.routes, strict=True):
        for q, (x, y) in ((a, route.points[0]), (b, route.points[-1])):
            (left, top), (w, h) = drawing.nodes[q], graph.sizes[q]
            assert abs(x - left) <= w / 2 + 1e-9
            assert abs(y - top) <= h / 2 + 1e-9
    for x, y in drawing.nodes:
        assert 0 <= x <= drawing.width
        assert 0 <= y <= drawing.height


def test_a_chain_runs_in_one_line() -> None:
    graph = draw_graph("abcd", {(0, 1): ["x"], (1, 2): ["x"], (2, 3): ["x"]})
    assert len({y for _, y in graph.drawing.nodes}) == 1
    across = [x for x, _ in graph.drawing.nodes]
    assert across == sorted(across)


def test_rules_between_two_states_share_an_arrow() -> None:
    edges = rules_by_arrow(expert("add10"))
    states = expert("add10").states
    assert edges[states.index("left"), states.index("left")] == ["0…9 : · ←"]
    assert edges[states.index("left"), states.index("mark")] == ["+ : · ←"]
    assert edges[states.index("trim"), HALT] == ["1…9 : · •", "λ : 0 •"]
