"""The bound on errors: never below what products do, and lasting where the contexts are a basis."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.agents import expert
from dfst.bench.rollouts import turned
from dfst.model.compile import compile_agent
from dfst.proof import prove
from dfst.proof.rounding import lasting_growth
from dfst.states.follow import follow
from dfst.traces.sample import PAPER_SAMPLING, sample_traces


@pytest.mark.parametrize(("contexts", "d"), [(1, 1), (3, 3), (3, 5), (7, 4), (12, 12)])
@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_no_product_is_larger_than_the_bound(contexts, d, scale):
    rng = np.random.default_rng(contexts * 100 + d)
    A = rng.normal(size=(3, d, d)) / np.sqrt(d)
    hidden = scale * rng.normal(size=(contexts, d))
    constant, rate = lasting_growth(A, hidden)
    product = np.eye(d)
    for k in range(1, 60):
        product = A[rng.integers(3)] @ product
        assert np.linalg.norm(product, 2) <= constant * rate**k


@pytest.mark.parametrize("name", ["add2", "add10", "mult2"])
def test_matrices_that_move_contexts_to_contexts_never_add_to_an_error(name):
    agent = expert(name)
    weights = turned(compile_agent(agent, dtype=np.float64), np.random.default_rng(5))
    traces = sample_traces(agent, PAPER_SAMPLING[name])
    graph = follow(weights, traces, radius=0.1)
    assert len(graph) == len(agent.states)
    _, rate = lasting_growth(weights.A, graph.hidden)
    assert 1 <= rate < 1 + 1e-9


def test_a_model_in_the_basis_of_its_contexts_is_covered_for_a_billion_steps():
    agent = expert("add2")
    weights = turned(compile_agent(agent, dtype=np.float64), np.random.default_rng(7))
    verdict = prove(weights, agent)
    assert verdict.strength == "proved"
    assert verdict.steps["float64"] > 1e9
    assert verdict.steps["float32"] > 500
