"""One generation of life in 16 states: what lives is counted along rows, and then along columns."""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.life import ALIVE, DEAD
from dfst.tasks.plane import PlaneTask
from dfst.world.grid import BLANK, D, L, R, U


def life(rules: RuleBook, task: PlaneTask) -> None:
    """Each row to its end and back, then each column up and down; the state is what the last cell counts.

    To the right, a cell learns whether its left neighbour lives, and back, whether its right one does: so it
    counts itself and both. Upwards it learns what the cell below counts. Downwards it meets what the cell
    above counts; three in all give birth, and with four a live cell stays alive.
    """
    _rows(rules)
    _columns(rules)


def _rows(rules: RuleBook) -> None:
    for state, left in (("enter", 0), ("right 0", 0), ("right 1", 1)):
        for alive, kind in enumerate((DEAD, ALIVE)):
            rules.on(state, kind[0], R, write=kind[left], to=f"right {alive}")
    rules.on("enter", BLANK, U, to="up 0")
    for left in range(2):
        rules.on(f"right {left}", BLANK, L, to="left 0")
    for right in range(2):
        for alive, kind in enumerate((DEAD, ALIVE)):
            for left in range(2):
                rules.on(f"left {right}", kind[left], L, write=kind[left + right], to=f"left {alive}")
        rules.on(f"left {right}", BLANK, D, to="next row")
    rules.on("next row", BLANK, R, to="enter")


def _columns(rules: RuleBook) -> None:
    cells = [(kind[h], kind, h + (kind is ALIVE)) for kind in (DEAD, ALIVE) for h in range(3)]
    for state, below in (("enter column", 0), *((f"up {k}", k) for k in range(4))):
        for symbol, kind, count in cells:
            write = kind[3 * below + kind.index(symbol)]
            rules.on(state, symbol, U, write=write, to=f"up {count}")
    rules.halt("enter column", BLANK)
    for below in range(4):
        rules.on(f"up {below}", BLANK, D, to="down 0")
    for above in range(4):
        for symbol, kind, count in cells:
            for below in range(4):
                total = above + count + below
                lives = total == 3 or (total == 4 and kind is ALIVE)
                met = kind[3 * below + kind.index(symbol)]
                rules.on(f"down {above}", met, D, write="*" if lives else ".", to=f"down {count}")
        rules.on(f"down {above}", BLANK, R, to="next column")
    rules.on("next column", BLANK, U, to="enter column")
