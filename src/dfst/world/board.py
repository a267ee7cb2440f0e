"""An input as text: one row of symbols, or a board of several, a line for each row of the plane."""

from collections.abc import Container, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.errors import InputError

MOST_CELLS = 1 << 24  # cells of a board


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
