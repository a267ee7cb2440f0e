"""A model in the basis of its own learnt states: the same acts, zeros and ones, repeating to the bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machine_zoo import rebased

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.states import Refused, extract
from dfst.states.inputs import random_inputs
from dfst.states.written import write_back


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["add2", "add10", "mult2", "sort3"])
def test_it_acts_as_before_and_is_all_zeros_and_ones(name, dtype):
    agent = expert(name)
    weights = rebased(compile_agent(agent, d=len(agent.states) + 2), np.random.default_rng(0)).astype(dtype)
    written = write_back(extract(weights).graph)
    assert written.moved < (1e-12 if dtype == np.float64 else 1e-3)
    assert written.weights.dtype == dtype
    for tensor in (written.weights.A, written.weights.B, written.weights.C, written.weights.h0):
        assert set(np.unique(tensor)) <= {0.0, 1.0}
        assert not np.signbit(tensor).any()
    rollout = Rollout(written.weights)
    for text in random_inputs(agent.task, np.random.default_rng(1), 50, 12):
        run = rollout.run(text, against=agent)
        assert run.difference is None
        assert run.halted
        assert run.margin == 1


def test_a_model_that_is_not_exact_is_refused():
    agent = expert("add2")
    rng = np.random.default_rng(0)
    weights = compile_agent(agent, dtype=np.float64)
    graph = extract(weights).graph
    shaken = replace(weights, A=weights.A + 0.01 * rng.normal(size=weights.A.shape))
    with pytest.raises(Refused, match="from 0 and 1"):
        write_back(replace(graph, weights=shaken))


def test_learnt_states_in_superposition_are_refused():
    agent = expert("add2")
    graph = extract(compile_agent(agent, dtype=np.float64)).graph
    flat = replace(graph, hidden=graph.hidden[:, :5])
    with pytest.raises(Refused, match="no basis of 5 dimensions"):
        write_back(flat)
