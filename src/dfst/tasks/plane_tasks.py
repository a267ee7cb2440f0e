"""The tasks on the plane.

maze    the first shortest path from S to the nearest G, in the order down, left, right, up; or ? for S
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


SELDOM = (
    "GSGG G<S>G G.GGS .G.SG S#G<G G<S.>G ..S/G.G G/S/G/G .>G/.S# .GS/..G GG/^^/S. GG../..GS ..#G/.G.S "
    "G.G./#G#S G/./#/G/S G/./G/G/S G/^/S/v/G #G<v/S^>G #..G/#.#S #.#G/S>>^ G..G/...S .G.S/...G .#SG/G#.. "
    "..SG/G... Sv#G/>>>^ GG#S/^^<# S.GG/#G.# G</^S/.v/#G v>G/G<#/^#S G<.Sv/^..>G .v.Sv/>G<>G #G./..S/..G "
    "##G/..S/.G. vSv/v#v/>G< G../.GG/.SG ..G/GS./#G. .S/##/Gv/#G >vG#S/#G### G<v#S/##G#. ..G/GG#/..S "
    "..G/G../.#S G<G<Sv/^.^#>G S.#..v/.>G<#G .#v.vS/.>G<G< v..S>G/G##.#^ .G../...G/.S.. GG#v/^^>G/..S# "
    "#G<#/.^Sv/..>G v.v./G#G</^##S GG../...G/..#S v>G</G#^S/^... S.G./#.../.G.G .>>G/..#G/.S>^ "
    ">>GG/.^#^/..S^ v.>G/G<.^/#.#S .#/#G/#v/>G/S# >G/.^/v./G</^S G<##/#^<#/.^S# .v#G/#>>^/S>^# "
    ".##G/GS../G#G. S>>v/..#G/.>>^ S###/vv#G/>>>^ #>>v/###G/S##^ G<./^.S/..v/.>G G<v/^>G/^>^/S.^ "
    "S##/vvG/>G</>^< >G</^#^/^.^/S.. >GG/^#^/^>^/.S^ #>G/S.^/v../G<. v#./G#S/v#v/G<< vG<>G/G#^>^/^<.S^ "
    "S#.>G/#.v.^/.>G<. #vS.v/G<<vv/^<>>G G<.>G/####^/....S G<#v#/^<>>G/^S.>^ v..#G/v#S>^/G###^ "
    ".>G<S/####v/...>G S.>G</#v.^v/>G<>G .#S#v/#.#GG/G<.^^ >G<>G/^#^#^/...S^ v#Sv./G##vv/^<<<< "
    ".>G<./.v^../>G<.S >G<#G/.#..^/S.... G<<./^<Sv/^.#v/.>>G G<vv/^<>G/^.>^/.S.^ .S>v/.v#v/>>>v/.^#G "
    "S>v/##G/.>^/v##/>G< #G./.../##G/G.#/S.# >G#v/#^#G/#..^/###S >>>v/.^#G/.##^/S>>^ >G<</v^<./G<<S/^<.. "
    ".#S./.#v#/.>Gv/..>G v..S/G<../^.v./.#G< v..>>G/vv.S>^/G<<..^ vS.#>G/v###^#/>>>>^# ...>G</v...^S/G<.... "
    "Sv..../>G<.#v/.^#.>G >G#S../^##v##/^<<<<. #..S#G/###.#^/.>G<.. G<vvv/^v>G</>G<^</>^<^S "
    ".#G/#>^/.S^/.v./>v#/#G< G<#../^...v/...>G/..#S^ >G</#^</.^./v.#/v#S/G#. >>G<#/>>^<</.#^#S/.#^.# "
    "#>>>G/>^##^/.^.#^/.S>>^ .v##G/>>G<^/S>^<^/..#.. G<</^<./^../S.v/.vv/>>G .v.>G/>G#.^/.^#../#.S.. "
    ".#>G</v.>^</vv.^./G<#.S G<#v/^##v/^.#G/..#^/..S^ .#>G/.>>^/#Sv#/##vv/.#>G G<<./^<.#/^S.v/#.vv/.>>G "
    "G##v/^vvv/#G<</>^<#/>^#S G<<./#^.S/#.v#/.>vv/.#G< #>>vvv/#.#G<</.#>^<</..>^<S "
    "#>>>>G/.#^##^/>>^<<#/##^<S. .S..../.v..../>G<..v/.^..>G #..>>G/S.v.>^/.vv<.^/>>G#.. "
    ".>>>vv/..v#>v/S#vv#G/>>>>>^ ##G<<</#>^##^/S#^#.^/>>^<<. v..Svv/v###>v/v#v##v/>>>G<< "
    "...v.v/###v#v/#>>>G</S.>>^< ...Sv/#..vv/v.vvv/v#v>G/>G<<^ .>>>G/vS^#^/vv..#/vvv../G<<<. "
    ".Sv#v/.vvvv/>>>>v/.vv#G/#>>>^ S#.../>vv.#/#v<#G/vv#>^/>>>^# vv#>G/vv<>^/>G#>^/##.#^/S#..# "
    "..#G</S##^</##>^</>>^#^/.>^<^ #.Sv#v/.v>>>G/#v<>>^/>v###^/#G<<#^ Svvv../>>G<<./.>^<.v/..^.vv/...>>G "
    "..>v<v/###v#v/#>>>G</.#>>^</S.>>^< #>>G<#/.>>^<</.##^#./#..^.#/##..S. "
    "G<<<</^<<##/^<vvv/^<>>v/^.##G/S>>>^ vv<<</>G#v./>^<<</>^<v</^#>v#/S##>G "
    "v#G#v/G#^<</^###^/^<<../^####/^S... .v#>G/>>>>^/##>>^/..#>^/...>^/...S^ "
    ">G#.#./#^<..v/.^.S>v/.#v##G/.>v<>^/##G###"
)
"""Boards that show what random ones of at most 4 × 4 do not, above all neighbours whose ways lead apart; half
worked, so that their runs are short: `python tools/seldom.py maze --boards 16000`."""
CIRCLES = "S>v/#^< >vS/^<# #>v/S^< >v#/^<S Sv</#>^ v<S/>^# #v</S>^ v<#/>^S"
"""Arrows that lead in a circle, which no wave makes, and where the agent halts."""

MAZE = plane_task(
    "maze",
    "the first shortest path from S to a G, in the order down, left, right, up; ? if there is none",
    "#.SG",
    solve_maze,
    "S.#/#../..G",
    random_maze,
    _hard_mazes,
    others="o?s" + NEW + REACHED + START + "|-=!~",
    once="S",
    seldom=f"{CIRCLES} {SELDOM}",
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
    maze = "\n".join(random_maze(rng, rows, columns, several=0))
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
