"""Experts on the plane: one cell of sight, no memory but the state, and a board to write on.

    flood 36 states, life 16, hanoi 37, longmult 38 at radix 2, 106 at radix 10 (maze.py 30, sudoku.py 49)

They are built to be learnt from. What is to be remembered stands on the board, each way ends at a landmark,
and no cell is read again whose symbol the agent could still remember: a learner would remember it, and know
nothing of the other symbols that might stand there. A state has rules for what it can meet on some board, and
no others: a rule that never fires can be shown by no example.
"""

from dfst.experts.arithmetic import plus, times
from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import ALIVE, DEAD


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


def life(rules: RuleBook, task: PlaneTask) -> None:
    """What lives is counted along rows, each to its end and back, and then along columns, up and down; the
    state is what the last cell counts.

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


def hanoi(rules: RuleBook, task: PlaneTask) -> None:
    """The smallest disk goes round the pegs, and between its moves the only other one is made.

    The smallest disk becomes > or <, the way it goes round: an even tower begins to the right. After it has
    moved, the agent goes down its peg, over the disks that lie there in order. The first that is elsewhere
    changes between the two other pegs. Where there is none, the tower is whole.
    """
    # Down and up again; whether the number of disks is even is remembered.
    rules.rows("""
        start       o D odd
        odd         o D even         λ U climb odd
        climb odd   o U              λ D first odd
        even        o D odd          λ U climb even
        climb even  o U              λ D first even
        first odd   o .R round <
        first even  o .R put > 2
    """)
    # The smallest: one peg on, and from the last one past the middle to the first; then down to the next row.
    for disk, (one, two, three), on, back in ((">", "123", "R", "L"), ("<", "321", "L", "R")):
        rules.rows(f"""
            up {one}          {disk} .{on} put {disk} {two}
            up {two}          {disk} .{on} put {disk} {three}
            up {three}        {disk} .{back} round {disk}
            round {disk}      . {back} put {disk} {one}
            put {disk} {one}    . {disk}D down {one}
            put {disk} {two}    . {disk}D down {two}
            put {disk} {three}  . {disk}D down {three}
        """)
    rules.rows("down &  o D", each="123")
    rules.rows("up &  o. U", each="123")
    # The other, seen from a side: it is in the middle or beyond, and changes between the two.
    for peg, way, back in (("1", "R", "L"), ("3", "L", "R")):
        rules.rows(f"""
            down {peg}    . {way} middle {peg}
            middle {peg}  o .{way} give {peg}      . o{way} take {peg}
            give {peg}    . o{back} given {peg}
            take {peg}    o .{back} taken {peg}
            given {peg}   . {back} up {peg}
            taken {peg}   o {back} up {peg}
        """)
    # Seen from the middle it is on the left or on the right, and changes sides.
    rules.rows("""
        down 2      . L left
        left        o .R give         . oR take
        give        . R give right
        give right  . oL up 2
        take        . R take right
        take right  o .L up 2
        down 3      λ U end
        end         o U               <> oS
    """)


def longmult(rules: RuleBook, task: PlaneTask) -> None:
    """Row 0 is `A×b`, and the working is left: A is copied row after row, each time one place further right.

    Row 1 becomes the line. Row k + 1 ends below digit k of b, which is brought down to it and multiplies it;
    the row above is added to it, and its leading zeros are wiped out.
    """
    n = task.letters[:-1]
    # A zero below the first digit of a row; then each digit goes down, and right to the first free cell.
    rules.rows(
        f"""
        start         {n} D corner
        corner        λ 0U copy
        copy          {n} D (put,$)
        (put,&)       {n} R              λ &U copy
        copy          × R first more     λ U copied
        copied        λ U                {n} R more
        first more    {n} L first return
        first return  × D down
        more          {n} L return       λ L seek ×
        return        {n} D down
        down          λ D                {n} L left
        left          {n} L              λ D below
        below         λ R corner
        """,
        each=n,
    )
    # The first copy becomes the line, from its end to its start and back to the first digit of b.
    rules.rows(f"""
        seek ×  {n} L    × D rule
        rule    {n} -L   λ R ruled
        ruled   - R      λ U next
    """)
    for m, digit in enumerate(n):
        rules.rows(f"""
            next            {digit} D (bring,{digit})
            (bring,{digit})   λ D
        """)
        times(rules, n, m)
        rules.rows(f"(mult,{digit},0)  λ U above")
    # The row above is added from its end, the carry in (take,k) and (up,k); not if it is the line.
    rules.rows(f"""
        above   λ R     - D trim       {n} R to end
        to end  {n} R   λ L (take,0)
    """)
    for k in (0, 1):
        for i, x in enumerate(n):
            rules.rows(f"(take,{k})  {x} D (add,{i + k})")
        rules.rows(f"(up,{k})  {n} L (take,{k})")
    plus(rules, n)
    # The sum has one digit more than the row above, at most. Leading zeros are wiped out, but not the only
    # one; then up to b for its next digit.
    rules.rows(f"""
        (take,1)  λ D carry
        carry     0 1U carried
        carried   λ L (take,0)
        (take,0)  λ D home
        home      {n} L           λ R trim
        trim      0 λR            {n[1:]} R end   λ L zero
        zero      λ 0U rise
        end       {n} R           λ L lift
        lift      {n} U rise
        rise      λ U             {n} R next
        next      λ S
    """)
