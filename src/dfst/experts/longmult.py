"""Long multiplication on squared paper: 38 states at radix 2, 106 at radix 10.

The experts of arithmetic.py wipe out all but the answer; this one leaves its working.
"""

from dfst.experts.arithmetic import plus, times
from dfst.machines.rulebook import RuleBook
from dfst.tasks.plane import PlaneTask


def longmult(rules: RuleBook, task: PlaneTask) -> None:
    """Row 0 is `A×b`. Below, A is copied row after row, each time one place further to the right.

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
