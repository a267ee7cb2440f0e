"""A maze, flooded from the goal by plain sweeps along columns and rows.

A reached cell has an arrow to a neighbour that is nearer to the goal. In a wave every column is swept down
and up, every row right and left: the agent remembers only whether the last cell was reached, and if so gives
the next one a new arrow, unless that has one which a path prefers. At the end of a wave new arrows count as
reached; the free neighbours of what was reached before are all taken, so nothing need be said of its age.
S has an arrow like any other cell, written as a letter; once it has one, the arrows lead to the goal. From
there the agent goes down along the margin, and wipes out its working on the way up. There may be several
goals: they are reached before the first wave, all of them, and the path leads to the nearest.

Beside the line that it works on lies a bookmark, which says what is being done. The agent need keep that in
mind for one line only, and whatever else it has in mind, it can let go where it comes back to its bookmark.

Legend: `+` after a reached cell, `!` once a new arrow was met in this row, `?` where there is no path.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import NEW, REACHED, START
from dfst.world.grid import BLANK, D, L, R, U

AWAY = (D, L, R, U)  # where an arrow leads, in the order in which a path prefers them
COLUMN, ROW, OLD, NEWS, CLEAN = "|-=!~"
"""Bookmarks: above a column, beside a row; while nothing new was met in a wave, after that; in a clean row"""


def maze(rules: RuleBook, task: PlaneTask) -> None:
    """Waves from G until S has an arrow or nothing is new; then the way from S, and all else is wiped out."""
    _columns(rules)
    _rows(rules)
    _renew(rules)
    _walk(rules)


def _sweep(rules: RuleBook, state: str, way: int, gives: int, seen: str, taken: str, first: str = "") -> None:
    """Go on in a direction; what follows a reached cell gets arrow number `gives`, which points back.

    seen:  new arrows, also of S, that may be met
    taken: those of them that a path prefers to the one that is given
    first: the state in which a sweep begins
    """
    for name in filter(None, (first, state, f"{state}+")):
        if name != f"{state}+":  # nothing points back to a cell that was not reached, or out of the board
            rules.on(name, (*REACHED[:gives], *REACHED[gives + 1 :], "G"), way, to=f"{state}+")
            rules.on(name, tuple("#.S" + seen), way, to=state)
            continue
        rules.on(name, (*REACHED, "G"), way)
        rules.on(name, tuple("#" + taken), way, to=state)
        rules.on(name, (".", *(a for a in seen if a in NEW and a not in taken)), way, NEW[gives], state)
        rules.on(name, ("S", *(a for a in seen if a in START and a not in taken)), way, START[gives], state)


def _columns(rules: RuleBook) -> None:
    """From the top left: each column down and up; then home along the first row."""
    down, _, right, up = range(4)
    rules.on("begin", ("#", ".", "S", "G", REACHED[down], REACHED[right]), U, to="mark column")
    rules.on("mark column", BLANK, D, COLUMN, "enter column")
    _sweep(rules, "south", D, up, "", "", first="enter column")
    _sweep(rules, "north", U, down, NEW[up] + START[up], "")
    for plus in ("", "+"):
        rules.on(f"south{plus}", BLANK, U, to="north")
        rules.on(f"north{plus}", COLUMN, R, BLANK, "mark column")
    rules.on("enter column", BLANK, U, to="columns done")
    rules.on("columns done", COLUMN, L, BLANK)
    rules.on("columns done", BLANK, D, to="home")
    rules.on("home", tuple("#.SG" + REACHED[:up] + NEW[down] + START[down]), L)
    rules.on("home", BLANK, R, ROW, "enter row")


def _rows(rules: RuleBook) -> None:
    """From the top left: each row right and left."""
    down, left, right, up = range(4)
    vertical = NEW[down] + NEW[up] + START[down] + START[up]
    _sweep(rules, "east", R, left, vertical, NEW[down] + START[down], first="enter row")
    seen, taken = vertical + NEW[left] + START[left], NEW[down] + NEW[left] + START[down] + START[left]
    _sweep(rules, "west", L, right, seen, taken)
    for plus in ("", "+"):
        rules.on(f"east{plus}", BLANK, L, to="west")
        rules.on(f"west{plus}", ROW, D, BLANK, "mark row")
    rules.on("mark row", BLANK, R, ROW, "enter row")
    rules.on("enter row", BLANK, L, to="rows done")
    rules.on("rows done", ROW, U, BLANK, "mark old")


def _renew(rules: RuleBook) -> None:
    """Row by row upwards, new arrows become reached; an arrow of S ends the flood, and so does no new one."""
    rules.on("mark old", BLANK, R, OLD, "renew row")
    rules.on("mark new", BLANK, R, NEWS, "renew row")
    for name, flag in (("renew row", ""), ("renew", ""), ("renew!", "!")):
        met = [k for k in range(4) if name != "renew row" or AWAY[k] != L]
        rules.on(name, (*"#.SG", *(REACHED[k] for k in met)), R, to=f"renew{flag}")
        for k in met:
            rules.on(name, NEW[k], R, write=REACHED[k], to="renew!")
            rules.on(name, START[k], AWAY[k], write="s", to="walk")
    for flag in ("", "!"):
        rules.on(f"renew{flag}", BLANK, L, to=f"renewed{flag}")
        rules.on(f"renewed{flag}", tuple("#.SG" + REACHED), L)
        rules.on(f"renewed{flag}", OLD, U, BLANK, "mark new" if flag else "mark old")
        rules.on(f"renewed{flag}", NEWS, U, BLANK, "mark new")
    rules.on("renew row", BLANK, L, to="all renewed")
    rules.on("all renewed", NEWS, D, BLANK, "new wave")
    rules.on("new wave", BLANK, R, to="begin")
    rules.on("all renewed", OLD, D, BLANK, "below?")


def _walk(rules: RuleBook) -> None:
    """Along the arrows to a goal; or, without a path, stay in the first row."""
    for arrow, way in zip(REACHED, AWAY, strict=True):
        rules.on("walk", arrow, way, write="o")
    rules.halt("walk", "o")  # arrows in a circle: there are none, but to know that takes distances
    rules.on("walk", "G", L, to="left")
    rules.on("left", _met("#.soG", ""), L)
    _clean(rules, "", "#.soG", (BLANK, OLD, NEWS))
    _clean(rules, "?", "#.SG", (BLANK,))


def _clean(rules: RuleBook, flag: str, others: str, margin: tuple[str, ...]) -> None:
    """Along the margin to the last row; then row by row upwards, and nothing but the path is left.

    others: symbols that may be met, beside arrows
    margin: and those that may lie beside a row
    """
    rules.on(f"left{flag}", margin, D, to=f"below{flag}")
    rules.on(f"below{flag}", margin, R, to=f"look{flag}")
    rules.on(f"look{flag}", _met(others, flag, first=True), L, to=f"left{flag}")
    rules.on(f"look{flag}", BLANK, L, to=f"bottom{flag}")
    rules.on(f"bottom{flag}", BLANK, U, to=f"mark clean{flag}")
    rules.on(f"mark clean{flag}", margin, R, CLEAN, f"clean row{flag}")
    kept, cleaned = [symbol for symbol in others if symbol not in "sS"], f"clean{flag}"
    for name in (f"clean row{flag}", cleaned):
        rules.on(name, kept, R, to=cleaned)
        rules.on(name, _met("", flag, first=name != cleaned), R, write=".", to=cleaned)
        rules.on(name, "S" if flag else "s", R, write="?" if flag else "S", to=cleaned)
    rules.on(cleaned, BLANK, L, to=f"cleaned{flag}")
    rules.on(f"cleaned{flag}", (*kept, "?" if flag else "S"), L)
    rules.on(f"cleaned{flag}", CLEAN, U, BLANK, f"mark clean{flag}")
    rules.on(f"clean row{flag}", BLANK, L, to=f"end{flag}")
    rules.halt(f"end{flag}", CLEAN, BLANK)


def _met(others: str, flag: str, first: bool = False) -> tuple[str, ...]:
    """Others, and arrows that may be met: none leads out of the first column, without a path none is new."""
    kinds = (REACHED,) if flag else (NEW, REACHED)
    return (*others, *(arrows[k] for arrows in kinds for k in range(4) if not first or AWAY[k] != L))
