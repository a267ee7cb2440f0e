"""Experts for long division: div and mod, for every radix 2 to 36.

Row 0 is `a/b`. Row -1 holds the remainder r so far, under the operator and b, in zeros at first. Each round
brings a's next digit down to the end of r, which makes room for it, and takes b off r while r is not smaller.

    div  6R + 34 states     the quotient's digits take the places of a's; row 1 counts each of them
    mod  5R + 27            a is used up, r is left

By 0 the answer is `?`.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import NumberTask
from dfst.world.grid import U


def div(rules: RuleBook, task: NumberTask) -> None:
    """Where a digit of a was taken stands a second operator; above it the agent counts how often b is taken
    off, and then puts that digit of the quotient in its place."""
    n = task.digits
    _lay_out(rules, n, "/")
    rules.rows(f"take  {n} /R (bring,$)")
    _divide(rules, n, "/", "L to_count")
    rules.rows(
        f"""
        to_count    {n} L                      / U count
        to_counted  {n} L                      / U counted
        count       λ{n[1:-1]} {n[1:]}D again
        again       / R return
        return      {n} R                      / D rest
        less        {n} L                      / L to_counted
        counted     λ D (put,0)                {n[1:]} λD (put,$)
        (put,&)     / &R take
        take        / λR wipe_b
        wipe_b      {n} λR                     λ D turn
        turn        λ L wipe_r
        wipe_r      {n} λL                     λ U left
        left        {n} L                      λ R trim
        trim        0 λR                       {n[1:]} S             λ 0S
        """,
        each=n,
    )


def mod(rules: RuleBook, task: NumberTask) -> None:
    n = task.digits
    _lay_out(rules, n, "%")
    rules.rows(f"take  {n} λR (bring,$)")
    _divide(rules, n, "%", "D rest")
    rules.rows(f"""
        less    {n} L         % L home
        take    % λR wipe_b
        wipe_b  {n} λR        λ D turn
        turn    λ L left
        left    {n} L         λ R trim
        trim    0 λR          {n[1:]} S   λ 0S
    """)


def _lay_out(rules: RuleBook, n: str, sign: str) -> None:
    """See whether b is 0; put zeros under b and the operator; go to a's first digit.

    At b's first digit other than 0 the agent turns back: no other walk over b does, and so none is mixed up
    with this one, which alone knows that b may be 0. Then division is impossible.
    """
    rules.rows(f"""
        start       {n} R                  {sign} R zero
        zero        0 R                    {n[1:]} L not_zero
        not_zero    0 L                    {sign} R number
        number      {n} R                  λ L lay
        lay         {n}{sign} D put_zero
        put_zero    λ 0U laid
        laid        {n} L lay              {sign} L home
        home        {n} L                  λ R take
        zero        λ L impossible
        impossible  {n}{sign} λL           λ ?S
    """)


def _divide(rules: RuleBook, n: str, sign: str, then: str) -> None:
    """Bring a's digit down, and take b off r if r is not smaller; then leave the sign.

    r has a digit more than b, its top one, under the sign. Where that is not 0, b does not begin with 0
    either, since r is less than b times the radix; and once b was taken off, it is not the highest of all
    digits. Of the top digit only a borrow is taken, and only where it is at least 1.
    """
    for x in n:  # a's digit goes to b's end and down, and r's digits go left to make room for it
        rules.rows(f"""
            (bring,{x})  {n}{sign} R         λ L (down,{x})
            (down,{x})   {n} D (shift,{x})
            (shift,{x})  {n} {x}L (shift,$)
        """)
    rules.rows("(shift,0)  λ R top")
    _compare(rules, n, sign)
    rules.rows(f"""
        rest    0 U compare
        top     {n[1:]} U longer
        longer  {sign} R           {n[1:]} R greater
    """)
    rules.on("rest", n[1:-1], U, to="longer")
    _subtract(rules, n)
    rules.rows(f"""
        (take,0)  {sign} {then}
        (take,1)  {sign} D borrow
        borrow    {n[1:]} {n[:-1]}U (take,0)
    """)


def _compare(rules: RuleBook, n: str, sign: str) -> None:
    """From the highest digit on, the first that differs says which is greater, r or b."""
    rules.rows(f"""
        top      0 U compare
        compare  {sign} R
    """)
    for i, d in enumerate(n):
        rules.rows(f"""
            compare        {d} D (compare,$)
            (compare,{d})  {d} U equal
        """)
        rules.on(f"(compare,{d})", n[i + 1 :], U, to="greater")
        if i:
            rules.on(f"(compare,{d})", n[:i], U, to="less")
    rules.rows(f"""
        compare  λ L (take,0)
        equal    {n} R compare
        greater  {n} R           λ L (take,0)
    """)


def _subtract(rules: RuleBook, n: str) -> None:
    """Take b off r from the last digit on, the borrow in (take,k) and (up,k)."""
    for k in (0, 1):
        for d, x in enumerate(n):
            rules.rows(f"""
                (take,{k})  {x} D (minus,{d + k})
                (up,{k})    {x} L (take,{k})
            """)
    for v in range(len(n) + 1):
        rules.on(f"(minus,{v})", n[v:], U, write=n[: len(n) - v], to="(up,0)")
        rules.on(f"(minus,{v})", n[:v], U, write=n[len(n) - v :], to="(up,1)")
