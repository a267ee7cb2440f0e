"""A maze, flooded from the goal by plain sweeps along columns and rows: 30 states.

A reached cell has an arrow to a neighbour that is nearer to the goal. In a wave every column is swept down
and up, every row right and left: the agent remembers only whether the last cell was reached, and if so gives
the next one a new arrow, unless that has one which a path prefers. At the end of a wave new arrows count as
reached; the free neighbours of what was reached before are all taken, so nothing need be said of its age.
S has an arrow like any other cell, written as a letter; once it has one, the arrows lead to the goal. From
there the agent goes on row by row to the last one, and then wipes out its working on the way up: wherever it
comes from, it needs no way of its own to a corner.

Legend: `+` after a reached cell, `!` once a new arrow was met in this wave.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import NEW, REACHED, START
from dfst.world.grid import BLANK, D, L, R, U

AWAY = (D, L, R, U)  # where an arrow leads, in the order in which a path prefers them


def maze(rules: RuleBook, task: PlaneTask) -> None:
    """Waves from G until S has an arrow or nothing is new; then the way from S, and all else is wiped out."""
    _columns(rules)
    _rows(rules)
    _renew(rules)
    _walk(rules)
    _clean(rules)


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
    down, up = 0, 3
    _sweep(rules, "south", D, up, "", "", first="enter column")
    _sweep(rules, "north", U, down, NEW[up] + START[up], "")
    for plus in ("", "+"):
        rules.on(f"south{plus}", BLANK, U, to="north")
        rules.on(f"north{plus}", BLANK, R, to="next column")
    rules.on("next column", BLANK, D, to="enter column")
    rules.on("enter column", BLANK, L, to="first row")
    rules.on("first row", tuple("#.SG" + REACHED[:up] + NEW[down] + START[down]), L)
    rules.on("first row", BLANK, R, to="enter row")


def _rows(rules: RuleBook) -> None:
    """From the top left: each row right and left."""
    down, left, right, up = range(4)
    vertical = NEW[down] + NEW[up] + START[down] + START[up]
    _sweep(rules, "east", R, left, vertical, NEW[down] + START[down], first="enter row")
    seen, taken = vertical + NEW[left] + START[left], NEW[down] + NEW[left] + START[down] + START[left]
    _sweep(rules, "west", L, right, seen, taken)
    for plus in ("", "+"):
        rules.on(f"east{plus}", BLANK, L, to="west")
        rules.on(f"west{plus}", BLANK, D, to="next row")
    rules.on("next row", BLANK, R, to="enter row")
    rules.on("enter row", BLANK, U, to="renew row")


def _renew(rules: RuleBook) -> None:
    """Row by row upwards, new arrows become reached; an arrow of S ends the flood, and so does no new one."""
    for flag in ("", "!"):
        for name in (f"renew row{flag}", f"renew{flag}"):
            met = [k for k in range(4) if name == f"renew{flag}" or AWAY[k] != L]
            rules.on(name, (*"#.SG", *(REACHED[k] for k in met)), R, to=f"renew{flag}")
            for k in met:
                rules.on(name, NEW[k], R, write=REACHED[k], to="renew!")
                rules.on(name, START[k], AWAY[k], write="s", to="walk")
        rules.on(f"renew{flag}", BLANK, L, to=f"renewed{flag}")
        rules.on(f"renewed{flag}", tuple("#.SG" + REACHED), L)
        rules.on(f"renewed{flag}", BLANK, U, to=f"row above{flag}")
        rules.on(f"row above{flag}", BLANK, R, to=f"renew row{flag}")
    rules.on("renew row!", BLANK, D, to="enter column")
    rules.on("renew row", BLANK, D, to="leave row")


def _walk(rules: RuleBook) -> None:
    """Along the arrows to G; from its row on, or the first without a path, each to its end and back."""
    for arrow, way in zip(REACHED, AWAY, strict=True):
        rules.on("walk", arrow, way, write="o")
    rules.on("walk", "G", L, to="left")
    for name in ("leave row", "leave"):
        rules.on(name, _met(name == "leave row", "#.sSoG"), R, to="leave")
    rules.on("leave", BLANK, L, to="left")
    rules.on("left", _met(False, "#.sSoG"), L)
    rules.on("left", BLANK, D, to="row below")
    rules.on("row below", BLANK, R, to="leave row")
    rules.on("leave row", BLANK, U, to="clean row")


def _clean(rules: RuleBook) -> None:
    """Row by row upwards; an S without an arrow was not reached."""
    for name in ("clean row", "clean"):
        rules.on(name, tuple("#.oG"), R, to="clean")
        rules.on(name, _met(name == "clean row"), R, write=".", to="clean")
        rules.on(name, "s", R, write="S", to="clean")
        rules.on(name, "S", R, write="?", to="clean")
    rules.on("clean", BLANK, L, to="cleaned")
    rules.on("cleaned", tuple("#.oSG?"), L)
    rules.on("cleaned", BLANK, U, to="last row")
    rules.on("last row", BLANK, R, to="clean row")
    rules.halt("clean row", BLANK)


def _met(first: bool, others: str = "") -> tuple[str, ...]:
    """Arrows that may be met, and others; no arrow leads out of the first column."""
    return (*others, *(arrows[k] for arrows in (NEW, REACHED) for k in range(4) if not first or AWAY[k] != L))
