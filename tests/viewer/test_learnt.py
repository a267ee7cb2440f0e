"""The grid of the learning report: which lengths of operands are exact."""

from __future__ import annotations

import numpy as np

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.weights import weights_from_flat
from dfst.problems import as_problem
from dfst.viewer.learnt import LENGTHS, measure_exactness


def test_an_exact_model_is_exact_everywhere():
    agent = expert("add3")
    grid = measure_exactness(compile_agent(agent), as_problem(agent))
    assert tuple(grid.lengths) == LENGTHS
    assert (grid.share == 1).all()


def test_a_drifting_model_fails_where_operands_are_long():
    agent = expert("add2")
    exact = compile_agent(agent, dtype=np.float64)
    noise = np.random.default_rng(0).normal(scale=3e-3, size=exact.shape.size)
    grid = measure_exactness(weights_from_flat(exact.flat() + noise, exact), as_problem(agent))
    assert grid.share[0, 0] == 1
    assert grid.share[-1, -1] < 1


def test_the_grid_stops_growing_when_its_steps_are_spent():
    agent = expert("mult2")
    grid = measure_exactness(compile_agent(agent), as_problem(agent), most_steps=1000)
    assert 1 < len(grid.lengths) < len(LENGTHS)
    assert grid.share.shape == (len(grid.lengths),) * 2
