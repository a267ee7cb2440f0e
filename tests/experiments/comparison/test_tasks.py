"""What is compared on, and how long the tasks of records are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dfst.experiments.baselines.assignment import FEWEST, Assignment
from dfst.experiments.comparison.results import trained_length, unit_of
from dfst.train.settings import configure


def test_a_network_has_about_as_many_parameters_as_the_dfst(tmp_path: Path) -> None:
    for task, parameters in (("parity", FEWEST), ("add2", 1020), ("add10", 8900)):
        assert Assignment(configure(task, seeds=1), 0, tmp_path, "cpu").parameters == parameters


@pytest.mark.parametrize(
    ("task", "length", "unit"),
    [
        ("add2", 3, "digits"),
        ("mult10", 5, "digits"),
        ("a5", 30, "letters"),
        ("a5-states", 30, "letters"),
        ("a problem of one's own", 1, "symbols"),
    ],
)
def test_lengths_and_units(task: str, length: int, unit: str) -> None:
    assert (trained_length(task), unit_of(task)) == (length, unit)
