"""Experts: the grid agents that do arithmetic as one does it on a blackboard, for every radix 2 to 36.

Each function is one table, state by state. The alphabets hold digits, the blank and one operator and,
but for sum's |, no marker symbols besides. Conventions: a run starts on the operator (increment: on the last
digit, sort and sum: on the first); motion S halts and comes last; the answer then stands alone on the grid.

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
from dfst.tasks.numbers import DIGITS, NumberTask
from dfst.world.grid import BLANK, D, L, R, U


def add(rules: RuleBook, task: NumberTask) -> None:
    """Row 0 is `aaa+bbb`: the sum grows inside a, b is eaten from the right.

    Row -1 holds a second operator under the digit of a that is next. A carry ripples at once, so no state
    needs to remember one; where it finds a blank it writes 0 and looks again, and so meets the 0 of an
    inner digit and that of a new one alike. The operator stays between a and b until b is used up; then the
    whole sum is walked over, a zero is put before it, and leading zeros are wiped out.
    """
    digits, radix = task.digits, task.radix
    rules.on("left", digits, L)
    rules.on("left", BLANK, U, write="0", to="take")
    rules.on("left", "+", L, to="mark")
    rules.on("mark", digits, D)
    rules.on("mark", BLANK, U, write="+", to="pad")
    rules.on("pad", digits, R, to="over_a")
    rules.on("pad", BLANK, R, write="0", to="over_a")
    rules.on("over_a", digits, R)
    rules.on("over_a", "+", R, to="over_b")
    rules.on("over_a", BLANK, L, to="left")
    rules.on("over_b", digits, R)
    rules.on("over_b", BLANK, L, to="take")
    for digit in digits:
        rules.on("take", digit, D, write=BLANK, to=f"(add,{digit})")
    rules.on("take", "+", D, write=BLANK, to="finish")
    rules.on("take", BLANK, D, to="trim")
    _add_digit(rules, radix, "+")
    rules.on("carry", BLANK, R, write="0", to="advance")
    rules.on("advance", tuple(DIGITS[: radix - 1]), L, to="carry")
    rules.on("advance", BLANK, R)
    rules.on("advance", "+", L, write=BLANK, to="mark")
    rules.on("finish", BLANK, L)
    rules.on("finish", "+", U, write=BLANK, to="over_a")
    trim_zeros(rules, digits)


def _add_digit(rules: RuleBook, radix: int, mark: str) -> None:
    """Bring a digit to the marked column and add it; a carry ripples at once, and then the head goes down."""
    for d in range(radix):
        state = f"(add,{DIGITS[d]})"
        for x in range(radix):
            if x + d < radix:
                rules.on(state, DIGITS[x], D, write=DIGITS[x + d], to="advance")
            else:
                rules.on(state, DIGITS[x], L, write=DIGITS[x + d - radix], to="carry")
        rules.on(state, BLANK, L)
        rules.on(state, mark, U)
    for x in range(radix - 1):
        rules.on("carry", DIGITS[x], D, write=DIGITS[x + 1], to="advance")
    rules.on("carry", DIGITS[radix - 1], L, write="0")


def trim_zeros(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Wipe out leading zeros, but not the only one, and halt."""
    rules.on("trim", "0", R, write=BLANK)
    rules.halt("trim", digits[1:])
    rules.halt("trim", BLANK, write="0")


def mult(rules: RuleBook, task: NumberTask) -> None:
    """Row 0 is `A×b`, and stays so: b is eaten from the left, and `A×` moves right over what is eaten.

    Row -1 holds P, a copy of A that becomes m·A in place; row -2 holds the sum of all of them. As b's first
    digit comes first, the sum so far stands one place higher each round, which is A's step to the right.
    P keeps a zero for every cell that A has left, so sums never outgrow it. The states (mult,m,k) hold the
    digit m and a carry k < m, or k = 0: R(R-1)/2 + 1 of them. The last walk, over the answer to its end,
    is the one that nothing hangs on.
    """
    digits, radix = task.digits, task.radix
    _copy(rules, digits)
    _shift(rules, digits)
    for m in range(radix):
        _times(rules, m, radix)
    rules.on("end_P", digits, R)
    rules.on("end_P", BLANK, L, to="(take,0)")
    _accumulate(rules, radix)
    rules.on("back", digits, R, write="0")
    rules.on("back", BLANK, U, to="look")
    rules.on("look", digits, R, to="peek")
    rules.on("peek", "×", R)
    rules.on("peek", digits, L, to="next")
    rules.on("peek", BLANK, L, to="wipe_A")
    _leave_only_the_sum(rules, digits)


def _copy(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """From A's last digit leftwards, each goes down to row -1; a zero is put before them."""
    rules.on("next", (*digits, "×"), L, to="copy")
    for x in digits:
        rules.on("copy", x, D, to=f"(copy,{x})")
        rules.on(f"(copy,{x})", ("0", BLANK), U, write=x, to="next")
    rules.on("copy", BLANK, D, to="zero")
    rules.on("zero", ("0", BLANK), R, write="0", to="rise")
    rules.on("rise", digits, U, to="lift")


def _shift(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """A and the operator move one cell right; b's first digit m, which makes room, goes down by (bring,m)."""
    for x in digits:
        rules.on("lift", x, R, write=BLANK, to=f"(shift,{x})")
    for d in digits:
        for x in digits:
            rules.on(f"(shift,{d})", x, R, write=d, to=f"(shift,{x})")
        rules.on(f"(shift,{d})", "×", R, write=d, to="take_m")
    for x in digits:
        rules.on("take_m", x, D, write="×", to=f"(bring,{x})")


def _times(rules: RuleBook, m: int, radix: int) -> None:
    """Bring the digit m to P's last digit and multiply P by it, the carry k in the state."""
    bring = f"(bring,{DIGITS[m]})"
    rules.on(bring, BLANK, L)
    for x in range(radix):
        carry, digit = divmod(m * x, radix)
        rules.on(bring, DIGITS[x], L, write=DIGITS[digit], to=f"(mult,{DIGITS[m]},{DIGITS[carry]})")
    for k in range(max(m, 1)):
        state = f"(mult,{DIGITS[m]},{DIGITS[k]})"
        for x in range(radix):
            carry, digit = divmod(m * x + k, radix)
            rules.on(state, DIGITS[x], L, write=DIGITS[digit], to=f"(mult,{DIGITS[m]},{DIGITS[carry]})")
    rules.on(f"(mult,{DIGITS[m]},0)", BLANK, R, to="end_P")


def _accumulate(rules: RuleBook, radix: int) -> None:
    """Add P into the sum below it, digit by digit, the carry in (take,k) and (up,k)."""
    for k in (0, 1):
        for x in range(radix):
            rules.on(f"(take,{k})", DIGITS[x], D, to=f"(add,{x + k})")
    rules.on("(take,0)", BLANK, R, to="back")
    for v in range(radix + 1):
        for x in range(radix):
            carry, digit = divmod(x + v, radix)
            rules.on(f"(add,{v})", DIGITS[x], U, write=DIGITS[digit], to=f"(up,{carry})")
        if v < radix:
            rules.on(f"(add,{v})", BLANK, U, write=DIGITS[v], to="(up,0)")
    for k in (0, 1):
        rules.on(f"(up,{k})", tuple(DIGITS[:radix]), L, to=f"(take,{k})")


def _leave_only_the_sum(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Wipe out `A×` leftwards; strike P out on the way to its end, and wipe that out too."""
    top = digits[-1]
    rules.on("wipe_A", (*digits, "×"), L, write=BLANK)
    rules.on("wipe_A", BLANK, D, to="strike_P")
    rules.on("strike_P", "0", R, write=top)
    rules.on("strike_P", BLANK, L, to="wipe_P")
    rules.on("wipe_P", ("0", top), L, write=BLANK)
    rules.on("wipe_P", BLANK, R, to="drop")
    rules.on("drop", BLANK, D)
    rules.on("drop", digits, L, to="first")
    rules.on("first", BLANK, R, write="0")
    rules.on("first", digits, L, to="trim")
    rules.on("trim", "0", R, write=BLANK)
    rules.on("trim", digits[1:], R, to="end")
    rules.on("trim", BLANK, R, write="0", to="end")
    rules.on("end", digits, R)
    rules.halt("end", BLANK)


def sub(rules: RuleBook, task: NumberTask) -> None:
    """add with a borrow. A sign left of a's digits says minus R^k for its column k; resolved at the end.

    For instance 1-3 in decimal: 1-3 = 8, borrow, so the row reads `-8`, which stands for -10 + 8; the
    last pass turns that into `-2`.
    """
    digits = _subtract(rules, task)
    rules.on("seek", BLANK, R, to="trim")
    rules.on("seek", "-", R, to="to_end")
    trim_zeros(rules, digits)
    rules.on("to_end", digits, R)
    rules.on("to_end", BLANK, L, to="negate")
    radix = task.radix
    rules.on("negate", "0", L)
    for x in range(1, radix):
        rules.on("negate", DIGITS[x], L, write=DIGITS[radix - x], to="complement")
    for x in range(radix):
        rules.on("complement", DIGITS[x], L, write=DIGITS[radix - 1 - x])
    rules.on("complement", "-", R, write=BLANK, to="trim_below_zero")
    rules.on("trim_below_zero", "0", R, write=BLANK)
    rules.on("trim_below_zero", digits[1:], L, to="put_sign")
    rules.halt("put_sign", BLANK, write="-")


def compare(rules: RuleBook, task: NumberTask) -> None:
    """sub, then the difference is wiped out but for its sign: -1, 0 or 1."""
    digits = _subtract(rules, task)
    rules.on("seek", BLANK, R, to="zero")
    rules.on("seek", "-", R, to="below")
    rules.on("zero", "0", R, write=BLANK)
    rules.on("zero", digits[1:], R, write=BLANK, to="above")
    rules.halt("zero", BLANK, write="0")
    rules.on("above", digits, R, write=BLANK)
    rules.halt("above", BLANK, write="1")
    rules.on("below", digits[-1], R, write="1", to="wipe")
    rules.on("wipe", digits, R, write=BLANK)
    rules.halt("wipe", BLANK)


def _subtract(rules: RuleBook, task: NumberTask) -> tuple[str, ...]:
    """The rules sub and compare share: up to `seek`, which walks left to the sign or the end."""
    digits, radix = task.digits, task.radix
    rules.on("start", "-", L, write=BLANK, to="mark")
    rules.on("mark", digits, D)
    rules.on("mark", BLANK, U, write="-", to="pad")
    rules.on("pad", digits, R, to="over_a")
    rules.on("pad", BLANK, R, write="0", to="over_a")
    rules.on("over_a", digits, R)
    rules.on("over_a", BLANK, R, to="over_b")
    rules.on("over_b", digits, R)
    rules.on("over_b", BLANK, L, to="take")
    for digit in digits:
        rules.on("take", digit, D, write=BLANK, to=f"(sub,{digit})")
    rules.on("take", BLANK, D, to="finish")
    rules.on("pad", "-", L, write=DIGITS[radix - 1], to="sign")
    rules.on("sign", BLANK, R, write="-", to="over_a")
    for d in range(radix):
        state = f"(sub,{DIGITS[d]})"
        for x in range(radix):
            if x >= d:
                rules.on(state, DIGITS[x], D, write=DIGITS[x - d], to="advance")
            else:
                rules.on(state, DIGITS[x], L, write=DIGITS[x - d + radix], to="borrow")
        rules.on(state, BLANK, L)
        rules.on(state, "-", U)
    rules.on("borrow", "0", L, write=DIGITS[radix - 1])
    for x in range(1, radix):
        rules.on("borrow", DIGITS[x], D, write=DIGITS[x - 1], to="advance")
    rules.on("borrow", BLANK, D, write="-", to="advance")
    rules.on("advance", BLANK, R)
    rules.on("advance", "-", L, write=BLANK, to="mark")
    rules.on("finish", BLANK, L)
    rules.on("finish", "-", U, write=BLANK, to="seek")
    rules.on("seek", digits, L)
    return digits


def increment(rules: RuleBook, task: NumberTask) -> None:
    """From the last digit leftwards: the highest digit becomes 0 and carries."""
    for x in range(task.radix - 1):
        rules.halt("increment", DIGITS[x], write=DIGITS[x + 1])
    rules.on("increment", DIGITS[task.radix - 1], L, write="0")
    rules.halt("increment", BLANK, write="1")


def gnome_sort(rules: RuleBook, digits: tuple[str, ...]) -> None:
    """Walk right while the digits ascend; swap a pair that does not and look left again.

    (at,d): the cell to the left holds d. (put,x): write x here, its larger neighbour is already in place.
    """
    for i, d in enumerate(digits):
        state = f"(at,{d})"
        for x in digits[i:]:
            rules.on(state, x, R, to=f"(at,{x})")
        for x in digits[:i]:
            rules.on(state, x, L, write=d, to=f"(put,{x})")
        rules.halt(state, BLANK)
    for i, x in enumerate(digits[:-1]):
        rules.on(f"(put,{x})", digits[i + 1 :], L, write=x, to="look")
    for y in digits:
        rules.on("look", y, R, to=f"(at,{y})")
    rules.on("look", BLANK, R, to=f"(at,{digits[0]})")


def total(rules: RuleBook, task: NumberTask) -> None:
    """Row 0 is `aaa+bbb+ccc`: the last number is eaten into the first, as add does it, until that is alone.

    Row -1 holds a | under the digit of a that is next. Two things are done for the learner, who may take for
    one what nothing tells apart. Whether a has a next digit is looked at before the mark is set, so `over`
    never stands where a zero could have been put. And the last walk ends above the zero it puts before the
    sum, in `take`, which thus reads a blank as well and cannot pass for a state that walks over blanks.
    """
    digits, radix = task.digits, task.radix
    rules.on("first", digits, R)
    rules.on("first", "+", L, to="look")
    rules.on("first", BLANK, L, to="left")
    rules.on("look", digits, D, to="mark")
    rules.on("look", BLANK, D, write="0", to="mark")
    rules.on("mark", BLANK, U, write="|", to="over")
    rules.on("over", (*digits, "+"), R)
    rules.on("over", BLANK, L, to="take")
    for digit in digits:
        rules.on("take", digit, D, write=BLANK, to=f"(add,{digit})")
    rules.on("take", "+", D, write=BLANK, to="finish")
    rules.on("take", BLANK, D, to="trim")
    _add_digit(rules, radix, "|")
    rules.on("carry", BLANK, D, write="1", to="advance")
    rules.on("advance", BLANK, R)
    rules.on("advance", "|", U, write=BLANK)
    rules.on("advance", digits, L, to="look")
    rules.on("finish", BLANK, L)
    rules.on("finish", "|", U, write=BLANK, to="first")
    rules.on("left", digits, L)
    rules.on("left", BLANK, U, write="0", to="take")
    trim_zeros(rules, digits)
