"""Why add writes a + b, and increment a + 1.

add: u and v are the digits of a left and right of the marked column, h or m; b are those that b still has.
What is kept is a + R^v·b: the marked column is where b's last digit belongs. Each round takes a digit off b.
"""

from dfst.machines.agent import Agent
from dfst.proof.answers.notation import ShapeBook, length, value, weight
from dfst.tasks.numbers import DIGITS, NumberTask


def increment(machine: Agent, task: NumberTask) -> ShapeBook:
    book = ShapeBook(machine, task.radix, (0, 0))
    walked = weight("z")
    for left, head, size in (("u:D*", "D", length("u z") + 1), ("", "_", length("z"))):
        u = value("u") * weight("h") if left else 0
        kept = (u + value("h") + 1) * walked
        book.shape("increment", 0, left, head, "z:0*", [kept, size], [length("u") + 1 if left else 0])
    return book


def add(machine: Agent, task: NumberTask) -> ShapeBook:
    book = ShapeBook(machine, task.radix, (-1, 1))
    _fetch(book)
    for digit in range(task.radix):
        _bring(book, digit)
    _carry(book)
    _finish(book)
    return book


def _fetch(book: ShapeBook) -> None:
    """From the operator, or the mark's old place, to b's last digit."""
    left = length("b")
    book.shape("left", 0, "u:D* x:D", "+", "b:D*", value("u x") + value("b"), [left, 8, 0])
    book.shape("mark", 0, "u:D*", "D", "o:+ b:D*", value("u h") + value("b"), [left, 7, 2])
    for state, row, head, rank in (("mark", -1, "D", 1), ("pad", 0, "D/+", 0)):
        ahead = weight("v") * value("b")
        book.shape(state, row, "u:D*", head, "v:D* o:+ b:D*", value("u h v") + ahead, [left, 7, rank])
        new = head.replace("D", "_")
        book.shape(state, row, "", new, "v:D* o:+ b:D*", value("v") + ahead, [left, 7, rank])
    book.shape("over_a", 0, "u:D* m:D/+ p:D*", "D", "q:D* o:+ b:D*",
               value("u m p h q") + weight("p h q") * value("b"), [left, 6, length("q") + 1])  # fmt: skip
    book.shape("over_a", 0, "u:D* m:D/+ v:D*", "+", "b:D*", value("u m v") + weight("v") * value("b"),
               [left, 6, 0])  # fmt: skip
    before = "u:D* m:D/+ v:D* o:+ p:D*"
    a, shift = value("u m v"), weight("v")
    book.shape("over_b", 0, before, "D", "q:D*", a + shift * value("p h q"),
               [length("p q") + 1, 5, length("q") + 1])  # fmt: skip
    book.shape("over_b", 0, before, "_", "", a + shift * value("p"), [length("p"), 5, 0])
    book.shape("take", 0, before, "D", "", a + shift * value("p h"), [length("p") + 1, 4, 0])
    book.shape("take", 0, "u:D* m:D/+ v:D*", "+", "", a, [0, 4, 0])


def _bring(book: ShapeBook, digit: int) -> None:
    """The digit that was taken off b goes to the mark, below the digits."""
    state, d = f"(add,{DIGITS[digit]})", digit
    marked = "u:D* m:D/+"
    a = value("u m v")
    for head, right, b in (("_", "", value("p")), ("D", "q:D*", value("p h q"))):
        rest = length("p q") + 1 if right else length("p")
        book.shape(state, -1, f"{marked} v:D* o:+ p:D*", head, right, a + weight("v") * (d + book.radix * b),
                   [rest, 13, length("p v") + 3])  # fmt: skip
    added = d + book.radix * value("p")
    book.shape(state, -1, f"{marked} v:D*", "+", "p:D*", a + weight("v") * added,
               [length("p"), 13, length("v") + 2])  # fmt: skip
    book.shape(state, -1, f"{marked} v:D*", "D", "w:D* o:+ p:D*",
               value("u m v h w") + weight("v h w") * added, [length("p"), 13, length("v") + 2])  # fmt: skip
    for row in (-1, 0):
        book.shape(state, row, "u:D*", "D/+", "v:D* o:+ p:D*", value("u h v") + weight("v") * added,
                   [length("p"), 13, -row])  # fmt: skip


def _carry(book: ShapeBook) -> None:
    """The carry has passed z, zeros now; then back to the mark, which goes one to the left."""
    left = length("b")
    ahead = weight("m v") * value("b")
    right = "z:0* m:T/+ v:D* o:+ b:D*"
    below = weight("z m v")
    book.shape("carry", 0, "u:D*", "D", right, value("u h z m v") + below + ahead,
               [left, 12, length("u") + 2])  # fmt: skip
    book.shape("carry", 0, "", "_", right, value("z m v") + below + ahead, [left, 12, 1])
    for head, rest, passed in (("0", right, "h z m v"), ("T/+", "v:D* o:+ b:D*", "h v")):
        kept = value(passed) + weight(passed) + weight(passed.removeprefix("h z ")) * value("b")
        book.shape("advance", 0, "n:0", head, rest, kept, [left, 11, 0])
    book.shape("carry", 0, "", "0", right, value("h z m v") + below + ahead, [left, 10, 0])
    book.shape("advance", -1, "u:D*", "D", "w:D* m:D/+ v:D* o:+ b:D*", value("u h w m v") + ahead,
               [left, 9, length("w") + 1])  # fmt: skip
    book.shape("advance", -1, "u:D*", "D/+", "v:D* o:+ b:D*", value("u h v") + weight("h v") * value("b"),
               [left, 9, 0])  # fmt: skip


def _finish(book: ShapeBook) -> None:
    """b is used up: the mark goes, and so do leading zeros."""
    book.shape("finish", -1, "u:D* m:D/+ v:D*", "_", "", value("u m v"), [0, 3, length("v") + 1])
    book.shape("finish", -1, "u:D* m:D/+ v:D*", "D", "w:D*", value("u m v h w"), [0, 3, length("v") + 1])
    book.shape("finish", -1, "u:D*", "D/+", "v:D*", value("u h v"), [0, 3, 0])
    book.shape("over_a", 0, "u:D*", "D", "v:D*", value("u h v"), [0, 2, length("v") + 1])
    book.shape("over_a", 0, "u:D*", "_", "", value("u"), [0, 2, 0])
    book.shape("left", 0, "u:D*", "D", "v:D*", value("u h v"), [0, 1, length("u") + 3])
    book.shape("left", 0, "", "_", "v:D*", value("v"), [0, 1, 2])
    book.shape("take", 1, "", "0", "v:D*", value("v"), [0, 1, 1])
    book.shape("trim", 0, "", "D", "v:D*", value("h v"), [0, 0, length("v") + 1])
    book.shape("trim", 0, "", "_", "", value(""), [0, 0, 0])
