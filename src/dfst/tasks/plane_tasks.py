"""The tasks on the plane: mazes, flood, life, Hanoi, long multiplication; sudoku.py has its own file."""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np

from dfst.tasks.numbers import DIGITS, to_digits, to_int
from dfst.tasks.plane import PlaneTask, Rows, plane_task
from dfst.tasks.sudoku import SUDOKU

DOWN_LEFT_RIGHT_UP = ((1, 0), (0, -1), (0, 1), (-1, 0))
"""(row, column) of a step, in the order in which a path prefers them."""

NEW, REACHED, START = "↓←→↑", "v<>^", "dlru"
"""Arrows of the maze's agent, in the order of `DOWN_LEFT_RIGHT_UP`: of this wave; of earlier ones; of S."""


def solve_maze(rows: Rows) -> Rows:
    """By breadth-first search from every G: from S, always to the first neighbour that is nearer to one."""
    cells = {(r, c): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row)}
    start = next(at for at, symbol in cells.items() if symbol == "S")
    far = {at: 0 for at, symbol in cells.items() if symbol == "G"}
    queue = deque(far)
    while queue:
        r, c = queue.popleft()
        for dr, dc in DOWN_LEFT_RIGHT_UP:
            at = r + dr, c + dc
            if cells.get(at, "#") != "#" and at not in far:
                far[at] = far[r, c] + 1
                queue.append(at)
    if start not in far:
        cells[start] = "?"
    else:
        at = start
        while far[at] > 1:
            steps = ((at[0] + dr, at[1] + dc) for dr, dc in DOWN_LEFT_RIGHT_UP)
            at = next(step for step in steps if far.get(step) == far[at] - 1)
            cells[at] = "o"
    return ["".join(cells[r, c] for c in range(len(rows[0]))) for r in range(len(rows))]


def random_maze(rng: np.random.Generator, rows: int, columns: int, several: float = 0.15) -> Rows:
    """Walls at random, none to half of the cells, or every other time corridors without a loop.

    several: how likely each of three more goals is
    """
    if rows * columns < 2:
        columns = 2
    if rng.random() < 0.5 and min(rows, columns) > 2:
        walls = _corridors(rng, rows, columns)
    else:
        walls = rng.random((rows, columns)) < rng.uniform(0, 0.5)
    free = np.flatnonzero(~walls)
    cells = np.where(walls, "#", ".").ravel()
    if free.size < 2:
        free = np.arange(rows * columns)
    goals = min(1 + rng.binomial(3, several), free.size - 1)
    ends = rng.choice(free, 1 + goals, replace=False)
    cells[ends] = ["S", *"G" * goals]
    return ["".join(row) for row in cells.reshape(rows, columns)]


def _corridors(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """(rows, columns) walls between corridors that are carved from a corner, depth first."""
    walls = np.ones((rows, columns), dtype=bool)
    walls[0, 0], way = False, [(0, 0)]
    while way:
        r, c = way[-1]
        ahead = [(r + 2 * dr, c + 2 * dc) for dr, dc in DOWN_LEFT_RIGHT_UP]
        ahead = [(y, x) for y, x in ahead if 0 <= y < rows and 0 <= x < columns and walls[y, x]]
        if not ahead:
            way.pop()
            continue
        y, x = ahead[rng.integers(len(ahead))]
        walls[y, x] = walls[(r + y) // 2, (c + x) // 2] = False
        way.append((y, x))
    return walls


def _hard_mazes(length: int) -> Mapping[str, Rows]:
    n = max(2, length)
    empty = ["." * n for _ in range(n)]
    across = ["S" + empty[0][1:], *empty[1:-1], empty[-1][:-1] + "G"]
    comb = [
        ("." + "#" * (n - 1) if r % 4 == 1 else "#" * (n - 1) + ".") if r % 2 else "." * n for r in range(n)
    ]
    if n % 2 == 0:
        comb[-1] = "." * n
    comb[0] = comb[0][:-1] + "S" if n > 2 else "S."
    comb[-1] = "G" + comb[-1][1:]
    shut = (
        [*across[:-1], "." * (n - 2) + "#G"]
        if n < 3
        else [*across[:-2], "." * (n - 1) + "#", "." * (n - 2) + "#G"]
    )
    return {
        "no walls": across,
        "no walls, turned": [row[::-1] for row in across[::-1]],
        "one long corridor": comb,
        "shut in": shut,
        "one row": ["G" + "." * (n - 2) + "S"],
        "one column": ["G", *"." * (n - 2), "S"],
    }


SELDOM = Path(__file__).with_name("maze.txt").read_text("utf-8")
"""Boards that show what random ones of at most 4 × 4 do not, above all neighbours whose ways lead apart; half
worked, so that their runs are short: `python tools/seldom.py maze --boards 16000`."""
CIRCLES = "S>v/#^< >vS/^<# #>v/S^< >v#/^<S Sv</#>^ v<S/>^# #v</S>^ v<#/>^S"
"""Arrows that lead in a circle, which no wave makes, and where the agent halts."""

MAZE = plane_task(
    "maze", "the first shortest path from S to a G, in the order down, left, right, up; ? if there is none",
    "#.SG", solve_maze, "S.#/#../..G", random_maze, _hard_mazes, once="S", seldom=f"{CIRCLES} {SELDOM}",
    others="o?s" + NEW + REACHED + START + "|-=!~",
)  # fmt: skip


def flooded(rows: Rows) -> Rows:
    """Colour every free cell that can be reached from a coloured one."""
    cells = {(r, c): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row)}
    queue = deque(at for at, symbol in cells.items() if symbol == "*")
    while queue:
        r, c = queue.popleft()
        for dr, dc in DOWN_LEFT_RIGHT_UP:
            if cells.get((r + dr, c + dc)) == ".":
                cells[r + dr, c + dc] = "*"
                queue.append((r + dr, c + dc))
    return ["".join(cells[r, c] for c in range(len(rows[0]))) for r in range(len(rows))]


def random_outlines(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    """A maze's walls, with some coloured cells in place of its ends."""
    maze = "\n".join(random_maze(rng, rows, columns, several=0))
    return maze.replace("S", "*").replace("G", "*" if rng.random() < 0.3 else ".").split("\n")


def _hard_outlines(length: int) -> Mapping[str, Rows]:
    mazes = _hard_mazes(length).items()
    return {kind: [row.replace("S", "*").replace("G", ".") for row in rows] for kind, rows in mazes}


FLOOD = plane_task(
    "flood", "every free cell that can be reached from a coloured one is coloured", "#.*", flooded,
    "####./#*.#./####.", random_outlines, _hard_outlines, others="@|",
)  # fmt: skip

DEAD, ALIVE = ".abcdefghijk", "*ABCDEFGHIJK"
"""Of the agent of life: where of a cell and its two neighbours in the row h are alive, and k of the three
below, it is number 3 k + h if it is dead, and 3 k + h - 1 if it is alive; at first as if alone."""


def next_generation(rows: Rows) -> Rows:
    """A cell lives on with two or three live neighbours, and comes to life with three."""
    board = np.pad(np.array([[symbol == "*" for symbol in row] for row in rows], dtype=int), 1)
    height, width = len(rows), len(rows[0])
    around = sum(board[r : r + height, c : c + width] for r in range(3) for c in range(3))
    return _cells((around == 3) | ((around == 4) & (board[1:-1, 1:-1] == 1)))


def random_cells(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    """Few of the cells alive, or most."""
    return _cells(rng.random((rows, columns)) < rng.uniform(0.1, 0.95))


def _cells(alive: np.ndarray) -> Rows:
    return ["".join(row) for row in np.where(alive, "*", ".")]


def _hard_cells(length: int) -> Mapping[str, Rows]:
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
    "life", "the next generation of Conway's life, nothing outside the board", ".*", next_generation,
    "...../.***./.....", random_cells, _hard_cells, others=DEAD[1:] + ALIVE[1:],
)  # fmt: skip

MOST_DISKS = 20  # more would take more than a million moves


def tower(disks: int) -> Rows:
    """So many disks, or the nearest number that there is: a row for each, the smallest on top, whatever peg
    it is on; a column for each peg."""
    return ["o.."] * min(max(disks, 1), MOST_DISKS)


HANOI = plane_task(
    "hanoi", "the tower, or so many disks, moved from the first peg to the third in the fewest legal moves",
    "o.", lambda rows: ["..o"] * len(rows), "o../o../o..", lambda rng, rows, columns: tower(rows),
    lambda length: {"the tower": tower(length)}, others="<>", row="o..", most_rows=MOST_DISKS, unit="disks",
    shaped=lambda rows, columns: [tower(rows)] if columns == 3 and rows <= MOST_DISKS else [],
)  # fmt: skip


def sheet(rows: Rows, radix: int) -> Rows:
    """The finished sheet, by Python's integers.

    123×45      a line below the numbers,
    ----        then a row for each digit of the second: the first times its digits up to there, which ends
    __492       below the digit. The last row is the product.
    __5535
    """
    a, b = rows[0].split("×")
    products = [to_digits(to_int(a, radix) * to_int(b[:k], radix), radix) for k in range(1, len(b) + 1)]
    worked = [text.rjust(len(a) + 1 + k, "_") for k, text in enumerate(products, 1)]
    return [row.ljust(len(rows[0]), "_") for row in (rows[0], "-" * (len(a) + 1), *worked)]


def _longmult(radix: int) -> PlaneTask:
    digits = DIGITS[:radix]
    top = digits[-1]

    def drawn(rng: np.random.Generator, first: int, second: int) -> Rows:
        return ["×".join("".join(rng.choice(list(digits), size=n)) for n in (first, second))]

    def special(length: int) -> Mapping[str, Rows]:
        n = max(1, length)
        return {
            "carry chain": [f"{top * n}×{top * n}"],
            "zeros": [f"{'0' * n}×{'0' * n}"],
            "a number and zero": [f"{top * n}×0"],
            "leading zeros": [f"{'1'.zfill(n)}×{'1'.zfill(n)}"],
            "a power of the radix": [f"{top * n}×{'1'.ljust(n, '0')}"],
            "one digit": [f"{top}×{top * n}"],
        }

    def shaped(first: int, second: int) -> Iterator[Rows]:
        for text in map("".join, product(digits, repeat=first + second)):
            yield [f"{text[:first]}×{text[first:]}"]

    return plane_task(
        f"longmult{radix}", "the product, worked on squared paper", digits + "×",
        lambda rows: sheet(rows, radix), "110×11" if radix == 2 else "123×45", drawn, special, others="-",
        pattern=f"[{digits}]+×[{digits}]+", form="two numbers with × between", shaped=shaped, unit="digits",
    )  # fmt: skip


PLANE_TASKS = {task.name: task for task in (MAZE, FLOOD, LIFE, HANOI, _longmult(2), _longmult(10), SUDOKU)}
