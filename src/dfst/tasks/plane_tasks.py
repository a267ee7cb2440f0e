"""The tasks on the plane.

maze    the first shortest path from S to G, in the order down, left, right, up; ? for S where there is none
flood   every free cell that can be reached from a coloured one is coloured
life    the next generation (life.py)
hanoi   the tower on the third peg (hanoi.py)
longmult2, longmult10  a product, worked on squared paper (longmult.py)
sudoku  its first solution (sudoku.py)
"""

from collections import deque
from collections.abc import Mapping

import numpy as np

from dfst.tasks.hanoi import HANOI
from dfst.tasks.life import LIFE
from dfst.tasks.longmult import LONGMULT
from dfst.tasks.plane import Rows, plane_task
from dfst.tasks.sudoku import SUDOKU

DOWN_LEFT_RIGHT_UP = ((1, 0), (0, -1), (0, 1), (-1, 0))
"""(row, column) of a step, in the order in which a path prefers them."""

NEW, REACHED, START = "↓←→↑", "v<>^", "dlru"
"""Arrows of the maze's agent, in the order of `DOWN_LEFT_RIGHT_UP`: of this wave; of earlier ones; of S."""
MARK = "|"  # of the agents on the plane: left of each row


def solve_maze(rows: Rows) -> Rows:
    """By breadth-first search from G: from S, always to the first neighbour that is nearer to it."""
    cells = {(r, c): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row)}
    start, goal = (next(at for at, symbol in cells.items() if symbol == end) for end in "SG")
    far, queue = {goal: 0}, deque([goal])
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


def random_maze(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    """Walls at random, none to half of the cells, or every other time corridors without a loop."""
    if rows * columns < 2:
        columns = 2
    if rng.random() < 0.5 and min(rows, columns) > 2:
        walls = _corridors(rng, rows, columns)
    else:
        walls = rng.random((rows, columns)) < rng.uniform(0, 0.5)
    free = np.flatnonzero(~walls)
    ends = rng.choice(free if free.size > 1 else rows * columns, 2, replace=False)
    cells = np.where(walls, "#", ".").ravel()
    cells[ends] = ["S", "G"]
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


SELDOM = (
    ".>>G/.S>^ v/G/^/./S >>G<</S>^#. Sv./#vv/>G< >G</^#^/^S^ >>G<<./.#^#.S >G<</^#^./S... v<S./v#v./G<<< "
    "v<<</G#vS/^<<< .S>v/.v#v/>>>G v<.#/v#vS/G<<# .>>G/#S#^/.#.^ ..>G/##.^/#.#S >G</^#^/^.^/S.. "
    ".#G/>>^/.#^/.S^ >G</^#^/^.^/##S vS./v<./v#v/G<< v.v##/v#v#S/>G<#. >G<<</^##^#/^<.^S .>>>G/.S#^#/##.^# "
    ".v.../#vv.S/G<<<. .#.G./.#.../.###S >G<</^##^/^<<^/#^S^ v<<#/v#Sv/vv#v/G<<< vvSv/v<#v/v#vv/>G<< "
    ">>vv/S#>G/..#^/.>>^ >G</^#^/^<^/#^#/#S. >>vv/^#>G/Sv#^/>>>^ vvSv/v<<v/v##v/>G<< Sv>v/#v#v/>>>v/>^#G "
    ">>G</^#^</S#^#/.#^. Svvv/>>>v/.v#G/>>>^ G<<</^<#^/^#S^/^<<. S>>v/..#G/..#^/..>^ >>>G/^##^/.S#^/..>^ "
    "v<vv##/v#vv#S/>G<<#. >vv.../#vvv.S/G<<<<. .>v/v#v/>>G/#>^/.#^/S.# >>>v#/S^#v#/v#>>G/>>>>^ "
    ".S.#v/#v#G</vvv#^/>>>>^ vv#../v<<<./G#v../^<<<S vv<<</>G##^/^#v.^/^<<<S >>>>G/^##>^/^.v#^/S>>>^ "
    "S#vv</#v>v#/vv#v#/>>>>G vvv../v<<##/G#v../^<<<S G<</^#^/^<</^<</^<./^S. Sv.vv/vv#>v/vvv#v/>>>G< "
    "vv<<S/G<#.#/^#.../^<<.# v.v##/v#v#S/>G<##/^#^<. >>>>G/>>^#^/S>>>^/..>>^ v<v##/v#v#S/>G<#./^#^<< "
    ".#>G</.>>^</S.#^</...#. ..>>v/#S.#G/...#^/.#.>^ ##S./v<<./v#.v/>G#v/>^<< >>G</^##^/^<#^/^.>^/S..^ "
    ">G<</>^#^/^#>^/^<<#/^#^S >G#./^##./^#Sv/^##v/^<<< >>>>>G/>^##>^/>^vv#^/S>>>>^ "
    "G<<<<</^<#^<#/^#v^<S/^<<### ..v>>v/.vv<#v/>>v#vv/S#>>>G .#>>G</>>^##^/.#^<>^/S.#.>^ "
    ".#.#>G/....#^/.Sv#>^/#>>>^# v<>v#S/v##v#./vvv<##/>>G### Svvv../v>vvv#/v#v<<</>>G#^. "
    "#####G/...v#^/###v#^/S>>>>^ G##.../^<#v../^<#v#S/#^<<<< .>>>>v/#.vv#G/.#>>>^/S.>^#^ "
    ".#.v>v/S.>v#v/..#>>v/..>^#G .##>>v/.>v^#v/S#v##G/##>>>^ S#>>v/#>^#v/vv^#G/vv##^/>>>>^ "
    ">>>G/^#>^/..#^/..>^/...^/.#S# ##v#S/>G<<</^#^<./^.^../....# >>>v#/#^#>G/.v#>^/>>>^#/S>>^< "
    ".#.vS/v.>vv/v<#vv/v#v<</>>G#^ v.#G</v###^/>>>>^/^###^/^S#>^ #v#.S/>G#.v/>^<#v/^#^#v/^<^<< "
    ">>>>G/>^#>^/.^.#^/..>>^/..S^# #.vS/v#v</vvv#/G<<</#^#^/#^<< v#>>G</>>^##^/>>^<#^/^#^<>^/S.#>>^ "
    ">>G#../##^#.#/.#^#../v#^#vS/>>^<<< vvv##S/>>>G#./^#>^##/^v#^<</#>>^<< "
    "..vvvS/.>>vvv/v.#vv</v#G<<#/>>^### vv#>G#/>>>>^</>>>^#^/S>^#>^/..^.>^ "
    ">>G<</#^#^</>^<^</^#>^</^.>^</...^S ...#G/..v#^/.>>>^/..#>^/...#^/...S^ "
    "#v#.S/>G##v/>^<<</^#^<</^<^<./^.^.. ...#G/...#^/v###^/>>v#^/^#v#^/S#>>^ "
    "S#vvv</>>>>v#/#>^#vv/..^#>G/.v##>^/>>>>>^ .vv#G</#>>>^</.^#^#^/#..##^/...##^/.....S "
    ".#.#vS/.#.#v#/#.>>v#/#v.#v#/vv##v#/>>>>G< >>>vv#/>^#G<</^#>^<</..#^#^/...##^/##..S^ "
    ".>v#>G/v#v<#^/>vv#>^/#>>>^#/S#>>^</>>>>^< vv##G</>>>v#^/>^#>>^/>^v#>^/.#vv#^/S#>>>^ "
    "Sv#vv</#>>v<#/v<#v#./v#v>v#/>>v#v#/^#>>>G vv##G</>>>v#^/>^#>>^/.^.#>^/##vv#^/S#>>>^"
)
"""Boards that show what random ones of at most 4 × 4 do not, above all neighbours whose ways lead apart; half
worked, so that their runs are short: `python tools/seldom.py maze --boards 16000`."""

MAZE = plane_task(
    "maze",
    "the first shortest path from S to G, in the order down, left, right, up; ? if there is none",
    "#.SG",
    solve_maze,
    "S.#/#../..G",
    random_maze,
    _hard_mazes,
    others="o?s" + NEW + REACHED + START,
    once="SG",
    seldom=SELDOM,
)


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
    maze = "\n".join(random_maze(rng, rows, columns))
    return maze.replace("S", "*").replace("G", "*" if rng.random() < 0.3 else ".").split("\n")


FLOOD = plane_task(
    "flood",
    "every free cell that can be reached from a coloured one is coloured",
    "#.*",
    flooded,
    "####./#*.#./####.",
    random_outlines,
    lambda length: {
        kind: "\n".join(rows).replace("S", "*").replace("G", ".").split("\n")
        for kind, rows in _hard_mazes(length).items()
    },
    others="@" + MARK,
)

PLANE_TASKS = {task.name: task for task in (MAZE, FLOOD, LIFE, HANOI, *LONGMULT.values(), SUDOKU)}
