"""Experts: the grid agents that do arithmetic as one does it on a blackboard, for every radix 2 to 36.

Each function is one table, state by state (`RuleBook.rows`). The alphabets hold digits, the blank and one
operator and, but for sum's |, no marker symbols besides. Conventions: n are the digits; a run starts on the
operator (increment: on the last digit, sort and sum: on the first); the answer then stands alone on the grid.

    add      R + 10 states           2n² + 15n + 18 steps for two n-digit numbers, at most
    mult     R(R-1)/2 + 4R + 23      13n² + 24n + 11
    sub      R + 17                  the plan of add, with a borrow and a sign
    compare  R + 15                  sub, then all but the sign is wiped out
    increment 1, sort 2R             one row, no second thought
    sum      R + 10                  the plan of add, again and again

add and mult are built to be learnt from (docs/concepts/teaching.md says how that was found out):
  - no two states could be taken for one: any two of them answer some symbol, or what follows, differently;
  - the smallest examples show every rule, whatever else is drawn;
  - a loop is left by the same symbol after no round, one round and several;
  - nothing that is walked over changes its length unseen: mult never crosses a gap of blanks.
"""

from dfst.machines.rulebook import RuleBook
from dfst.tasks.numbers import NumberTask
from dfst.tasks.task import Task
from dfst.world.grid import BLANK, D, L, R, U


def add(rules: RuleBook, task: NumberTask) -> None:
    """Row 0 is `aaa+bbb`: the sum grows inside a, b is eaten from the right.

    Row -1 holds a second operator under the digit of a that is next. A carry ripples at once, so no state
    needs to remember one; where it finds a blank it writes 0 and looks again, and so meets the 0 of an
    inner digit and that of a new one alike. The operator stays between a and b until b is used up; then the
    whole sum is walked over, a zero is put before it, and leading zeros are wiped out.
    """
    n = task.digits
    rules.rows(f"""
        left    {n} L            λ 0U take     + L mark
        mark    {n} D            λ +U pad
        pad     {n} R over_a     λ 0R over_a
        over_a  {n} R            + R over_b    λ L left
        over_b  {n} R            λ L take
        take    {n} λD (add,$)   + λD finish   λ D trim
    """)
    _add_digit(rules, n, "+")
    rules.rows(f"""
        carry    λ 0R advance
        advance  {n[:-1]} L carry   λ R           + λL mark
        finish   λ L                + λU over_a
        trim     0 λR               {n[1:]} S     λ 0S
    """)


def _add_digit(rules: RuleBook, n: str, mark: str) -> None:
    """Bring a digit to the marked column and add it; a carry ripples at once, and then the head goes down."""
    for i, d in enumerate(n):
        rules.on(f"(add,{d})", n[: len(n) - i], D, write=n[i:], to="advance")
        rules.on(f"(add,{d})", n[len(n) - i :], L, write=n[:i], to="carry")
        rules.rows(f"(add,{d})  λ L  {mark} U")
    rules.rows(f"carry  {n[:-1]} {n[1:]}D advance  {n[-1]} 0L")


def mult(rules: RuleBook, task: NumberTask) -> None:
    """Row 0 is `A×b`, and stays so: b is eaten from the left, and `A×` moves right over what is eaten.

    Row -1 holds P, a copy of A that becomes m·A in place; row -2 holds the sum of all of them. As b's first
    digit comes first, the sum so far stands one place higher each round, which is A's step to the right.
    P keeps a zero for every cell that A has left, so sums never outgrow it. The states (mult,m,k) hold the
    digit m and a carry k < m, or k = 0: R(R-1)/2 + 1 of them. The last walk, over the answer to its end,
    is the one that nothing hangs on.
    """
    n, top = task.digits, task.digits[-1]
    # A goes down to row -1 from its last digit on, a zero before it; then A and the operator go right, and
    # b's first digit m, which makes room, goes down to P's last digit.
    rules.rows(
        f"""
        next       {n}× L copy
        copy       {n} D (copy,$)
        (copy,&)   0λ &U next
        copy       λ D zero
        zero       0λ 0R rise
        rise       {n} U lift
        lift       {n} λR (shift,$)
        (shift,&)  {n} &R (shift,$)   × &R take_m
        take_m     {n} ×D (bring,$)
        """,
        each=n,
    )
    for m in range(len(n)):
        rules.rows(f"(bring,{n[m]})  λ L")
        times(rules, n, m)
        rules.rows(f"(mult,{n[m]},0)  λ R end_P")
    # P is added into the sum below it, digit by digit, the carry in (take,k) and (up,k).
    rules.rows(f"end_P  {n} R  λ L (take,0)")
    for k in (0, 1):
        for i, x in enumerate(n):
            rules.rows(f"(take,{k})  {x} D (add,{i + k})")
    rules.rows("(take,0)  λ R back")
    for v, x in enumerate(n):
        rules.rows(f"(add,{v})  λ {x}U (up,0)")
    plus(rules, n)
    # At the end all but the sum is wiped out: `A×` leftwards, then P, which is struck out on the way.
    rules.rows(f"""
        (up,0)    {n} L (take,0)
        (up,1)    {n} L (take,1)
        back      {n} 0R           λ U look
        look      {n} R peek
        peek      × R              {n} L next        λ L wipe_A
        wipe_A    {n}× λL          λ D strike_P
        strike_P  0 {top}R         λ L wipe_P
        wipe_P    0{top} λL        λ R drop
        drop      λ D              {n} L first
        first     λ 0R             {n} L trim
        trim      0 λR             {n[1:]} R end     λ 0R end
        end       {n} R            λ S
    """)


def times(rules: RuleBook, n: str, m: int) -> None:
    """Multiply by the digit m, which (bring,m) brings, the carry k in (mult,m,k)."""
    for state, k in ((f"(bring,{n[m]})", 0), *((f"(mult,{n[m]},{n[k]})", k) for k in range(max(m, 1)))):
        for i, x in enumerate(n):
            carry, digit = divmod(m * i + k, len(n))
            rules.rows(f"{state}  {x} {n[digit]}L (mult,{n[m]},{n[carry]})")


def plus(rules: RuleBook, n: str) -> None:
    """Add v, a digit and a carry, and go up."""
    for v in range(len(n) + 1):
        rules.on(f"(add,{v})", n[: len(n) - v], U, write=n[v:], to="(up,0)")
        rules.on(f"(add,{v})", n[len(n) - v :], U, write=n[:v], to="(up,1)")


def sub(rules: RuleBook, task: NumberTask) -> None:
    """add with a borrow. A sign left of a's digits says minus R^k for its column k; resolved at the end.

    For instance 1-3 in decimal: 1-3 = 8, borrow, so the row reads `-8`, which stands for -10 + 8; the
    last pass turns that into `-2`.
    """
    n = task.digits
    _subtract(rules, n)
    rules.rows(f"""
        seek             λ R trim      - R to_end
        trim             0 λR          {n[1:]} S                    λ 0S
        to_end           {n} R         λ L negate
        negate           0 L           {n[1:]} {n[:0:-1]}L complement
        complement       {n} {n[::-1]}L   - λR trim_below_zero
        trim_below_zero  0 λR          {n[1:]} L put_sign
        put_sign         λ -S
    """)


def compare(rules: RuleBook, task: NumberTask) -> None:
    """sub, then the difference is wiped out but for its sign: -1, 0 or 1."""
    n = task.digits
    _subtract(rules, n)
    rules.rows(f"""
        seek   λ R zero         - R below
        zero   0 λR             {n[1:]} λR above   λ 0S
        above  {n} λR           λ 1S
        below  {n[-1]} 1R wipe
        wipe   {n} λR           λ S
    """)


def _subtract(rules: RuleBook, n: str) -> None:
    """The rules sub and compare share: up to `seek`, which walks left to the sign or the end."""
    rules.rows(f"""
        start   - λL mark
        mark    {n} D            λ -U pad
        pad     {n} R over_a     λ 0R over_a
        over_a  {n} R            λ R over_b
        over_b  {n} R            λ L take
        take    {n} λD (sub,$)   λ D finish
        pad     - {n[-1]}L sign
        sign    λ -R over_a
    """)
    for i, d in enumerate(n):
        rules.on(f"(sub,{d})", n[i:], D, write=n[: len(n) - i], to="advance")
        rules.on(f"(sub,{d})", n[:i], L, write=n[len(n) - i :], to="borrow")
        rules.rows(f"(sub,{d})  λ L  - U")
    rules.rows(f"""
        borrow   0 {n[-1]}L   {n[1:]} {n[:-1]}D advance   λ -D advance
        advance  λ R          - λL mark
        finish   λ L          - λU seek
        seek     {n} L
    """)


def increment(rules: RuleBook, task: NumberTask) -> None:
    """From the last digit leftwards: the highest digit becomes 0 and carries."""
    n = task.digits
    rules.rows(f"increment  {n[:-1]} {n[1:]}S  {n[-1]} 0L  λ 1S")


def sort(rules: RuleBook, task: Task) -> None:
    """Walk right while the digits ascend; swap a pair that does not and look left again.

    (at,d): the cell to the left holds d. (put,x): write x here, its larger neighbour is already in place.
    """
    n = "".join(task.alphabet).partition(BLANK)[0]
    for i, d in enumerate(n):
        rules.on(f"(at,{d})", n[i:], R, to="(at,$)")
        rules.on(f"(at,{d})", n[:i], L, write=d, to="(put,$)")
        rules.rows(f"(at,{d})  λ S")
    for i, x in enumerate(n[:-1], 1):
        rules.rows(f"(put,{x})  {n[i:]} {x}L look")
    rules.rows(f"look  {n} R (at,$)  λ R (at,{n[0]})")


def total(rules: RuleBook, task: NumberTask) -> None:
    """Row 0 is `aaa+bbb+ccc`: the last number is eaten into the first, as add does it, until that is alone.

    Row -1 holds a | under the digit of a that is next. Two things are done for the learner, who may take for
    one what nothing tells apart. Whether a has a next digit is looked at before the mark is set, so `over`
    never stands where a zero could have been put. And the last walk ends above the zero it puts before the
    sum, in `take`, which thus reads a blank as well and cannot pass for a state that walks over blanks.
    """
    n = task.digits
    rules.rows(f"""
        first  {n} R            + L look      λ L left
        look   {n} D mark       λ 0D mark
        mark   λ |U over
        over   {n}+ R           λ L take
        take   {n} λD (add,$)   + λD finish   λ D trim
    """)
    _add_digit(rules, n, "|")
    rules.rows(f"""
        carry    λ 1D advance
        advance  λ R             | λU            {n} L look
        finish   λ L             | λU first
        left     {n} L           λ 0U take
        trim     0 λR            {n[1:]} S       λ 0S
    """)
