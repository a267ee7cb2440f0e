"""Polish: a model that is nearly right becomes right, and one that is not is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.bench.rollouts import turned
from dfst.experts import expert
from dfst.model.compile import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import initial_parameters, weights_from_flat
from dfst.states.follow import follow
from dfst.states.polish import polish, solved
from dfst.traces.sample import PAPER_SAMPLING, sample_traces


@pytest.mark.parametrize("noise", [1e-6, 1e-4])
def test_a_blurred_adder_becomes_exact(noise):
    agent = expert("add2")
    rng = np.random.default_rng(1)
    exact = turned(compile_agent(agent, dtype=np.float64), rng)
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    theta = exact.flat() + noise * rng.normal(size=exact.shape.size)
    text = agent.task.write(agent.task.random_operands(rng, (300, 300)))
    before = Rollout(weights_from_flat(theta, exact)).run(text, against=agent)
    polished = polish(weights_from_flat(theta, exact), traces)
    assert set(np.unique(polished.theta)) == {0, 1}
    after = Rollout(weights_from_flat(polished.theta, exact)).run(text, against=agent)
    assert after.difference is None
    assert after.halted
    assert after.margin == pytest.approx(1.0, abs=1e-6)
    assert before.difference is not None or before.margin < after.margin


def test_a_model_that_has_learnt_nothing_is_left_alone():
    agent = expert("add2")
    model = compile_agent(agent)
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    untrained = weights_from_flat(initial_parameters(model.shape, 0, np.float64), model)
    assert polish(untrained, traces) is None


def test_no_product_of_the_stable_solution_grows():
    """In their own basis each matrix moves learnt states to learnt states: a column keeps at most one 1."""
    agent = expert("add10")
    rng = np.random.default_rng(3)
    exact = turned(compile_agent(agent, d=24, dtype=np.float64), rng)
    traces = sample_traces(agent, PAPER_SAMPLING["add10"])
    graph = follow(exact, traces, 0.1)
    A = exact.shape.split(solved(graph))[0]
    product = np.eye(24)
    for x in rng.integers(exact.shape.symbols, size=500):
        product = A[x] @ product
        assert product.sum(0).max() <= 1


@pytest.mark.parametrize("d", [12, 16])
def test_the_solution_satisfies_the_equations(d):
    agent = expert("add2")
    rng = np.random.default_rng(2)
    exact = turned(compile_agent(agent, d=d, dtype=np.float64), rng)
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    theta = exact.flat() + 1e-3 * rng.normal(size=exact.shape.size)
    graph = follow(weights_from_flat(theta, exact), traces, 0.1)
    (A, B, C, _), H = exact.shape.split(solved(graph)), np.eye(len(graph), d)
    for c, x in graph.known:
        assert int((B[x] @ H[c]).argmax()) == graph.write[c, x]
        assert int((C[x] @ H[c]).argmax()) == graph.motion[c, x]
        if graph.next[c, x] >= 0:
            np.testing.assert_array_equal(A[x] @ H[c], H[graph.next[c, x]])
