"""The teaching sets in examples/teaching-sets: what `dfst learn NAME --fewest` chooses, for every task."""

from __future__ import annotations

from pathlib import Path

import pytest

from dfst.experts import expert
from dfst.problems import find_problem
from dfst.subjects import shipped_models

FOLDER = Path(__file__).parents[2] / "examples" / "teaching-sets"


def lines(name: str) -> tuple[str, ...]:
    return tuple((FOLDER / f"{name}.txt").read_text("utf-8").splitlines())


@pytest.mark.parametrize("name", ["add2", "sum2"])
def test_a_file_is_what_the_command_chooses(name):
    chosen = (
        find_problem(name, data_seed=0, examples="fewest", told_apart=times).training_set().traces.inputs
        for times in (1, 2, 3, 5)
    )
    assert lines(name) in chosen


@pytest.mark.parametrize("name", ["parity", "divisible3"])
def test_or_what_leaves_no_other_machine(name):
    pytest.importorskip("pysat")
    chosen = find_problem(name, data_seed=0, examples="determined").training_set().traces.inputs
    assert lines(name) == chosen


def test_every_task_has_one_that_its_expert_can_work():
    for name in set(shipped_models()) - {"sudoku"}:  # its examples begin half worked, where nobody may begin
        for text in lines(name):
            expert(name).encode(text)


def test_six_multiplications_tell_everything_apart():
    assert len(lines("mult2")) == 6
