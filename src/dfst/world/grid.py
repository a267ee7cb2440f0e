"""The world: the plane Z², unbounded in all four directions, each cell holding one symbol.

This is the readable version, a dictionary of the cells that were ever written; `tiles.py` is its
compiled twin. Cells are (x, y); y grows upwards, so U is one row up. Symbols are indices into an
alphabet; `blank` is the index of the empty symbol λ, which every cell holds at first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dfst.errors import InputError, OutOfCells

BLANK = "λ"
"""How the empty symbol is written, in alphabets and in files."""

SPACE = "␣"
"""The name of the symbol that is a space, in machines that have one besides the blank."""

U, D, L, R, S, N = range(6)
"""Motions. S is the signal to halt. N stays without halting; only machines from elsewhere use it."""

MOTIONS = ("U", "D", "L", "R", "S")
"""The motion alphabet of the paper, in tensor order."""

MOTION_NAMES = (*MOTIONS, "N")

OFFSETS = ((0, 1), (0, -1), (-1, 0), (1, 0), (0, 0), (0, 0))
"""(dx, dy) of each motion."""

Cell = tuple[int, int]


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

    def lay(self, symbols: Sequence[int], origin: Cell = (0, 0)) -> None:
        """Write a row of symbols rightwards from `origin`."""
        x, y = origin
        for i, symbol in enumerate(symbols):
            self.write((x + i, y), int(symbol))

    def nonblank(self) -> Iterator[tuple[Cell, int]]:
        """The cells that are not empty, top row first, left to right."""
        for cell in sorted(self._cells, key=lambda c: (-c[1], c[0])):
            if self._cells[cell] != self.blank:
                yield cell, self._cells[cell]

    def count_nonblank(self) -> int:
        return sum(symbol != self.blank for symbol in self._cells.values())


def moved(cell: Cell, motion: int) -> Cell:
    """The cell that `motion` leads to."""
    dx, dy = OFFSETS[motion]
    return cell[0] + dx, cell[1] + dy


def read_answer(nonblank: Sequence[tuple[Cell, int]], alphabet: Sequence[str]) -> str | None:
    """What stands on the grid when it is one row: its symbols left to right, gaps as `_`.

    None if the grid is empty or holds more than one row: then there is no single answer.
    """
    if not nonblank:
        return None
    rows = {y for (_, y), _ in nonblank}
    if len(rows) > 1:
        return None
    symbols = {x: alphabet[s] for (x, _), s in nonblank}
    left, right = min(symbols), max(symbols)
    return "".join(symbols.get(x, "_") for x in range(left, right + 1))
