"""Experts on the plane: one cell of sight, no memory but the state, and a board to write on.

    maze 51, flood 37 states (life.py, hanoi.py: 16, 37; longmult.py)

They are built to be learnt from. What is to be remembered stands on the board, each way ends at a landmark,
and no cell is read again whose symbol the agent could still remember: a learner would remember it, and know
nothing of the other symbols that might stand there. A state has rules for what it can meet on some board, and
no others: a rule that never fires can be shown by no example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dfst.experts.hanoi import hanoi
from dfst.experts.life import life
from dfst.experts.longmult import longmult
from dfst.machines.agent import Agent
from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import ARROWS, MARK
from dfst.world.grid import BLANK, D, L, R, U

AWAY, BACK = (D, L, R, U), (U, R, L, D)
"""To the four neighbours, in the order in which a path prefers them, and back."""


def maze(task: PlaneTask) -> Agent:
    """Flood from G, follow the arrows from S, clean up.

    The rows are swept downwards again and again. Each cell of the edge is done now, and gives its free
    neighbours an arrow that points to it; a new arrow gives way to one that a path prefers, and S becomes s.
    Upwards the new arrows become the edge, and s becomes $; if nothing is new, S is still S, and becomes ? as
    the board is cleaned. When a sweep comes to $, all its neighbours that are done are nearer.
    """
    rules = RuleBook(task.alphabet)
    _mark_rows(rules, "#.SG")
    _sweep(rules)
    _ring(rules)
    _rise(rules)
    for k in range(4):
        _start(rules, k)
    for arrow, way in zip(ARROWS["done"], AWAY, strict=True):
        rules.on("walk", arrow, way, write="o")
    rules.on("walk", "g", L, to="out")
    _clean(rules)
    return rules.agent(task.name, task)


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


def _sweep(rules: RuleBook) -> None:
    """Row by row, each from its mark to its end and home.

    New arrows are met only where they were given downwards, and on the way home not those that were given
    upwards.
    """
    _, left, right, up = tuple(ARROWS["new"])
    rules.on("row", MARK, R, to="enter row")
    rules.on("row", BLANK, U, to="lowest")
    for sweep in ("enter row", "sweep"):
        pointing = [k for k in range(4) if sweep == "sweep" or AWAY[k] != L]  # nothing leads out of the board
        rules.on(sweep, (*"#.Ssg", *(ARROWS["done"][k] for k in pointing), up), R, to="sweep")
        for k in pointing:
            rules.on(sweep, ARROWS["edge"][k], U, write=ARROWS["done"][k], to="above")
        rules.on(sweep, "G", U, write="g", to="above")
        rules.on(sweep, "$", D, to="from0")
    rules.on("sweep", BLANK, L, to="home")
    rules.on("home", (*"#.Ssg", *ARROWS["done"], left, right, up), L)
    rules.on("home", MARK, D, to="row")


def _ring(rules: RuleBook) -> None:
    """What a cell of the edge does to its neighbours.

    No neighbour is as far from the goal as the cell itself, so none is of the edge; nor does one that is done
    point here. New arrows come from cells that were before this one. In the corners none is new, and none is
    done that lies ahead and points to a neighbour.
    """
    down, left, right, up = tuple(ARROWS["new"])
    neighbours = (
        ("above", down, left + right + up, "s<>^"),
        ("left", right, up, left + "sv<^"),
        ("left of top", right, "", left + "sv<"),
        ("below", up, "", "v<>"),
        ("right", left, up, "sv>^"),
        ("right of bottom", left, up, "s>^"),
    )
    rules.on("own cell", tuple("gv<^"), L, to="home")
    ways = _around(rules, "sweep", ("#.Sgv<>^", "#.S$gv<" + ARROWS["edge"], "#.S$gv>" + ARROWS["edge"]))
    for state, gives, worse, kept in neighbours:
        way, then = ways[state]
        rules.on(state, tuple("." + worse), way, write=gives, to=then)
        rules.on(state, "S", way, write="s", to=then)
        rules.on(state, tuple("#g" + kept), way, to=then)


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
        ("right of bottom", BLANK, L, "own cell"),
        ("below right", BLANK, U, "end"),
        ("end", BLANK, L, "own cell"),
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


def _rise(rules: RuleBook) -> None:
    """Row by row upwards, new arrows become the edge; `!` once there was one, and s becomes $."""
    new, edge, done = ARROWS.values()
    rules.on("lowest", MARK, R, to="renew")
    for flag in ("", "!"):
        rules.on(f"rise{flag}", MARK, R, to=f"renew{flag}")
        rules.on(f"renew{flag}", tuple("#.Sg" + done), R)
        for fresh, old in zip(new + "s", edge + "$", strict=True):
            rules.on(f"renew{flag}", fresh, R, write=old, to="renew!")
        rules.on(f"renew{flag}", BLANK, L, to=f"renewed{flag}")
        rules.on(f"renewed{flag}", tuple("#.Sg" + done + ("$" + edge if flag else "")), L)
        rules.on(f"renewed{flag}", MARK, U, to=f"rise{flag}")
    rules.on("rise!", BLANK, D, to="first row")
    rules.on("rise", BLANK, D, to="unmark")


def _start(rules: RuleBook, k: int) -> None:
    """From $ to its first neighbour that is done; none of these points back to it."""
    for arrow, way in zip(ARROWS["done"], AWAY, strict=True):
        if way != BACK[k]:
            rules.on(f"from{k}", arrow, way, write="o", to="walk")
    rules.on(f"from{k}", "g", L, to="out")
    if k < 3:  # one of the four is done
        new = ("", "←↑", "↑")[k]
        rules.on(f"from{k}", (*"#.", *new, MARK if k == 1 else BLANK), BACK[k], to=f"back{k}")
        rules.on(f"back{k}", "$", AWAY[k + 1], to=f"from{k + 1}")


def _clean(rules: RuleBook) -> None:
    """Out to the left, up to the top, and down, row by row; `'` where S was reached."""
    arrows = "".join(ARROWS.values())
    rules.on("out", tuple("#.o$" + arrows), L)
    rules.on("out", MARK, U, to="top")
    rules.on("top", MARK, U)
    rules.on("top", BLANK, D, to="unmark'")
    for reached, kept, wiped, renamed in (
        ("", "#.", ARROWS["done"], (("S", "?"), ("g", "G"))),
        ("'", "#.o", arrows, (("$", "S"), ("g", "G"))),
    ):
        rules.on(f"unmark{reached}", MARK, R, write=BLANK, to=f"clean{reached}")
        rules.halt(f"unmark{reached}", BLANK)
        rules.on(f"clean{reached}", tuple(kept), R)
        rules.on(f"clean{reached}", tuple(wiped), R, write=".")
        for symbol, cleaned in renamed:
            rules.on(f"clean{reached}", symbol, R, write=cleaned)
        rules.on(f"clean{reached}", BLANK, L, to=f"return{reached}")
        rules.on(f"return{reached}", tuple(kept + "G" + ("S" if reached else "?")), L)
        rules.on(f"return{reached}", BLANK, D, to=f"unmark{reached}")


def flood(task: PlaneTask) -> Agent:
    """Each coloured cell colours its free neighbours and is done; sweeps end when one finds nothing to do."""
    rules = RuleBook(task.alphabet)
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
    rules.on("own cell", "@", L, to="home!")
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
    return rules.agent(task.name, task)


ON_THE_PLANE: Mapping[str, Callable[[PlaneTask], Agent]] = {
    "maze": maze,
    "flood": flood,
    "life": life,
    "hanoi": hanoi,
    "longmult2": longmult,
    "longmult10": longmult,
}
