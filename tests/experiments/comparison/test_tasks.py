"""What is compared on, and how long the tasks of records are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dfst.errors import InputError
from dfst.experiments.baselines.assignment import FEWEST, Assignment
from dfst.experiments.comparison.tasks import plan_of, trained_length, unit_of
from dfst.experts import expert
from dfst.train.settings import configure


def test_the_plan_is_that_of_learn() -> None:
    assert plan_of("add2", 3).recipe == configure(expert("add2"), seeds=1, first_seed=3).recipe
    changed = plan_of("add2", 3, steps=70, samples=9, data_seed=4)
    assert (changed.recipe.steps, changed.recipe.seeds, changed.recipe.first_seed) == (70, 1, 3)
    assert len(changed.problem.training_set().traces) == 9
    with pytest.raises(InputError, match="unknown task 'ad2'"):
        plan_of("ad2", 0)


def test_a_network_has_about_as_many_parameters_as_the_dfst(tmp_path: Path) -> None:
    for task, parameters in (("parity", FEWEST), ("add2", 1020), ("add10", 8900)):
        assert Assignment(plan_of(task, 0), 0, tmp_path, "cpu").parameters == parameters


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
