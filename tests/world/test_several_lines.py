"""An input of several lines: each line is a row of the plane, for every kind of control unit and loop."""

from __future__ import annotations

import numpy as np
import pytest

from dfst.errors import InputError
from dfst.machines.agent import encode_plain
from dfst.machines.compiled import record, run
from dfst.machines.rulebook import RuleBook
from dfst.model.compile import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.world import grid as plane
from dfst.world.grid import BLANK, D, Grid, L, R, S, first_cell, read_answer
from dfst.world.tiles import TiledGrid
from dfst.world.unit import ClosedLoop


def snake():
    """Swaps a and b, along the first row, back along the next, and so on; halts below the last."""
    rules = RuleBook(("a", "b", BLANK))
    for way, side in ((R, "right"), (L, "left")):
        other = "left" if side == "right" else "right"
        rules.on(side, "a", way, write="b")
        rules.on(side, "b", way, write="a")
        rules.on(side, BLANK, D, to=f"down {side}")
        rules.on(f"down {side}", BLANK, L if way == R else R, to=f"enter {other}")
        for symbol, swapped in ("ab", "ba"):
            rules.on(f"enter {other}", symbol, L if way == R else R, write=swapped, to=other)
        rules.on(f"enter {other}", BLANK, S, to=None)
    return rules.agent("snake")


BOARD = "aab\nbba\nbab"
SWAPPED = "bba\naab\naba"


def test_every_loop_lays_and_reads_a_board_alike():
    agent = snake()
    weights = compile_agent(agent)
    for found in (
        ClosedLoop(agent, BOARD).finish(),
        run(agent, BOARD),
        ClosedLoop(weights, BOARD).finish(),
        Rollout(weights).run(BOARD),
    ):
        assert found.answer == SWAPPED
    assert record(agent, BOARD).same_as(weights.trace(BOARD))


def test_one_row_is_the_input_that_it_was():
    symbols, start = encode_plain("ab", ("a", "b", BLANK), 2, "last", "m")
    assert (symbols.tolist(), start) == ([0, 1], 1)
    assert snake().run("ab").answer == "ba"


def test_a_newline_at_the_end_makes_no_row():
    given = ("a", "b", BLANK), 2, "first", "m"
    for text in ("ab\nba\n", "ab\r\nba\r\n"):
        assert encode_plain(text, *given)[0].tolist() == [[0, 1], [1, 0]]


def test_the_head_starts_on_the_last_symbol_of_the_last_row():
    symbols, start = encode_plain("ab\nba", ("a", "b", BLANK), 2, "last", "m")
    assert first_cell(symbols, start) == (-1, 1)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 70), (40, 3), (33, 33)])
def test_both_grids_lay_a_board_alike(shape):
    symbols = np.random.default_rng(0).integers(0, 3, shape).astype(np.uint8)
    for start in (0, symbols.size // 2, symbols.size - 1):
        plain, tiled = Grid(blank=2), TiledGrid(blank=2)
        for grid in (plain, tiled):
            grid.lay(symbols, first_cell(symbols, start))
        assert list(plain.nonblank()) == tiled.nonblank()
        assert plain.read((0, 0)) == symbols.ravel()[start]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ab\nb", "row 2 has 1, so it ends at column 2"),
        ("ab\nba\nabb", "row 3 has 3, so it goes on at column 3"),
        ("ab\nbc", "'c' in row 2, column 2"),
        ("ab\n\nba", "row 2 has 0, so it ends at column 1"),
    ],
)
def test_a_faulty_board_is_refused_with_the_place(text, said):
    with pytest.raises(InputError, match=said) as error:
        snake().run(text)
    assert "\n" not in str(error.value)


def test_too_large_a_board_is_refused(monkeypatch):
    monkeypatch.setattr(plane, "MOST_CELLS", 5)
    with pytest.raises(InputError, match="at most 5 cells, found 3 rows of 2; row 3 is too many"):
        snake().run("ab\nab\nab")


def test_several_rows_are_an_answer_only_to_a_board():
    cells = [((0, 1), 0), ((2, 0), 1)]
    assert read_answer(cells, "ab", board=True) == "a__\n__b"
    assert read_answer(cells, "ab") is None
