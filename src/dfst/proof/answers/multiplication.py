"""Why mult writes a·b.

Row 0 holds A and what b still has, row -1 holds P, row -2 the sum S. Between rounds S·R^b + A·b is kept, R^b
meaning R to the number of b's digits. In a round b's first digit m is taken, and what is kept becomes
(R·S + m·A)·R^b + A·b with the shorter b. P becomes a copy of A, then m·A, and is at last added to the sum;
digit by digit, each of these is the same number written otherwise. That S never outgrows its columns is a
bound, S + A + 1 ≤ R^columns in every round: a carry out of the last column would break it.

The columns that P and S fill are a *lane*. In the first round S is still blank there, later it lacks the last
column only, which is A's first or a later one: that makes three kinds of lanes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dfst.machines.agent import Agent
from dfst.proof.answers.notation import Number, ShapeBook, length, value, weight
from dfst.tasks.numbers import DIGITS, NumberTask


@dataclass(frozen=True)
class Stretch:
    """Columns of a lane that are alike, one or (name with *) any number, and what their rows hold."""

    name: str
    top: str
    middle: str
    sum: str

    @property
    def column(self) -> str:
        return f"{self.top}/{self.middle}/{self.sum}"


Lane = tuple[Stretch, ...]
Position = tuple[Lane, Stretch, Lane]
"""The stretches left of the head, the head's column, and the stretches right of it."""


def _lane(text: str) -> Lane:
    return tuple(Stretch(*part.replace(":", "/").split("/")) for part in text.split())


FIRST = _lane("s:_/0/_ f:_/D/_ e*:D/D/_")
ONE_DIGIT = _lane("z*:_/0/D s:_/0/D f:_/D/_")
MORE_DIGITS = _lane("z*:_/0/D s:_/0/D f:_/D/D e*:D/D/D x:D/D/_")
LANES = (FIRST, ONE_DIGIT, MORE_DIGITS)
SUMMED = _lane("z*:_/0/D f:_/0/D e*:D/0/D")  # any lane between two rounds: P is wiped out to zeros
TAIL = "l:D o:× b:D*"  # what follows a lane once m is taken: A's last digit, the operator, the rest of b


def _filled(lane: Lane) -> Lane:
    """The lane when P may hold any digits."""
    return tuple(replace(part, middle="D") for part in lane)


def _summed(lane: Lane) -> Lane:
    """The lane when the sum has been added there."""
    return tuple(replace(part, sum="D") for part in lane)


def _write(lane: Lane) -> str:
    return " ".join(f"{part.name.rstrip('*')}:{part.column}{'*' * part.name.count('*')}" for part in lane)


def _names(lane: Lane) -> str:
    return " ".join(part.name.rstrip("*") for part in lane)


def _positions(lane: Lane) -> Iterator[Position]:
    """The head on each of a lane's columns; inside a stretch, what is right of it gets a name of its own."""
    for i, part in enumerate(lane):
        many = part.name.endswith("*")
        beyond = (replace(part, name=f"{part.name[0]}2*"),) if many else ()
        yield lane[: i + many], part, beyond + lane[i + 1 :]


def mult(machine: Agent, task: NumberTask) -> ShapeBook:
    book = ShapeBook(machine, task.radix, (-2, 0))
    _copy(book)
    _shift(book)
    for m in range(task.radix):
        _multiply(book, m)
    _accumulate(book)
    _next_round(book)
    _leave_only_the_sum(book)
    return book


def _before(
    book: ShapeBook, state: str, row: int, grid: tuple[str, str, str], lane: str, mix: Number, a: Number,
    rank: list[Number | int], columns: Number | None = None,
) -> None:  # fmt: skip
    """A shape before m, here called y, is taken. `mix` is A, the digits that were copied read off P."""
    total = value(lane, -2)
    kept = (total + mix * value("y")) * weight("b") + a * value("b")
    room = (columns or weight(lane)) - a - (book.radix - 1) * mix - total - book.radix
    book.shape(state, row, *grid, kept, [length("b") + 1, *rank], room * weight("b"))


def _after(
    book: ShapeBook, state: str, row: int, grid: tuple[str, str, str], lane: str, total: Number,
    rank: list[Number | int], last: str = "l",
) -> None:  # fmt: skip
    """A shape after m is taken: the sum of this round will be `total`, and the lane has room for it."""
    a = value(f"{lane} {last}")
    room = weight(lane) - a - total - 1
    book.shape(state, row, *grid, total * weight("b") + a * value("b"), [length("b"), *rank],
               room * weight("b"))  # fmt: skip


def _copy(book: ShapeBook) -> None:
    """A is a, h and what is right of it; c and x have been copied."""
    tail, far = "o:× y:D b:D*", 3 * length("a")
    for lane, left, old, new in (("", "", "D", "D/D"), ("z s", "z:_/0/D* s:_/0/D", "D/0/D", "D/D/D")):
        todo = f"{left} a:{old}*"
        extra = {} if lane else {"columns": weight("a x") * book.radix}
        a = value("a x")
        _before(
            book, "next", 0, (f"{todo} x:D", "×", "y:D b:D*"), f"{lane} a x", a, a, [13, far + 4], **extra
        )
        copied = f"c:{new}* x:D/D {tail}"
        for head, right, names, done in ((old, copied, "c x", new), ("D", tail, "", "D/D")):
            extra = {} if lane else {"columns": weight(f"a h {names}") * book.radix}
            a, columns = value(f"a h {names}"), f"{lane} a h {names}"
            mix = value("a h") * weight(names) + value(names, -1)
            _before(book, "copy", 0, (todo, head, right), columns, mix, a, [13, far + 3], **extra)
            for digit in DIGITS[: book.radix]:
                grid = (todo, digit + head[1:], right)
                _before(book, f"(copy,{digit})", -1, grid, columns, mix, a, [13, far + 2], **extra)
            mix = value("a") * weight(f"h {names}") + value(f"h {names}", -1)
            _before(book, "next", 0, (todo, done, right), columns, mix, a, [13, far + 1], **extra)
        grid = ("z:_/0/D*", "_/0/D", copied) if lane else ("", "_", copied)
        for state, row, phase in (("copy", 0, 13), ("zero", -1, 12)):
            columns = "z h c x" if lane else "h c x"
            _before(book, state, row, grid, columns, value("c x", -1), value("c x"), [phase, 0])


def _shift(book: ShapeBook) -> None:
    """e holds A's digits that have moved, h, c and x those that have not; one is in the state."""
    for lane, left, cell in (("s", "s:_/0", "_"), ("z s", "z:_/0/D* s:_/0/D", "D")):
        tail = "o:× y:D b:D*"
        ahead = ((f"D/D/{cell}", f"c:D/D/{cell}* x:D/D {tail}", "c x"), ("D/D", tail, ""))
        for head, right, names in ahead:
            a, copy = value(f"h {names}"), value(f"h {names}", -1)
            for state, row, phase in (("rise", -1, 11), ("lift", 0, 10)):
                _before(book, state, row, (left, head, right), f"{lane} h {names}", copy, a, [phase, 0])
        moved = f"{left} f:_/D/{cell} e:D/D/{cell}*"
        for d in range(book.radix):
            state, radix = f"(shift,{DIGITS[d]})", book.radix
            for head, right, names in ahead:
                a = (value("e") * radix + d) * weight(f"h {names}") + value(f"h {names}")
                grid, lower = (moved, head, right), f"f e h {names}"
                rank: list[Number | int] = [9, length(names) + 1]
                _before(book, state, 0, grid, f"{lane} {lower}", value(lower, -1), a, rank)
            for grid_left, names in ((f"{moved} x:D/D", "f e x"), (f"{left} f:_/D", "f")):
                a = value(names) * radix + d
                grid = (grid_left, "×", "y:D b:D*")
                _before(book, state, 0, grid, f"{lane} {names}", value(names, -1), a, [9, 0])
    for columns in LANES:
        names = _names(columns)
        grid, product = (f"{_write(columns)} l:D", "D", "b:D*"), value(names, -1) * value("h")
        a, total = value(f"{names} l"), value(names, -2)
        room = weight(names) - a - (book.radix - 1) * value(names, -1) - total - book.radix
        kept = (total + product) * weight("b") + a * value("b")
        book.shape("take_m", 0, *grid, kept, [length("b") + 1, 8, 0], room * weight("b"))


def _multiply(book: ShapeBook, m: int) -> None:
    """What is right of the head is multiplied, what is left of it is not."""
    bring = f"(bring,{DIGITS[m]})"
    for lane in LANES:
        names = _names(lane)
        total = value(names, -2) + m * value(names, -1)
        _after(book, bring, -1, (f"{_write(lane)} l:D", "×", "b:D*"), names, total, [20, 2])
        _after(book, bring, -1, (_write(lane), "D", "o:× b:D*"), names, total, [20, 1], last="h")
        for left, head, right in _positions(lane):
            before, after = _names(left), _names(right)
            names = f"{before} h {after}"
            done = f"{_write(_filled(right))} {TAIL}"
            last = all(part.name.endswith("*") for part in right)
            if last:
                total = value(f"{before} h", -2) + m * value(f"{before} h", -1)
                _after(book, bring, -1, (_write(left), head.column, TAIL), f"{before} h", total, [20, 0])
            for k in range(max(m, 1)):
                product = (m * value(f"{before} h", -1) + k) * weight(after) + value(after, -1)
                grid = (_write(left), head.column, done)
                state = f"(mult,{DIGITS[m]},{DIGITS[k]})"
                _after(book, state, -1, grid, names, value(names, -2) + product, [19, length(before) + 1])
        names = _names(lane)
        grid, total = ("", "_", f"{_write(_filled(lane))} {TAIL}"), value(names, -2) + value(names, -1)
        _after(book, f"(mult,{DIGITS[m]},0)", -1, grid, names, total, [19, 0])


def _accumulate(book: ShapeBook) -> None:
    """What is right of the head has been added to the sum. A carry comes out of digits only."""
    for lane in map(_filled, LANES):
        for left, head, right in _positions(lane):
            before, after = _names(left), _names(right)
            names = f"{before} h {after}"
            total, columns = value(names, -2) + value(names, -1), (_write(left), head.column)
            grid = (*columns, f"{_write(right)} {TAIL}")
            _after(book, "end_P", -1, grid, names, total, [18, length(after) + 1])
            done = f"{_write(_summed(right))} {TAIL}"
            far, carries = 3 * length(before), (0, 1) if head.sum == "D" else (0,)
            for k in carries:
                total = (value(f"{before} h", -2) + value(f"{before} h", -1) + k) * weight(after) + value(
                    after, -2
                )
                _after(book, f"(take,{k})", -1, (*columns, done), names, total, [17, far + 3])
                high = value(before, -2) + value(before, -1) + k
                total = high * weight(f"h {after}") + value(f"h {after}", -2)
                grid = (_write(left), replace(head, sum="D").column, done)
                _after(book, f"(up,{k})", -1, grid, names, total, [17, far + 1])
            for v in range(book.radix + (head.sum == "D")):
                low = value(before, -1) * book.radix + v
                total = (value(f"{before} h", -2) + low) * weight(after) + value(after, -2)
                _after(book, f"(add,{v})", -2, (*columns, done), names, total, [17, far + 2])
        names = _names(lane)
        grid, total = (_write(lane), "D", "o:× b:D*"), value(names, -2) + value(names, -1)
        _after(book, "end_P", -1, grid, names, total, [18, 0], last="h")
    names, done = _names(SUMMED), f"{_write(_filled(SUMMED))} {TAIL}"
    for k in (0, 1):
        total = k * weight(names) + value(names, -2)
        _after(book, f"(take,{k})", -1, ("", "_", done), names, total, [17, 0])


def _next_round(book: ShapeBook) -> None:
    """P is wiped out to zeros, and the next digit of b looked for."""
    for left, head, right in _positions(SUMMED):
        names = f"{_names(left)} h {_names(right)}"
        ahead = f"{_write(_filled(right))} {TAIL}"
        grid = (_write(left), replace(head, middle="D").column, ahead)
        _after(book, "back", -1, grid, names, value(names, -2), [16, length(_names(right)) + 1])
    names, done = _names(SUMMED), _write(SUMMED)
    total = value(names, -2)
    for state, row, phase in (("back", -1, 16), ("look", 0, 15)):
        _after(book, state, row, (done, "D", "o:× b:D*"), names, total, [phase, 0], last="h")
    _after(book, "peek", 0, (f"{done} l:D", "×", "b:D*"), names, total, [14, 1])
    a = value(f"{names} l")
    kept = total * weight("h b") + a * value("h b")
    room = (weight(names) - a - total - 1) * weight("h b")
    book.shape("peek", 0, f"{done} l:D o:×", "D", "b:D*", kept, [length("b") + 1, 14, 0], room)
    book.shape("peek", 0, f"{done} l:D o:×", "_", "", total, [0, 14, 0])


def _leave_only_the_sum(book: ShapeBook) -> None:
    """A and P are wiped out; then leading zeros are."""
    done, names = _write(SUMMED), _names(SUMMED)
    total = value(names, -2)
    book.shape("wipe_A", 0, f"{done} l:D", "×", "", total, [0, 7, length("e") + 3])
    book.shape("wipe_A", 0, done, "D", "", total, [0, 7, length("e") + 2])
    wiped, rest = value("z f e h w", -2), "w:_/0/D*"
    book.shape("wipe_A", 0, done, "D/0/D", rest, wiped, [0, 7, length("e") + 2])
    book.shape("wipe_A", 0, "z:_/0/D*", "_/0/D", rest, value("z h w", -2), [0, 7, 0])
    struck = "z:_/0/D* r:_/H/D*"
    book.shape("strike_P", -1, struck, "_/0/D", rest, value("z r h w", -2), [0, 6, length("w") + 1])
    book.shape("strike_P", -1, f"{struck} t:_/H/D", "_", "", value("z r t", -2), [0, 6, 0])
    rest = "w:_/_/D*"
    book.shape("wipe_P", -1, struck, "_/H/D", rest, value("z r h w", -2), [0, 5, length("z r") + 1])
    book.shape("wipe_P", -1, "z:_/0/D*", "_/0/D", rest, value("z h w", -2), [0, 5, length("z") + 1])
    book.shape("wipe_P", -1, "", "_", "t:_/_/D w:_/_/D*", value("t w", -2), [0, 5, 0])
    for row in (-1, -2):
        book.shape("drop", row, "", "_/_/D", rest, value("h w", -2), [0, 4, row + 2])
    book.shape("first", -2, "", "_", "t:_/_/D w:_/_/D*", value("t w", -2), [0, 3, 1])
    book.shape("first", -2, "t:_/_/0", "_/_/D", rest, value("h w", -2), [0, 3, 0])
    book.shape("trim", -2, "", "_/_/D", rest, value("h w", -2), [0, 2, length("w") + 1])
    book.shape("trim", -2, "", "_", "", value(""), [0, 2, 0])
    book.shape("end", -2, "t:_/_/N r:_/_/D*", "_/_/D", rest, value("t r h w", -2), [0, 1, length("w") + 1])
    book.shape("end", -2, "t:_/_/N r:_/_/D*", "_", "", value("t r", -2), [0, 1, 0])
    book.shape("end", -2, "t:_/_/0", "_", "", value(""), [0, 1, 0])
