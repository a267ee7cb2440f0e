"""Sudoku: a board of one to nine boxes of 3 × 3 in a rectangle, ruled by lines.

Each empty cell gets a digit, 1 to 9, that no other cell of its row, column and box has. Of several solutions
it is the first: the cells in reading order, the digits in ascending order. Where there is none, the first
empty cell becomes !. What is given is not questioned.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, product
from pathlib import Path

import numpy as np

from dfst.tasks.plane import Rows, plane_task

DIGITS, OWN = "123456789", "abcdefghi"  # what is given; what the agent wrote
Cells = list[list[int]]  # digits of a board without its lines; 0 for an empty cell


def cells_of(rows: Rows) -> Cells:
    return [[0 if s == "." else int(s) for s in row if s != "|"] for row in rows if "-" not in row]


def ruled(cells: Cells) -> Rows:
    """The board with its lines."""
    texts = ["".join(".123456789"[digit] for digit in row) for row in cells]
    rows = ["|".join(text[c : c + 3] for c in range(0, len(text), 3)) for text in texts]
    between = "+".join(["---"] * (len(texts[0]) // 3))
    return [row for r, row in enumerate(rows) for row in ([between, row] if r % 3 == 0 and r else [row])]


def solutions(cells: Cells, any_order: np.random.Generator | None = None) -> Iterator[Cells]:
    """Every solution: in the order of the task, or in any order, the cells with fewest candidates first."""
    board = [row[:] for row in cells]
    places = [(r, c) for r, row in enumerate(board) for c in range(len(row))]
    units = {(r, c): (r, 9 + c, 18 + 3 * (r // 3) + c // 3) for r, c in places}
    taken = [0] * 27  # of each row, column and box: a bit for each digit
    for r, c in places:
        for unit in units[r, c]:
            taken[unit] |= 1 << board[r][c] & ~1

    def clashes(at: tuple[int, int]) -> int:
        a, b, c = units[at]
        return taken[a] | taken[b] | taken[c]

    def search(left: list[tuple[int, int]]) -> Iterator[Cells]:
        if not left:
            yield [row[:] for row in board]
            return
        at = left[0] if any_order is None else max(left, key=lambda at: clashes(at).bit_count())
        clash = clashes(at)
        choices = [digit for digit in range(1, 10) if not clash >> digit & 1]
        if any_order is not None:
            any_order.shuffle(choices)
        rest = [other for other in left if other != at]
        for digit in choices:
            for unit in units[at]:
                taken[unit] ^= 1 << digit
            board[at[0]][at[1]] = digit
            yield from search(rest)
            for unit in units[at]:
                taken[unit] ^= 1 << digit
        board[at[0]][at[1]] = 0

    return search([(r, c) for r, c in places if board[r][c] == 0])


def solve_sudoku(rows: Rows) -> Rows:
    solved = next(solutions(cells_of(rows)), None)
    return ruled(solved) if solved else "\n".join(rows).replace(".", "!", 1).split("\n")


def _filled(rng: np.random.Generator, down: int, across: int) -> Cells:
    """So many boxes, all cells filled, at random."""
    return next(solutions([[0] * (3 * across) for _ in range(3 * down)], rng))


def puzzle(rng: np.random.Generator, given: int) -> Cells:
    """A puzzle of 9 × 9 with one solution: all is taken away that can be, down to so many digits."""
    cells = _filled(rng, 3, 3)
    for place in rng.permutation(81).tolist():
        r, c = divmod(place, 9)
        if sum(map(bool, chain(*cells))) == given:
            break
        digit, cells[r][c] = cells[r][c], 0
        found = solutions(cells, rng)
        if next(found, None) is not None and next(found, None) is not None:
            cells[r][c] = digit
    return cells


def random_puzzle(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    """A few empty cells, half of a large board; small ones with some other digits, perhaps impossible."""
    down, across = (min(3, (side + 3) // 4) for side in (rows, columns))
    cells = _filled(rng, down, across)
    places = rng.permutation(9 * down * across)
    if rng.random() < 0.5:  # one after the other
        places = (places[0] + np.arange(len(places))) % len(places)
    small = len(places) < 81
    empty = int(rng.integers(1, 4 if small else 41))
    changed = int(rng.integers(0, 9)) if small else 0
    for i, place in enumerate(places[: empty + changed].tolist()):
        r, c = divmod(place, 3 * across)
        cells[r][c] = 0 if i < empty else int(rng.integers(1, 10))
    return ruled(cells)


def _shaped(rows: int, columns: int) -> Iterator[Rows]:
    """Every board of that shape; only those of whole boxes."""
    if rows > 11 or columns > 11 or rows % 4 != 3 or columns % 4 != 3:
        return
    down, across = (rows + 1) // 4, (columns + 1) // 4
    for digits in product(range(9, -1, -1), repeat=9 * down * across):
        yield ruled([list(digits[i : i + 3 * across]) for i in range(0, len(digits), 3 * across)])


def _special(length: int) -> Mapping[str, Rows]:
    one = {"an empty box": ["..."] * 3, "nothing to do": ["123", "456", "789"]}
    if length < 11:
        return one
    easy = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    return one | {
        "a puzzle": ruled([[int(s) for s in easy.replace(".", "0")[9 * r : 9 * r + 9]] for r in range(9)])
    }


BACK = (
    "743/..8/925/---/.36/289/457 ..7|456/123|.88/685|643 "
    "194|325/84.|94./623|877/---+---/465|73./269|684/781|259 "
    "52.|.83/973|.26/381|457 5.4|9.3/973|.26/681|458 6../724/.98/---/349/812/576 .47|32./123|989/685|74. "
    "139|286/.67|3.4/524|7.9 139|286/8.7|3.4/524|7.9 823/415/769"
)
"""Boards, rows joined by /, on which the agent goes back over cells that it filled; one begins with 8."""
HALF_WORKED = Path(__file__).with_name("sudoku.txt").read_text("utf-8")
"""Boards as they are when the agent is back in its first state, at its letter: tools/half_worked.py."""

_ROW, _LINE = r"[1-9.]{3}(\|[1-9.]{3}){0,2}", r"---(\+---){0,2}"
_BOX = rf"{_ROW}\n{_ROW}\n{_ROW}"

SUDOKU = plane_task(
    "sudoku", "the first solution of a sudoku; ! in the first empty cell if there is none", ".123456789|-+",
    solve_sudoku, "1.3/4.6/789", random_puzzle, _special, others=OWN + "*%!",
    pattern=rf"{_BOX}(\n{_LINE}\n{_BOX}){{0,2}}", seldom=f"{BACK} {HALF_WORKED}", shaped=_shaped,
    ruled="|-+", form="boxes of 3×3, | between them in a row, ---+--- between rows of boxes",
)  # fmt: skip
