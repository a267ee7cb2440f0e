"""Conway's life: one generation on a board, outside of which nothing lives."""

from collections.abc import Mapping

import numpy as np

from dfst.tasks.plane import Rows, plane_task

DEAD, ALIVE = ".abcdefghijk", "*ABCDEFGHIJK"
"""Of the agent: where of a cell and its two neighbours in the row h are alive, and k of the three below, it
is number 3 k + h if it is dead, and 3 k + h - 1 if it is alive; at first as if alone."""


def next_generation(rows: Rows) -> Rows:
    """A cell lives on with two or three live neighbours, and comes to life with three."""
    board = np.pad(np.array([[symbol == "*" for symbol in row] for row in rows], dtype=int), 1)
    height, width = len(rows), len(rows[0])
    around = sum(board[r : r + height, c : c + width] for r in range(3) for c in range(3))
    alive = (around == 3) | ((around == 4) & (board[1:-1, 1:-1] == 1))
    return ["".join(row) for row in np.where(alive, "*", ".")]


def random_cells(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    """Few of the cells alive, or most."""
    alive = rng.random((rows, columns)) < rng.uniform(0.1, 0.95)
    return ["".join(row) for row in np.where(alive, "*", ".")]


def _special(length: int) -> Mapping[str, Rows]:
    n = max(1, length)
    return {
        "all alive": ["*" * n] * n,
        "none alive": ["." * n] * n,
        "chessboard": [("*." * n)[r % 2 :][:n] for r in range(n)],
        "stripes": ["*" * n if r % 2 else "." * n for r in range(n)],
        "one row": ["*" * n],
        "one column": ["*"] * n,
    }


LIFE = plane_task(
    "life",
    "the next generation of Conway's life, nothing outside the board",
    ".*",
    next_generation,
    "...../.***./.....",
    random_cells,
    _special,
    others=DEAD[1:] + ALIVE[1:],
)
