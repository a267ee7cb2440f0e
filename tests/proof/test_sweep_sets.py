"""The sets of errors of add2.descent come from a tool of the repository: tools/sweep_sets.py."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from dfst.cli import execute

TOOL = Path(__file__).parents[2] / "tools" / "sweep_sets.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("hulls", TOOL.with_name("hulls.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("d", [2, 3])
def test_the_linear_programs_find_what_trying_every_basis_finds(tool, d):
    rng = np.random.default_rng(100)
    rows, bounds, wanted = rng.normal(size=(9, d)), rng.uniform(0.5, 2, 9), rng.normal(size=(20, d))
    cost, basis, c = tool.cheapest(wanted, rows, bounds)
    np.testing.assert_allclose(np.einsum("ni,nij->nj", c, rows[basis]), wanted, atol=1e-9)
    every = [
        np.abs(np.linalg.solve(rows[list(chosen)].T, wanted.T)).T @ bounds[list(chosen)]
        for chosen in combinations(range(9), d)
    ]
    np.testing.assert_allclose(cost, np.min(every, axis=0), rtol=1e-6)
    again = tool.cheapest(wanted, rows, bounds, basis)
    np.testing.assert_allclose(again[0], cost, rtol=1e-6)


def test_a_hull_holds_its_images(tool):
    turn, fade = np.array([[0.6, 0.7], [-0.7, 0.6]]), np.diag([1.0, 0.3])
    rows = tool.hull(np.eye(2), [turn, fade], lambda row, _: 1.02 * row)
    for M in (turn, fade):
        assert (tool.cheapest(rows @ M, rows, np.ones(len(rows)))[0] <= 1 + 1e-6).all()


@pytest.mark.slow
def test_sets_are_found_from_the_weights_alone(tmp_path):
    """Some minutes of one core"""
    proof = tmp_path / "add2.proof.json"
    subprocess.run(
        [sys.executable, str(TOOL), "add2.descent", "--up-to", "99", "--out", str(proof)], check=True
    )
    assert execute(["prove", "add2.descent", "--check", str(proof), "--up-to", "99"]) == 0
