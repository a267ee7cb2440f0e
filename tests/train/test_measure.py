"""The final figures of every seed: how many are exact, and how far the others go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.experts import expert
from dfst.learning import learn
from dfst.model import compile_agent
from dfst.model.weights import Weights
from dfst.problems import as_problem
from dfst.train.learnt import Outcome
from dfst.train.measure import exact_counts, measure_seeds
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure
from dfst.world.grid import L

ADD2 = expert("add2")
PROBLEM = as_problem(ADD2)
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def tiring(each_step: float) -> Weights:
    """The expert with a fear of the left that grows with each step, until it fails."""
    exact = compile_agent(ADD2)
    k, d = len(exact.alphabet), len(exact.h0)
    A, C = (np.zeros((k, n, d + 2), np.float32) for n in (d + 2, len(exact.motions)))
    B = np.zeros((k, k, d + 2), np.float32)
    A[:, :d, :d], B[:, :, :d], C[:, :, :d] = exact.A, exact.B, exact.C
    A[:, d:, d:] = [[1, each_step], [0, 1]]
    C[:, L, d] = -1
    return replace(exact, A=A, B=B, C=C, h0=np.append(exact.h0, [0, 1]).astype(np.float32))


@pytest.mark.parametrize("device", DEVICES)
def test_each_seed_is_right_or_has_a_reach(device) -> None:
    models = [tiring(0.0), tiring(0.002), tiring(0.1)]
    outcomes = [Outcome(seed, w, w, 1e-9) for seed, w in enumerate(models)]
    told: list[str] = []
    found = measure_seeds(PROBLEM, outcomes, (40,), device, told.append)
    assert [outcome.exact for outcome in found] == [True, False, False]
    assert [outcome.strength for outcome in found] == ["tested", "refuted", "refuted"]
    right, later, soon = found
    assert right.report.reach is None
    assert 40 > later.report.reach > soon.report.reach >= 0
    assert right.report.sentence() == "right at 40 digits (25 inputs, margin 1 (0.71 |h|))"
    assert told[-1].startswith("seed 2: loss 1.0e-09, wrong at 40 digits on 25 of 25 inputs, first exactly m")
    assert exact_counts(found) == [
        "1 of 3 seeds are exact at 40 digits; the others meet no failure up to "
        f"{soon.report.reach}, {later.report.reach}"
    ]
    assert found[1].as_json()["measured"][0]["first_failure"]["kind"] == "exactly m digits"


def test_the_reach_is_the_largest_length_without_a_failure() -> None:
    unit = tiring(0.002)
    [found] = measure_seeds(PROBLEM, [Outcome(0, unit, unit, 1e-9)], (40,), "cpu", lambda text: None)
    at = [
        measure_seeds(PROBLEM, [Outcome(0, unit, unit, 1e-9)], (n,), "cpu", lambda text: None)[0].exact
        for n in (found.report.reach, found.report.reach + 1)
    ]
    assert at == [True, False]


def test_learning_measures_every_seed_where_it_is_asked_to(tmp_path) -> None:
    exact = compile_agent(ADD2).flat()
    plan = configure(ADD2, "paper", seeds=2, steps=1, learning_rate=1e-9)
    start = [exact, np.zeros_like(exact)]
    learnt = learn(replace(plan, device="cpu", sizes=(5,), every_seed=True), tmp_path / "run", start=start)
    assert [outcome.exact for outcome in learnt.outcomes] == [True, False]
    assert (learnt.chosen.seed, learnt.exact) == (0, True)
    assert learnt.device == "cpu"
    run = RunFolder(tmp_path / "run")
    lines = run.read_metrics()
    run.metrics_file.unlink()
    for line in lines:
        run.append_metrics(line | {"seconds": 1000.0})
    state = run.read_checkpoint()
    assert state is not None
    state.device = "cuda"
    run.write_checkpoint(state)
    again = learn(replace(plan, device="cpu", sizes=(5, 9)), tmp_path / "run", resume=True)
    assert again.seconds > 1000  # the training that it went on with counts
    assert again.device == "cuda", "that is where it was trained"
    assert [outcome.report and len(outcome.report.measurements) for outcome in again.outcomes] == [2, None]
