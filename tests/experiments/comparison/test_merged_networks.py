"""Merging takes any step function: what a nonlinear recurrence has learnt becomes a proved automaton."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from one_trial import one_result

from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.experiments.comparison.measure import merged_machine, merged_verdict
from dfst.experiments.comparison.results import read_result
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.states.follow import HiddenStates, hidden_states
from dfst.train.settings import configure

RECORDS = Path(__file__).parents[3] / "docs" / "research" / "records" / "gru-merged.jsonl"


def merged(hidden: HiddenStates, folder: Path, task: str = "add2") -> dict[str, object]:
    assignment = Assignment(configure(task, seeds=1), 0, folder, "cpu")
    trained = Trained(Rollout(compile_agent(assignment.agent)), 20, 0, 0, 0.0, None, hidden=hidden)
    return merged_verdict(merged_machine(trained, assignment), assignment.agent)


def nonlinear(blur: float, seed: int = 0) -> HiddenStates:
    """The expert of add2 inside a recurrence like a GRU's: tanh, a start at zero, places a little blurred."""
    model = compile_agent(configure("add2").problem.agent, dtype=np.float64)
    rng = np.random.default_rng(seed)
    places = np.tanh(rng.normal(size=(len(model.h0), 14)))
    places[0] = 0.0

    def step(h: NDArray[np.float64], x: int) -> NDArray[np.float64]:
        state = np.eye(len(places))[((places - h) ** 2).sum(1).argmin()]
        return np.asarray(np.tanh(np.arctanh(model.A[x] @ state @ places) + blur * rng.normal(size=14)))

    return HiddenStates(places[0], step)


@pytest.mark.parametrize("blur", [0.0, 0.003])
def test_a_nonlinear_recurrence_is_merged_and_proved(tmp_path: Path, blur: float) -> None:
    assert merged(nonlinear(blur), tmp_path) == {"states": 12, "verdict": "proved"}


def test_a_dfst_is_merged_by_the_same_code(tmp_path: Path) -> None:
    exact = compile_agent(configure("add2").problem.agent, d=16, dtype=np.float64)
    assert merged(hidden_states(exact), tmp_path) == {"states": 12, "verdict": "proved"}


@pytest.mark.slow
def test_what_has_learnt_nothing_is_not_proved(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    W, U = rng.normal(size=(4, 14)), rng.normal(size=(14, 14)) / 4
    untrained = HiddenStates(np.zeros(14), lambda h, x: np.asarray(np.tanh(W[x] + U @ h)))
    assert merged(untrained, tmp_path)["verdict"] != "proved"


def test_the_records_of_merged_grus() -> None:
    """Unmerged, a GRU of 975 parameters fails at 4 or 5 digits of add2; merged, every seed is proved."""
    results = [
        read_result(json.loads(line), RECORDS.name) for line in RECORDS.read_text("utf-8").splitlines()
    ]
    assert [result.seed for result in results] == [0, 1, 2]
    assert {result.parameters for result in results} == {975}
    assert [result.rlg for result in results] == [4, 4, 3]
    assert all(result.merged == {"states": 12, "verdict": "proved"} for result in results)


@pytest.mark.slow
def test_a_gru_is_proved_after_merging(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    result = one_result("gru", "add2", tmp_path, steps=3000)
    assert not result.exact
    assert result.merged["verdict"] == "proved"
