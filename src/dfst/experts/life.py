"""One generation of life in 16 states: what lives is counted along rows, and then along columns."""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import ALIVE, DEAD


def life(rules: RuleBook, task: PlaneTask) -> None:
    """Each row to its end and back, then each column up and down; the state is what the last cell counts.

    To the right, a cell learns whether its left neighbour lives, and back, whether its right one does: so it
    counts itself and both. Upwards it learns what the cell below counts. Downwards it meets what the cell
    above counts; three in all give birth, and with four a live cell stays alive.
    """
    rules.rows("""
        enter     . R right 0     * R right 1    λ U up 0
        right 0   . R right 0     * R right 1    λ L left 0
        right 1   . aR right 0    * AR right 1   λ L left 0
        left 0    .a L left 0     *A L left 1    λ D next row
        left 1    .a abL left 0   *A ABL left 1  λ D next row
        next row  λ R enter
    """)
    cells = [(kind[h], kind, h + (kind is ALIVE)) for kind in (DEAD, ALIVE) for h in range(3)]
    for state, below in (("enter column", 0), *((f"up {k}", k) for k in range(4))):
        for symbol, kind, count in cells:
            rules.rows(f"{state}  {symbol} {kind[3 * below + kind.index(symbol)]}U up {count}")
    rules.rows("enter column  λ S")
    rules.rows("up &  λ D down 0", each="0123")
    for above in range(4):
        for symbol, kind, count in cells:
            for below in range(4):
                total = above + count + below
                lives = total == 3 or (total == 4 and kind is ALIVE)
                met = kind[3 * below + kind.index(symbol)]
                rules.rows(f"down {above}  {met} {'*' if lives else '.'}D down {count}")
        rules.rows(f"down {above}  λ R next column")
    rules.rows("next column  λ U enter column")
