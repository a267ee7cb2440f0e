"""Experts on the plane: one cell of sight, no memory but the state, and a board to write on.

    life 16 states, longmult 38 at radix 2, 106 at radix 10; in tables/: maze 44, flood 36, hanoi 37,
    sudoku 70

They are built to be learnt from. What is to be remembered stands on the board, each way ends at a landmark,
and no cell is read again whose symbol the agent could still remember: a learner would remember it, and know
nothing of the other symbols that might stand there. A state has rules for what it can meet on some board, and
no others: a rule that never fires can be shown by no example.
"""

from dfst.experts.arithmetic import plus, times
from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import ALIVE, DEAD


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
