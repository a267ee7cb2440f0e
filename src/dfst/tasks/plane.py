"""A task on the plane: a board of several rows in, a board out, judged by plain Python.

A newline, or /, starts the next row. The head starts on the first cell of the first row. The *length* of an
input is the longer side of its board. `plane_tasks.py` lists them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.errors import InputError
from dfst.tasks.task import Operands, Task, short
from dfst.world.grid import BLANK, encode_board, lines_of

Rows = list[str]


@dataclass(frozen=True, kw_only=True)
class PlaneTask(Task):
    """One board in, one board out: the input is one operand, its rows parted by newlines."""

    plane: ClassVar[bool] = True

    letters: str  # the symbols of inputs
    answer: Callable[[Rows], Rows]
    drawn: Callable[[np.random.Generator, int, int], Rows]
    """Draws an input of so many rows and columns, or of the nearest shape that there is."""
    special: Callable[[int], Mapping[str, Rows]]  # hard inputs of about a length
    unit: str = "rows"
    once: str = ""  # letters of which an input has one each
    row: str = ""  # what every row is, where all are alike: then a number alone stands for so many of them
    most_rows: int = 0  # of the largest board there is, where all rows are alike
    pattern: str = ""  # what an input matches, its rows parted by newlines; nothing where it may be any board
    form: str = ""  # that in words
    ruled: str = ""  # the pattern has boards be parted by lines down, lines across, and where these cross
    seldom: tuple[str, ...] = ()
    """Small boards that show what random ones seldom do, rows parted by newlines: inputs, or examples that
    begin half worked, with marks of the agent on them."""
    shaped: Callable[[int, int], Iterable[Rows]] | None = None
    """Every input of so many rows and columns; None: every board of that shape that is not refused."""

    def parse(self, text: str) -> Operands:
        rows = lines_of(self._spelled(text.strip()))
        known = f"its symbols are {' '.join(self.letters)}; try {self.example}"
        encode_board(rows, self._index, self.name, known)
        if not rows[0]:
            raise InputError(f"{self.name} takes a board, found nothing; {known}")
        fault = self.refusal(rows)
        if fault:
            raise InputError(f"{self.name}: {fault}; try {self.example}")
        return ("\n".join(rows),)

    def _spelled(self, text: str) -> str:
        """The board that a shorter way to type it stands for; one row too many is enough to be refused."""
        if self.row and re.fullmatch("[0-9]{1,9}", text):
            return "\n".join([self.row] * min(int(text), self.most_rows + 1))
        return re.sub("[*x]", "×", text) if "×" in self.letters else text

    def refusal(self, rows: Rows) -> str | None:
        """What is wrong with a board of its letters, and where; None for an input."""
        for letter in self.once:
            found = [(r, c) for r, row in enumerate(rows, 1) for c, s in enumerate(row, 1) if s == letter]
            if len(found) != 1:
                places = "a second in row {}, column {}".format(*found[1]) if found else "none"
                return f"a {self.name} has one {letter}, found {places}"
        wrong = next((r for r, row in enumerate(rows, 1) if self.row not in ("", row)), None)
        if wrong is not None:
            return f"a board has {self.row} in every row, found {rows[wrong - 1]} in row {wrong}"
        if self.row and len(rows) > self.most_rows:
            return f"a board has at most {counted(self.most_rows, self.unit)}, found more"
        if self.pattern and not re.fullmatch(self.pattern, "\n".join(rows)):
            return f"expected {self.form}, found {short('/'.join(rows))}"
        return None

    @cached_property
    def _index(self) -> dict[str, int]:
        return {symbol: self.alphabet.index(symbol) for symbol in self.letters}

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input, or an example of its own that is half worked."""
        board = text if text in self.seldom else self.parse(text)[0]
        index = {symbol: i for i, symbol in enumerate(self.alphabet)}
        return encode_board(lines_of(board), index, self.name, ""), 0

    def solve(self, operands: Operands) -> str:
        return "\n".join(self.answer(lines_of(operands[0])))

    def random_operand(self, rng: np.random.Generator, length: int) -> str:
        return "\n".join(self.drawn(rng, length, length))

    def sampled_operand(self, rng: np.random.Generator, length: int) -> str:
        rows, columns = rng.integers(1, length + 1, size=2).tolist()
        return "\n".join(self.drawn(rng, rows, columns))

    def uneven_operand(self, rng: np.random.Generator, length: int) -> str:
        """One side is short."""
        short = int(rng.integers(1, min(3, length) + 1))
        return "\n".join(self.drawn(rng, *((short, length) if rng.random() < 0.5 else (length, short))))

    def repeated(self, length: int) -> list[Operands]:
        """Of boards nothing is repeated; those that chance seldom draws, from their beginning."""
        return [(text,) for text in self.seldom if {*text} <= {*self.letters, "\n"}]

    def always(self, length: int) -> list[Operands]:
        return [(text,) for text in self.seldom]

    def hard(self, length: int) -> Mapping[str, Operands]:
        return {kind: ("\n".join(rows),) for kind, rows in self.special(length).items()}

    def by_length(self) -> Iterator[Operands]:
        for cells in range(1, 10 * len(self.row) + 1) if self.row else count(1):  # ten disks are enough
            for rows in (n for n in range(1, cells + 1) if cells % n == 0):
                yield from self._boards(rows, cells // rows)

    def _boards(self, rows: int, columns: int) -> Iterator[Operands]:
        """Every input of that shape."""
        if self.shaped is not None:
            yield from (("\n".join(board),) for board in self.shaped(rows, columns))
            return
        for cells in product(self.letters, repeat=rows * columns):
            text = "".join(cells)
            board = [text[i : i + columns] for i in range(0, len(text), columns)]
            if not self.refusal(board):
                yield ("\n".join(board),)

    def up_to(self, length: int) -> Iterator[Operands]:
        for rows, columns in product(range(1, length + 1), repeat=2):
            yield from self._boards(rows, columns)

    def smaller(self, operands: Operands) -> Iterator[Operands]:
        rows = lines_of(operands[0])
        fewer = [rows[:i] + rows[i + 1 :] for i in range(len(rows)) if len(rows) > 1]
        fewer += [[row[:i] + row[i + 1 :] for row in rows] for i in range(len(rows[0])) if len(rows[0]) > 1]
        for board in fewer:
            if not self.refusal(board):
                yield ("\n".join(board),)


def plane_task(
    name: str, meaning: str, letters: str, answer: Callable[[Rows], Rows], example: str,
    drawn: Callable[[np.random.Generator, int, int], Rows], special: Callable[[int], Mapping[str, Rows]], *,
    others: str = "", seldom: str = "", **more: Any,
) -> PlaneTask:  # fmt: skip
    """others: further symbols, those of answers and the agent's own

    seldom: boards with spaces between them, the rows of each joined by /; more: what else a `PlaneTask` has
    """
    return PlaneTask(
        name=name, meaning=meaning, example=example, alphabet=(*letters, BLANK, *others), letters=letters,
        answer=answer, drawn=drawn, special=special,
        seldom=tuple(board.replace("/", "\n") for board in seldom.split()), **more,
    )  # fmt: skip
