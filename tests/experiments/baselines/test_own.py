"""A learner of a user's own, by name: from a file, or from an installed package."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from one_trial import one_result

from dfst.errors import InputError, UnknownName
from dfst.experiments.baselines import registry
from dfst.experiments.baselines.registry import find_learner
from dfst.experiments.comparison import measure as measuring

EXAMPLE = Path(__file__).parents[3] / "examples" / "own_baseline.py"
OWN = """
from dfst.experiments.baselines.assignment import Assignment, Trained

def copycat(assignment: Assignment) -> Trained:
    "The expert itself: exact, and it learnt nothing."
    return Trained(assignment.agent, 0, 0, 0, 0.0, None, machine=assignment.agent)
"""


def test_the_example_is_trained_measured_and_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measuring.LONGEST, "parity", 8)
    result = one_result(f"{EXAMPLE}:MinimalGRU", "parity", tmp_path, steps=40)
    assert (result.learner, result.samples, result.iterations) == ("MinimalGRU", 60, 40)
    assert result.parameters == pytest.approx(1000, rel=0.1)
    assert set(result.merged) == {"states", "verdict"}


def test_a_training_function_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measuring.LONGEST, "add2", 8)
    (tmp_path / "own.py").write_text(OWN)
    result = one_result(f"{tmp_path}/own.py:copycat", "add2", tmp_path / "run")
    assert (result.exact, result.merged) == (True, {"states": 12, "verdict": "proved"})


def test_an_installed_package_may_bring_learners(monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(load=lambda: len)
    monkeypatch.setattr(registry, "installed", lambda group: {"mine": point})
    assert find_learner("mine").load() is len
    with pytest.raises(UnknownName, match="unknown learner 'mien': did you mean mine"):
        find_learner("mien")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{}:MinimalGUR", "unknown learner 'MinimalGUR': did you mean MinimalGRU?"),
        ("{}", "has several; name one of Actions, MinimalGRU"),
        ("no.py:Mine", "cannot read no.py: no such file; give FILE.py:NAME"),
    ],
)
def test_what_is_no_learner(text: str, line: str) -> None:
    with pytest.raises(InputError, match=line):
        find_learner(text.format(EXAMPLE)).load()
