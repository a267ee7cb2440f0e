"""Experts on the plane: one cell of sight, no memory but the state, and a board to write on.

    flood 36 states (maze.py 30, life.py 16, hanoi.py 37; longmult.py, sudoku.py)

They are built to be learnt from. What is to be remembered stands on the board, each way ends at a landmark,
and no cell is read again whose symbol the agent could still remember: a learner would remember it, and know
nothing of the other symbols that might stand there. A state has rules for what it can meet on some board, and
no others: a rule that never fires can be shown by no example.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask


def flood(rules: RuleBook, task: PlaneTask) -> None:
    """Each coloured cell colours its free neighbours and is done; sweeps end when one finds nothing to do."""
    # A mark left of each row, from the first down; then up again, and to the first row. There is a first row,
    # so nothing but a mark can be met at the bottom and at the top.
    rules.rows("""
        start      #.* L mark
        first      #.* L mark
        mark       λ |D enter
        enter      λ R first
        first      λ L foot
        foot       λ U last row
        last row   | U climb
        climb      | U            λ D first row
        first row  | R enter row
        lowest     | U top
    """)
    for flag, after, back in (("", "lowest", "#.@"), ("!", "last row", "#.@*")):
        rules.rows(f"""
            row{flag}        | R enter row{flag}    λ U {after}
            enter row{flag}  #.@ R sweep{flag}      * @U above
            sweep{flag}      #.@ R                  * @U above     λ L home{flag}
            home{flag}       {back} L               | D row{flag}
        """)
    # The way around a cell: above, left, below, right, over three of the corners, and on with the sweep.
    # Where the board ends, the agent knows it one cell later, so those are states of their own.
    rules.rows("""
        above left       #.*@ D left
        below left       #.*@ R below
        below right      #.*@ U right
        above            λ L top left
        top left         λ D left of top
        above left       | D margin
        margin           | D below margin
        left of top      | D below margin
        below margin     | R below             λ R bottom
        below left       λ R bottom
        bottom           λ R bottom right
        bottom right     λ U right of bottom
        right of bottom  λ L home!
        below right      λ U end
        end              λ L home!
        above            . *L above left       #*@ L above left
        left             . *D below left       #*@ D below left
        left of top      . *D below left       #*@ D below left
        below            . *R below right      #*@ R below right
        right            . *R sweep!           #*@ R sweep!
        right of bottom  . *R sweep!           #*@ R sweep!
        top              | U                   λ D unmark
        unmark           | λR clean            λ S
        clean            #. R                  @ *R                λ L return
        return           #.* L                 λ D unmark
    """)
