"""Polish: a model that is nearly right becomes right, and one that is not is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.bench.rollouts import turned
from dfst.experts import expert
from dfst.model.compile import compile_agent
from dfst.model.initial import initial_parameters
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import weights_from_flat
from dfst.states.follow import follow
from dfst.states.polish import polish, solve_independent
from dfst.states.superposed import GOOD, solve_superposed
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
    assert polished.residual <= GOOD
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
    found = solve_independent(graph)
    assert found.residual < 1e-13
    product = np.eye(24)
    for x in rng.integers(exact.shape.symbols, size=500):
        product = found.A[x] @ product
        columns = np.abs(found.H @ product @ found.H.T).sum(0)
        assert columns.max() < 1 + 1e-10


@pytest.mark.parametrize("d", [12, 16])
def test_both_solutions_satisfy_the_same_equations(d):
    agent = expert("add2")
    rng = np.random.default_rng(2)
    exact = turned(compile_agent(agent, d=d, dtype=np.float64), rng)
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    theta = exact.flat() + 1e-3 * rng.normal(size=exact.shape.size)
    graph = follow(weights_from_flat(theta, exact), traces, 0.1)
    for found in (solve_independent(graph), solve_superposed(graph)):
        assert found.residual <= GOOD
        for c, x in graph.known:
            assert int((found.B[x] @ found.H[c]).argmax()) == graph.write[c, x]
            assert int((found.C[x] @ found.H[c]).argmax()) == graph.motion[c, x]
            if graph.next[c, x] >= 0:
                np.testing.assert_allclose(found.A[x] @ found.H[c], found.H[graph.next[c, x]], atol=10 * GOOD)
