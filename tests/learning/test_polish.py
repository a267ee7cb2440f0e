"""Polish: a model that is nearly right becomes right, and one that is not is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.agents import expert
from dfst.bench.rollouts import turned
from dfst.learning.polish import GOOD, polish
from dfst.model.compile import compile_agent
from dfst.model.initial import initial_parameters
from dfst.model.weights import weights_from_flat
from dfst.rollout.compiled import Rollout
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
    polished = next(iter(polish(theta, exact.shape, traces)))
    assert polished.residual <= GOOD
    after = Rollout(weights_from_flat(polished.theta, exact)).run(text, against=agent)
    assert after.difference is None
    assert after.halted
    assert after.margin == pytest.approx(1.0, abs=1e-6)
    assert before.difference is not None or before.margin < after.margin


def test_a_model_that_has_learnt_nothing_is_left_alone():
    agent = expert("add2")
    shape = compile_agent(agent).shape
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    assert list(polish(initial_parameters(shape, 0, np.float64), shape, traces)) == []
