"""The world: the plane Z², unbounded in all four directions, each cell holding one symbol.

This is the readable version, a dictionary of the cells that were ever written; `tiles.py` is its
compiled twin. Cells are (x, y); y grows upwards, so U is one row up. Symbols are indices into an
alphabet; `blank` is the index of the empty symbol λ, which every cell holds at first. An input is text: one
row of symbols, or a board of several, a line for each row of the plane.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.errors import InputError, OutOfCells

BLANK = "λ"  # how the empty symbol is written, in alphabets and in files

SPACE = "␣"  # the name of the symbol that is a space, in machines that have one besides the blank

U, D, L, R, S, N = range(6)
"""Motions. S is the signal to halt. N stays without halting; only machines from elsewhere use it."""

MOTIONS = ("U", "D", "L", "R", "S")  # the motion alphabet of the paper, in tensor order

MOTION_NAMES = (*MOTIONS, "N")

OFFSETS = ((0, 1), (0, -1), (-1, 0), (1, 0), (0, 0), (0, 0))  # (dx, dy) of each motion

Cell = tuple[int, int]

MOST_CELLS = 1 << 24  # cells of a board


@dataclass(frozen=True)
class Limits:
    """How far a run may go before it is stopped."""

    steps: int = 10_000_000_000
    """Actions before the run counts as out of steps."""
    cells: int = 1_000_000_000
    """Cells of memory (whole tiles) before the run is refused more; one byte each."""

    def __post_init__(self) -> None:
        for field, value in (("max-steps", self.steps), ("max-cells", self.cells)):
            if value < 1:
                raise InputError(f"{field} must be at least 1, found {value}; give a positive number")


class Grid:
    """A world-state: finitely many cells that hold something other than the blank."""

    def __init__(self, blank: int, max_cells: int = Limits.cells) -> None:
        self.blank = blank
        self.max_cells = max_cells
        self._cells: dict[Cell, int] = {}

    def read(self, cell: Cell) -> int:
        return self._cells.get(cell, self.blank)

    def write(self, cell: Cell, symbol: int, step: int = 0) -> None:
        self._cells[cell] = symbol
        if len(self._cells) > self.max_cells:
            raise OutOfCells(self.max_cells, step)

    def lay(self, symbols: Sequence[int] | NDArray[np.uint8], origin: Cell = (0, 0)) -> None:
        """Write symbols rightwards from `origin`; of an array of several rows, each below the other."""
        x, y = origin
        for below, row in enumerate(np.atleast_2d(np.asarray(symbols, dtype=np.uint8)).tolist()):
            for i, symbol in enumerate(row):
                self.write((x + i, y - below), symbol)

    def nonblank(self) -> Iterator[tuple[Cell, int]]:
        """The cells that are not empty, top row first, left to right."""
        for cell in sorted(self._cells, key=lambda c: (-c[1], c[0])):
            if self._cells[cell] != self.blank:
                yield cell, self._cells[cell]


def moved(cell: Cell, motion: int) -> Cell:
    """The cell that `motion` leads to."""
    dx, dy = OFFSETS[motion]
    return cell[0] + dx, cell[1] + dy


def first_cell(symbols: NDArray[np.uint8], start: int) -> Cell:
    """Where an input's first symbol stands when the head starts at the origin, on symbol number `start`."""
    row, column = divmod(start, symbols.shape[1]) if symbols.ndim == 2 else (0, start)
    return -column, row


def read_answer(
    nonblank: Sequence[tuple[Cell, int]], alphabet: Sequence[str], board: bool = False
) -> str | None:
    """What stands on the grid when it is one row: its symbols left to right, gaps as `_`.

    board: there may be several rows, which become lines.
    None if the grid is empty or holds more rows than that: then there is no single answer.
    """
    if not nonblank:
        return None
    columns, top, bottom = [x for (x, _), _ in nonblank], nonblank[0][0][1], nonblank[-1][0][1]
    left, width, height = min(columns), max(columns) - min(columns) + 1, top - bottom + 1
    if height > 1 and not board:
        return None
    lines = [["_"] * width for _ in range(height)]
    for (x, y), symbol in nonblank:
        lines[top - y][x - left] = alphabet[symbol]
    return "\n".join(map("".join, lines))


def lines_of(text: str, symbols: Container[str] = ()) -> list[str]:
    """The rows of a text; that a file ends in a newline does not make another row.

    Where it is no symbol, / stands for a newline, so that a board can be typed in one line.
    """
    text = text.replace("\r\n", "\n").removesuffix("\n")
    return (text if "/" in symbols else text.replace("/", "\n")).split("\n")


def encode_board(
    rows: Sequence[Sequence[str]], index: Mapping[str, int], name: str, known: str
) -> NDArray[np.uint8]:
    """(rows, columns) symbol indices, or (columns,) of a single row; refused with the place of the fault.

    known: what to say of the symbols there are.
    """
    width = len(rows[0])
    if len(rows) * width > MOST_CELLS and len(rows) > 1:
        raise InputError(
            f"{name}: a board has at most {MOST_CELLS:,} cells, found {len(rows):,} rows of {width:,}; "
            f"row {MOST_CELLS // width + 1:,} is too many"
        )
    for r, row in enumerate(rows, 1):
        unknown = next((c for c, symbol in enumerate(row) if symbol not in index), None)
        if unknown is not None:
            place = f" in row {r}, column {unknown + 1}" if len(rows) > 1 else ""
            raise InputError(f"{name} does not know the symbol {row[unknown]!r}{place}; {known}")
        if len(row) != width:
            raise InputError(
                f"{name}: every row must be as long as the first, {counted(width, 'symbol')}; "
                f"row {r} has {len(row):,}, so it {'ends' if len(row) < width else 'goes on'} "
                f"at column {min(len(row), width) + 1}"
            )
    symbols = np.array([[index[symbol] for symbol in row] for row in rows], dtype=np.uint8)
    return symbols if len(rows) > 1 else symbols[0]
