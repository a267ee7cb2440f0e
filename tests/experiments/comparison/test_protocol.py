"""One training in a folder: measured, kept, returned at once the next time, never mixed with another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from one_trial import one_result

from dfst.errors import InputError
from dfst.experiments.baselines.assignment import Trained
from dfst.experiments.baselines.registry import LEARNERS, Learner
from dfst.experiments.comparison import measure as measuring
from dfst.experiments.comparison.measure import climb, measure
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.problems import as_problem


def test_a_finished_folder_answers_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measuring.LONGEST, "add2", 8)
    first = one_result("edsm", "add2", tmp_path)
    assert (first.learner, first.task, first.samples, first.rlg) == ("edsm", "add2", 20, 1)
    assert first.stopped_by == "failure"
    assert first.ladder[-1].first_failing_step is not None
    assert first.hard_failures[0].startswith("carry chain, 2 digits, step ")

    monkeypatch.setattr(Learner, "load", lambda self: None)
    assert one_result("edsm", "add2", tmp_path) == first
    monkeypatch.undo()
    (tmp_path / "add2-edsm-seed-0" / "trial.json").unlink()
    with pytest.raises(InputError, match=r"holds a training with set {}, asked for {'samples': 9}; give"):
        one_result("edsm", "add2", tmp_path, samples=9)


def test_an_exact_subject_reaches_the_end_of_ladder_and_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measuring.LONGEST, "add2", 20)
    agent = expert("add2")
    trained = Trained(Rollout(compile_agent(agent)), 20, 1020, 0, 0.0, float("nan"))
    result = measure("dfst", as_problem(agent), 3, "cpu", trained)
    assert (result.rlg, result.plg, result.stopped_by, result.hard_failures) == (20, 20, "limit", ())
    assert [rung.digits for rung in result.ladder] == [1, 2, 3, 4, 5, 6, 8, 10, 15, 20]
    assert all(rung.right == rung.asked == 25 and rung.first_failing_step is None for rung in result.ladder)
    assert (result.loss, result.exact, result.longest) == (None, True, 20)


def test_the_lengths_asked_for_are_the_lengths_measured() -> None:
    agent = expert("add2")
    trained = Trained(Rollout(compile_agent(agent)), 20, 1020, 0, 0.0, None)
    result = measure("dfst", as_problem(agent), 0, "cpu", trained, digits=(7, 3))
    assert ([rung.digits for rung in result.ladder], result.rlg, result.longest) == ([3, 7], 7, 7)


def test_the_ladder_is_left_when_nothing_is_right() -> None:
    agent = expert("add2")
    exact = compile_agent(agent)
    blind = Rollout(exact.astype(np.float64))
    blind.weights.C[...] = 0
    reports = climb(blind, as_problem(agent), measuring.LADDER)
    assert [len(report.failures) == report.inputs for report in reports] == [True] * 3


BAD: list[tuple[dict[str, Any], str]] = [
    ({"learner": "grru"}, "unknown learner 'grru': did you mean gru?"),
    ({"task": "ad2"}, "unknown task 'ad2': did you mean add2?"),
    ({"seed": -1}, "seeds must not be negative, found -1"),
    ({"learner": "gru", "steps": -1}, "steps must be from 0 to 1,000,000,000, found -1"),
    ({"steps": 9}, "steps=9 means nothing to edsm; leave it out"),
    ({"learner": "neural-gpu"}, "neural-gpu can no longer be run; its records are kept: dfst compare"),
    ({"learner": "no.py:Mine"}, "cannot read no.py: no such file; give FILE.py:NAME"),
]


@pytest.mark.parametrize(("changes", "line"), BAD)
def test_bad_assignments_are_refused_before_any_work(
    tmp_path: Path, changes: dict[str, Any], line: str
) -> None:
    asked = {"learner": "edsm", "task": "add2", **changes}
    with pytest.raises(InputError) as told:
        one_result(folder=tmp_path / "new", **asked)
    assert str(told.value) == line
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_there(name: str) -> None:
    assert callable(LEARNERS[name].load())
