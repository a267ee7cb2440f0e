"""Sudoku by backtracking, in 46 states that know no digit.

The whole board turns: 2 becomes 1, 3 becomes 2, …, 1 becomes 9, for what is given and for what the agent
wrote (a to i) alike. So the agent only ever tries 1, and nine turns try every digit. A letter left above the
board turns as well; it is a where nothing is turned. After each try the agent is back at that letter in its
first state, so that an example may begin there, half worked.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.sudoku import DIGITS, OWN
from dfst.world.grid import BLANK, D, L, R, U

FILLED, LINES = tuple(DIGITS + OWN), tuple("|-+")
ONE, OTHERS = ("1", "a"), tuple(DIGITS[1:] + OWN[1:])


def sudoku(rules: RuleBook, task: PlaneTask) -> None:
    """The first empty cell is tried, *; it becomes % when row and column allow it, and a when the box does.

    Where a turn of nine is over, it becomes !, and the last cell that the agent filled is tried further: when
    that is a, it becomes *, and ! is empty again.
    """
    rules.on("start", (*DIGITS, "."), U, to="above")
    rules.on("above", BLANK, L, to="corner")
    rules.on("corner", BLANK, D, write="a", to="enter 0")
    rules.on("start", "a", D, to="enter 0")
    rules.on("start", tuple(OWN[1:]), D, to="enter k")
    _turn(rules)
    for then in ("start", "turn"):
        tried = ".*%!" if then == "start" else ".*"
        rules.on(f"left to {then}", (*FILLED, "|", *tried), L)
        rules.on(f"left to {then}", BLANK, R, to=f"up to {then}")
        rules.on(f"up to {then}", (*FILLED, *"-%", *tried.replace("%", "")), U)
        rules.on(f"up to {then}", BLANK, L, to=then)
    _find(rules)
    _back(rules)
    _row_and_column(rules)
    _box(rules)
    _clean(rules)


def _turn(rules: RuleBook) -> None:
    """Each row to the right, the next to the left; the number of rows is odd."""
    for before, after in zip(OWN, OWN[-1:] + OWN, strict=False):
        rules.on("turn", before, D, write=after, to="next right")
    rules.on("next right", BLANK, R, to="right")
    rules.on("next left", BLANK, L, to="first left")
    for state, way, to, lines in (
        ("right", R, "right", "|"),
        ("first left", L, "left", "-"),
        ("left", L, "left", LINES),
    ):
        for kind in (DIGITS, OWN):
            for before, after in zip(kind, kind[-1:] + kind, strict=False):
                rules.on(state, before, way, write=after, to=to)
        rules.on(state, (*lines, *".*!"), way, to=to)
        rules.on(state, "%", way, write="*", to=to)
    rules.on("right", BLANK, D, to="next left")
    rules.on("left", BLANK, D, to="next right")
    rules.on("first left", BLANK, U, to="left to start")


def _find(rules: RuleBook) -> None:
    """The first cell that is not filled. 0: nothing is turned; k: something is."""
    for k in ("0", "k"):
        rules.on(f"enter {k}", BLANK, R, to=f"first {k}")
        for state in (f"first {k}", f"find {k}"):
            rules.on(state, (*FILLED, *(LINES if "find" in state else "-")), R, to=f"find {k}")
            rules.on(state, "%", R, write="a", to=f"find {k}")
        rules.on(f"find {k}", BLANK, L, to=f"return {k}")
        rules.on(f"return {k}", (*FILLED, *LINES), L)
        rules.on(f"return {k}", BLANK, D, to=f"enter {k}")
    for state in ("first 0", "find 0"):
        rules.on(state, ".", L, write="*", to="try left")
        rules.on(state, "*", L, write="!", to="back")
    rules.on("first 0", BLANK, U, to="rise")
    for state in ("first k", "find k"):
        rules.on(state, ".", L, to="left to turn")
        rules.on(state, "*", L, to="try left")
        rules.on(state, "!", L, to="back")
    rules.on("first k", BLANK, U, to="left to turn")


def _back(rules: RuleBook) -> None:
    """From ! to the last cell that the agent filled; where there is none, there is no solution."""
    rules.on("back", (*DIGITS, *LINES), L)
    rules.on("back", "a", R, write="*", to="forth")
    rules.on("back", tuple(OWN[1:]), L, to="left to turn")
    rules.on("back", BLANK, U, to="row above")
    rules.on("row above", BLANK, R, to="to end")
    rules.halt("row above", "a", write=BLANK)
    rules.on("to end", (*FILLED, *LINES), R)
    rules.on("to end", BLANK, L, to="back")
    rules.on("forth", (*DIGITS, *LINES), R)
    rules.on("forth", "!", L, write=".", to="left to turn")
    rules.on("forth", BLANK, L, to="forth home")
    rules.on("forth home", (*DIGITS, *OWN[1:], *LINES, "*"), L)  # a second a in the row would be a clash
    rules.on("forth home", BLANK, D, to="forth enter")
    rules.on("forth enter", BLANK, R, to="forth")


def _row_and_column(rules: RuleBook) -> None:
    """No 1 to the left, to the right, above and below."""
    for state, way, back, then, passed, one in (
        ("try left", L, R, "try right", "|", ONE),
        ("try right", R, L, "return left", "|.*", "1"),
        ("try up", U, D, "try down", "-", ONE),
        ("try down", D, U, "return up", "-.*", "1"),
    ):
        rules.on(state, (*OTHERS, *passed), way)
        rules.on(state, one, L, to="left to turn")
        rules.on(state, BLANK, back, to=then)
    rules.on("return left", (*DIGITS[1:], *"|."), L)
    rules.on("return left", "*", U, to="try up")
    rules.on("return up", (*DIGITS[1:], *"-."), U)
    rules.on("return up", "*", U, write="%", to="box up")


def _box(rules: RuleBook) -> None:
    """No 1 in the box: up, left, and its three rows to the right, left, right."""
    rules.on("box up", OTHERS, U)
    rules.on("box up", ("-", BLANK), D, to="box left")
    rules.on("box left", (*FILLED, "%"), L)
    rules.on("box left", ("|", BLANK), R, to="box right")
    for state, way, back, then in (("box right", R, L, "box down"), ("row left", L, R, "box down again")):
        rules.on(state, (*OTHERS, *".%"), way)
        rules.on(state, ONE, L, to="left to turn")
        rules.on(state, ("|", BLANK), back, to=then)
    rules.on("box down", (*OTHERS, *".%"), D, to="next row")
    rules.on("next row", (*OTHERS, *".%"), L, to="row left")
    rules.on("next row", ONE, L, to="left to turn")
    rules.on("next row", ("-", BLANK), U, to="left to start")
    rules.on("box down again", (*OTHERS, *".%"), D, to="box right")


def _clean(rules: RuleBook) -> None:
    """Up to the letter, which is wiped out; then row by row the agent's letters become digits."""
    rules.on("rise", (*FILLED, "-"), U)
    rules.on("rise", BLANK, L, to="wipe")
    rules.on("wipe", "a", D, write=BLANK, to="clean enter")
    rules.on("clean enter", BLANK, R, to="clean first")
    for state in ("clean first", "clean"):
        rules.on(state, (*DIGITS, *(LINES if state == "clean" else "-")), R, to="clean")
        for own, digit in zip(OWN, DIGITS, strict=True):
            rules.on(state, own, R, write=digit, to="clean")
    rules.on("clean", BLANK, L, to="clean home")
    rules.on("clean home", (*DIGITS, *LINES), L)
    rules.on("clean home", BLANK, D, to="clean enter")
    rules.halt("clean first", BLANK)
