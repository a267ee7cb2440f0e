"""Experts on the plane: one cell of sight, no memory but the state, and a board to write on.

    flood 36 states (maze.py 30, life.py 16, hanoi.py 37; longmult.py, sudoku.py)

They are built to be learnt from. What is to be remembered stands on the board, each way ends at a landmark,
and no cell is read again whose symbol the agent could still remember: a learner would remember it, and know
nothing of the other symbols that might stand there. A state has rules for what it can meet on some board, and
no others: a rule that never fires can be shown by no example.
"""

from collections.abc import Mapping

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import MARK
from dfst.world.grid import BLANK, D, L, R, U


def _mark_rows(rules: RuleBook, letters: str) -> None:
    """A mark left of each row, from the first down; then up again, and to the first row.

    There is a first row, so nothing but a mark can be met at the bottom and at the top.
    """
    rules.on("start", tuple(letters), L, to="mark")
    rules.on("first", tuple(letters), L, to="mark")
    rules.on("mark", BLANK, D, write=MARK, to="enter")
    rules.on("enter", BLANK, R, to="first")
    rules.on("first", BLANK, L, to="foot")
    rules.on("foot", BLANK, U, to="last row")
    rules.on("last row", MARK, U, to="climb")
    rules.on("climb", MARK, U)
    rules.on("climb", BLANK, D, to="first row")
    rules.on("first row", MARK, R, to="enter row")


def _around(rules: RuleBook, sweep: str, corners: tuple[str, str, str]) -> Mapping[str, tuple[int, str]]:
    """The way around a cell: above, left, below, right, over three of the corners, and on with the sweep.

    Where the board ends, the agent knows it one cell later, so those are states of their own. What happens to
    the neighbours is left to the caller: where the way goes on from each of their states, and in which state.
    corners: what may stand above left, below left, below right
    """
    for corner, way, then, seen in (
        ("above left", D, "left", corners[0]),
        ("below left", R, "below", corners[1]),
        ("below right", U, "right", corners[2]),
    ):
        rules.on(corner, tuple(seen), way, to=then)
    for state, symbol, way, then in (
        ("above", BLANK, L, "top left"),
        ("top left", BLANK, D, "left of top"),
        ("above left", MARK, D, "margin"),
        ("margin", MARK, D, "below margin"),
        ("left of top", MARK, D, "below margin"),
        ("below margin", MARK, R, "below"),
        ("below margin", BLANK, R, "bottom"),
        ("below left", BLANK, R, "bottom"),
        ("bottom", BLANK, R, "bottom right"),
        ("bottom right", BLANK, U, "right of bottom"),
        ("right of bottom", BLANK, L, "home!"),
        ("below right", BLANK, U, "end"),
        ("end", BLANK, L, "home!"),
    ):
        rules.on(state, symbol, way, to=then)
    return {
        "above": (L, "above left"),
        "left": (D, "below left"),
        "left of top": (D, "below left"),
        "below": (R, "below right"),
        "right": (R, sweep),
        "right of bottom": (R, sweep),
    }


def flood(rules: RuleBook, task: PlaneTask) -> None:
    """Each coloured cell colours its free neighbours and is done; sweeps end when one finds nothing to do."""
    _mark_rows(rules, "#.*")
    rules.on("lowest", MARK, U, to="top")
    for flag, after in (("", "lowest"), ("!", "last row")):
        rules.on(f"row{flag}", MARK, R, to=f"enter row{flag}")
        rules.on(f"row{flag}", BLANK, U, to=after)
        for sweep in (f"enter row{flag}", f"sweep{flag}"):
            rules.on(sweep, tuple("#.@"), R, to=f"sweep{flag}")
            rules.on(sweep, "*", U, write="@", to="above")
        rules.on(f"sweep{flag}", BLANK, L, to=f"home{flag}")
        rules.on(f"home{flag}", tuple("#.@*" if flag else "#.@"), L)
        rules.on(f"home{flag}", MARK, D, to=f"row{flag}")
    for state, (way, then) in _around(rules, "sweep!", ("#.*@",) * 3).items():
        rules.on(state, ".", way, write="*", to=then)
        rules.on(state, tuple("#*@"), way, to=then)
    rules.on("top", MARK, U)
    rules.on("top", BLANK, D, to="unmark")
    rules.on("unmark", MARK, R, write=BLANK, to="clean")
    rules.halt("unmark", BLANK)
    rules.on("clean", tuple("#."), R)
    rules.on("clean", "@", R, write="*")
    rules.on("clean", BLANK, L, to="return")
    rules.on("return", tuple("#.*"), L)
    rules.on("return", BLANK, D, to="unmark")
