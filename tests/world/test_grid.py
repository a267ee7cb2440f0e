"""The readable world: an unbounded plane, its limits, and the answer that stands on it."""

import pytest

from dfst.errors import InputError, OutOfCells
from dfst.world.grid import MOTION_NAMES, OFFSETS, Grid, Limits, moved, read_answer


def test_every_cell_is_blank_until_written():
    grid = Grid(blank=2)
    assert grid.read((10**12, -(10**12))) == 2
    grid.write((10**12, -(10**12)), 1)
    assert grid.read((10**12, -(10**12))) == 1
    assert list(grid.nonblank()) == [((10**12, -(10**12)), 1)]


def test_nonblank_lists_the_top_row_first():
    grid = Grid(blank=0)
    for cell in [(1, 0), (0, 0), (5, -1), (-3, 2)]:
        grid.write(cell, 1)
    grid.write((7, 7), 0)
    assert [cell for cell, _ in grid.nonblank()] == [(-3, 2), (0, 0), (1, 0), (5, -1)]


def test_up_is_one_row_up_and_motions_undo_each_other():
    assert moved((0, 0), MOTION_NAMES.index("U")) == (0, 1)
    assert moved((0, 0), MOTION_NAMES.index("L")) == (-1, 0)
    assert [sum(axis) for axis in zip(*OFFSETS, strict=True)] == [0, 0]


def test_a_grid_refuses_more_cells_than_its_limit():
    grid = Grid(blank=0, max_cells=2)
    grid.lay([1, 1])
    with pytest.raises(OutOfCells, match=r"more than 2 cells by step 9"):
        grid.write((2, 0), 1, step=9)


@pytest.mark.parametrize(("field", "limits"), [("max-steps", {"steps": 0}), ("max-cells", {"cells": -1})])
def test_limits_must_be_positive(field, limits):
    with pytest.raises(InputError, match=field):
        Limits(**limits)


@pytest.mark.parametrize(
    ("cells", "answer"),
    [
        ([], None),
        ([((0, 0), 1)], "1"),
        ([((-1, 3), 0), ((1, 3), 1)], "0_1"),
        ([((0, 1), 1), ((0, 0), 1)], None),
    ],
)
def test_an_answer_is_one_row(cells, answer):
    assert read_answer(cells, ("0", "1", "λ")) == answer
