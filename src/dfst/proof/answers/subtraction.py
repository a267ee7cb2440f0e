"""Why sub writes a - b, and compare its sign.

As in add, u and v are the digits of a left and right of the marked column, h or m, and b those that b still
has. What is kept is a - R^v·b, where a sign s before a's digits counts minus R to the number of these digits.

Digits behind a sign are never all zeros: the borrow that brings the sign on leaves a digit other than zero in
the marked column, and what is right of the mark does not change. That is the bound; it excludes what there is
no rule for. From there on all columns from the mark leftwards hold the highest digit, which the borrow left
behind or a pad put there; so a sign is never borrowed from.
"""

from dfst.machines.agent import Agent
from dfst.proof.answers.notation import Number, ShapeBook, length, value, weight
from dfst.tasks.numbers import DIGITS, NumberTask

BEHIND = "v:D* g:_ b:D*"  # what is right of the mark: the rest of a, the gap where the operator was, and b


def sub(machine: Agent, task: NumberTask) -> ShapeBook:
    book = _subtract(machine, task)
    book.shape("trim", 0, "", "D", "v:D*", value("h v"), [0, 2, length("v") + 1])
    book.shape("trim", 0, "", "_", "", value(""), [0, 2, 0])
    _negate(book)
    return book


def compare(machine: Agent, task: NumberTask) -> ShapeBook:
    book = _subtract(machine, task)
    book.shape("zero", 0, "", "D", "v:D*", value("h v"), [0, 2, length("v") + 1])
    book.shape("zero", 0, "", "_", "", value(""), [0, 2, 0])
    book.shape("below", 0, "s:-", "H", "v:D*", value("") - 1, [0, 2, 0])
    for state, left, sign in (("above", "", 1), ("wipe", "s:- o:1 e:_*", -1)):
        book.shape(state, 0, left, "D", "v:D*", value("") + sign, [0, 1, length("v") + 1])
        book.shape(state, 0, left, "_", "", value("") + sign, [0, 1, 0])
    return book


def _subtract(machine: Agent, task: NumberTask) -> ShapeBook:
    book = ShapeBook(machine, task.radix, (-1, 0))
    book.shape("start", 0, "u:D* x:D", "-", "b:D*", value("u x") - value("b"), [length("b"), 11, 0])
    book.shape("mark", 0, "u:D*", "D", "g:_ b:D*", value("u h") - value("b"), [length("b"), 10, 2])
    for signed in (False, True):
        _fetch(book, signed)
        for digit in range(task.radix):
            _bring(book, signed, digit)
        _advance(book, signed)
        _finish(book, signed)
    _borrow(book)
    return book


def _a(digits: str, signed: bool) -> Number:
    """These are all of a's digits, and whether a sign is before them."""
    return value(digits) - (weight(digits) if signed else 0)


def _top(signed: bool) -> str:
    """What a column may hold from which nothing was taken yet: behind a sign, the highest digit."""
    return "H" if signed else "D"


def _behind(digits: str, signed: bool) -> Number | int:
    """Behind a sign, these digits are not all zero."""
    return value(digits) - 1 if signed else 0


def _fetch(book: ShapeBook, signed: bool) -> None:
    """From the mark's old place to b's last digit."""
    left, sign, top = length("b"), "s:- " * signed, _top(signed)
    debt, held = weight("v") * value("b"), _behind("v", signed)
    for state, row, below, phase in (("mark", -1, "", 10), ("pad", 0, "/-", 9)):
        book.shape(state, row, f"{sign}u:{top}*", f"{top}{below}", BEHIND, _a("u h v", signed) - debt,
                   [left, phase, 0], held)  # fmt: skip
        end = "-" if signed else "_"
        book.shape(state, row, "", end + below, BEHIND, _a("v", signed) - debt, [left, phase, 0], held)
    if signed:
        book.shape("sign", 0, "", "_", f"m:H/- {BEHIND}", _a("m v", True) - debt, [left, 8, 0], held)
        book.shape("over_a", 0, "s:-", "H/-", BEHIND, _a("h v", True) - debt, [left, 7, length("v") + 2],
                   held)  # fmt: skip
    marked = f"{sign}u:{top}* m:{top}/-"
    book.shape("over_a", 0, f"{marked} p:D*", "D", "q:D* g:_ b:D*",
               _a("u m p h q", signed) - weight("p h q") * value("b"), [left, 7, length("q") + 1],
               _behind("p h q", signed))  # fmt: skip
    a = _a("u m v", signed)
    book.shape("over_a", 0, f"{marked} v:D*", "_", "b:D*", a - debt, [left, 7, 0], held)
    before, shift = f"{marked} v:D* g:_ p:D*", weight("v")
    book.shape("over_b", 0, before, "D", "q:D*", a - shift * value("p h q"),
               [length("p q") + 1, 6, length("q") + 1], held)  # fmt: skip
    book.shape("over_b", 0, before, "_", "", a - shift * value("p"), [length("p"), 6, 0], held)
    book.shape("take", 0, before, "D", "", a - shift * value("p h"), [length("p") + 1, 5, 0], held)
    book.shape("take", 0, f"{marked} v:D*", "_", "", a, [0, 5, 0], held)


def _bring(book: ShapeBook, signed: bool, d: int) -> None:
    """The digit that was taken off b goes to the mark, below the digits."""
    state, sign, top = f"(sub,{DIGITS[d]})", "s:- " * signed, _top(signed)
    marked, held = f"{sign}u:{top}* m:{top}/-", _behind("v", signed)
    a, shift, radix = _a("u m v", signed), weight("v"), book.radix
    for head, right, b, left in (
        ("_", "", value("p"), length("p")),
        ("D", "q:D*", value("p h q"), length("p q") + 1),
    ):
        kept = a - shift * (d + radix * b)
        book.shape(state, -1, f"{marked} v:D* g:_ p:D*", head, right, kept, [left, 14, length("p v") + 3],
                   held)  # fmt: skip
    debt, left = d + radix * value("b"), length("b")
    book.shape(state, -1, f"{marked} v:D*", "_", "b:D*", a - shift * debt, [left, 14, length("v") + 2], held)
    book.shape(state, -1, f"{marked} v:D*", "D", "w:D* g:_ b:D*",
               _a("u m v h w", signed) - weight("v h w") * debt, [left, 14, length("v") + 2],
               _behind("v h w", signed))  # fmt: skip
    for row in (-1, 0):
        kept = _a("u h v", signed) - shift * debt
        book.shape(state, row, f"{sign}u:{top}*", f"{top}/-", BEHIND, kept, [left, 14, -row], held)


def _borrow(book: ShapeBook) -> None:
    """One is borrowed from h, and has passed z, which was all zeros."""
    debt, right = weight("m v") * value("b"), f"z:H* m:D/- {BEHIND}"
    left, below, held = length("b"), weight("z m v"), value("m") - 1
    kept = value("u h z m v") - below - debt
    book.shape("borrow", 0, "u:D*", "D", right, kept, [left, 13, length("u") + 1], held)
    book.shape("borrow", 0, "", "_", right, value("z m v") - below - debt, [left, 13, 0], held)


def _advance(book: ShapeBook, signed: bool) -> None:
    """Back to the mark, which goes one to the left."""
    left, sign, top = length("b"), "s:- " * signed, _top(signed)
    debt, rest = weight("m v") * value("b"), f"w:{top}* m:D/- {BEHIND}"
    grown = value("m") + value("v") - 1 if signed else 0
    if signed:
        kept = _a("w m v", True) - debt
        book.shape("advance", -1, "", "-", rest, kept, [left, 11, length("w") + 1], grown)
    book.shape("advance", -1, f"{sign}u:{top}*", top, rest, _a("u h w m v", signed) - debt,
               [left, 11, length("w") + 1], grown)  # fmt: skip
    grown = value("h") + value("v") - 1 if signed else 0
    kept = _a("u h v", signed) - weight("h v") * value("b")
    book.shape("advance", -1, f"{sign}u:{top}*", "D/-", BEHIND, kept, [left, 11, 0], grown)


def _finish(book: ShapeBook, signed: bool) -> None:
    """b is used up: the mark goes, and the sign or the end of a is looked for."""
    sign, top = "s:- " * signed, _top(signed)
    marked, a, held = f"{sign}u:{top}* m:{top}/-", _a("u m v", signed), _behind("v", signed)
    book.shape("finish", -1, f"{marked} v:D*", "_", "", a, [0, 4, length("v") + 1], held)
    held_now = _behind("v h w", signed)
    book.shape("finish", -1, f"{marked} v:D*", "D", "w:D*", _a("u m v h w", signed), [0, 4, length("v") + 1],
               held_now)  # fmt: skip
    book.shape("finish", -1, f"{sign}u:{top}*", f"{top}/-", "v:D*", _a("u h v", signed), [0, 4, 0], held)
    seen, far = _behind("u h v", signed), length("u") + 1
    book.shape("seek", 0, f"{sign}u:{top}*", top, "v:D*", _a("u h v", signed), [0, 3, far], seen)
    if signed:
        book.shape("seek", 0, "", "-", "t:H v:D*", _a("t v", True), [0, 3, 0], _behind("t v", True))
    else:
        book.shape("seek", 0, "", "_", "v:D*", value("v"), [0, 3, 0])


def _negate(book: ShapeBook) -> None:
    """From the last digit to the sign: zeros stay, then one digit becomes R - x, all others R - 1 - x."""
    a, held = _a("p h q", True), _behind("p h q", True)
    book.shape("to_end", 0, "s:- p:D*", "D", "q:D*", a, [0, 2, length("q") + 1], held)
    book.shape("to_end", 0, "s:- p:D*", "_", "", _a("p", True), [0, 2, 0], _behind("p", True))
    a, held = _a("p h z", True), _behind("p h z", True)
    book.shape("negate", 0, "s:- p:D*", "D", "z:0*", a, [0, 1, length("p") + 1], held)
    done, far = value("c"), 2 * length("p") + length("c")
    rest = (weight("p h") - 1 - value("p h")) * weight("c")
    book.shape("complement", 0, "s:- p:D*", "D", "c:D*", -(rest + done), [0, 0, far + 5], done - 1)
    book.shape("complement", 0, "", "-", "c:D*", -done, [0, 0, length("c") + 3], done - 1)
    left = value("h c")
    book.shape("trim_below_zero", 0, "", "D", "c:D*", -left, [0, 0, length("c") + 2], left - 1)
    book.shape("put_sign", 0, "", "_", "n:N c:D*", -value("n c"), [0, 0, 0])
