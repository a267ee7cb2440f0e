"""The trusted part of "for all a and b: it ends, and writes a + b": checks the `answer` of a proof file.

Standard library and checker.py only; run by itself or imported:

    python answer_checker.py proof.json

The reference of the proof is held against *shapes*. A shape stands for all grids that can be read off its
pieces, columns from left to right: each piece is one column, or any number of them, with a set of symbols for each row.
Read as numerals, the pieces have values; with lengths and weights R^length these are the unknowns in which a
shape says what it keeps (the answer to be) and how far the end is (its rank). Accepted only if

    inputs      every input is of a shape, which keeps a∘b
    steps       from each shape and symbol read there is a rule, and the grid that it makes is of a shape that
                keeps the same, identical as polynomials, and has a smaller rank
    ends        where it halts, all that stands on the grid is one row, the numeral of what was kept
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING or __package__:
    from dfst.proof import checker
else:  # run as a program, beside checker.py
    import checker

demand, Rejected, Unreadable = checker.demand, checker.Rejected, checker.Unreadable
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
SIGN = "the sign of a-b"
GOALS = {"a+b": "+", "a×b": "×", "a-b": "-", SIGN: "-", "a+1": ""}
"""What can be computed, and the operator that stands between a and b."""
Polynomial = dict[tuple[str, ...], int]
"""The coefficient of each product of unknowns; unknowns are natural numbers."""


def constant(number: int) -> Polynomial:
    return {(): number} if number else {}


def plus(p: Polynomial, q: Polynomial, factor: int = 1) -> Polynomial:
    total = dict(p)
    for product, count in q.items():
        total[product] = total.get(product, 0) + factor * count
    return {product: count for product, count in total.items() if count}


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for one, many in p.items():
        for two, more in q.items():
            product = tuple(sorted(one + two))
            total[product] = total.get(product, 0) + many * more
    return {product: count for product, count in total.items() if count}


def put(p: Polynomial, known: dict[str, Polynomial]) -> Polynomial:
    """The polynomial with all unknowns that are known replaced at once."""
    total: Polynomial = {}
    for product, count in p.items():
        terms = [((), count)]
        for unknown in product:
            factor = known.get(unknown)
            if factor is None:
                terms = [((*one, unknown), c) for one, c in terms]
            else:
                terms = [(one + two, c * d) for one, c in terms for two, d in factor.items()]
        for one, c in terms:
            one = tuple(sorted(one))
            total[one] = total.get(one, 0) + c
    return {product: count for product, count in total.items() if count}


def is_positive(p: Polynomial) -> bool:
    """Whether it is positive for all natural numbers (may say no where it is so)."""
    return p.get((), 0) >= 1 and min(p.values()) > 0


class Piece(NamedTuple):
    """One column, or any number of equal columns; a column has a set of symbols (bits) for each row."""

    name: str
    column: tuple[int, ...]
    many: bool
    length: Polynomial
    weight: Polynomial
    values: tuple[Polynomial, ...]
    """For each row, its symbols read as a numeral; what is no digit counts 0."""


class Shape(NamedTuple):
    """Pieces on both sides are listed from the head outwards. `kept`: the answer and, for a+1, its length."""

    state: int
    row: int
    left: list[Piece]
    head: Piece
    right: list[Piece]
    kept: list[Polynomial]
    bound: Polynomial
    rank: list[Polynomial]


class World:
    """Alphabet and rows, and how grids are taken apart and compared in them."""

    def __init__(self, alphabet: list[str], blank: int, radix: int, top: int, height: int) -> None:
        demand(2 <= radix <= 36 and alphabet[:radix] == list(DIGITS[:radix]), "the digits are not in order")
        demand(blank == radix and 0 <= top < height <= 8, "the blank or the rows are malformed")
        self.alphabet, self.radix, self.top, self.height = alphabet, radix, top, height
        self.digits = (1 << radix) - 1
        self.blank = self.piece("blank", (1 << blank,) * height, False)
        self.none = self.blank._replace(length={}, weight=constant(1))

    def digit(self, symbol: int) -> int:
        return symbol if symbol < self.radix else 0

    def piece(self, name: str, column: tuple[int, ...], many: bool) -> Piece:
        values, name = [], name if many else f"digit {name}"
        for index, cell in enumerate(column):
            found = {self.digit(x) for x in range(len(self.alphabet)) if cell >> x & 1}
            fixed = found == {0} or (len(found) == 1 and not many)
            values.append(constant(found.pop()) if fixed else {(f"{name}@{self.top - index}",): 1})
        length, weight = {(f"len {name}",): 1}, {(f"R^{name}",): 1}
        if not many:
            length, weight = constant(1), constant(self.radix)
        return Piece(name, column, many, length, weight, tuple(values))

    def unknowns(self, name: str, piece: Piece) -> dict[str, Polynomial]:
        """What the unknowns of the piece called `name` are if it is this piece."""
        values = {f"{name}@{self.top - index}": value for index, value in enumerate(piece.values)}
        return {f"len {name}": piece.length, f"R^{name}": piece.weight, **values}

    def join(self, inner: Piece, outer: Piece, leftwards: bool) -> Piece:
        """Two neighbours as one; of the two, that on the left is worth more."""
        values = [
            plus(times(high, low_weight), low)
            for high, low, low_weight in (
                (b, a, inner.weight) if leftwards else (a, b, outer.weight)
                for a, b in zip(inner.values, outer.values, strict=True)
            )
        ]
        length, weight = plus(inner.length, outer.length), times(inner.weight, outer.weight)
        return inner._replace(length=length, weight=weight, values=tuple(values))

    def pop(
        self, side: list[Piece], leftwards: bool
    ) -> Iterator[tuple[Piece, list[Piece], dict[str, Polynomial]]]:
        """Every column that may come next, what is left beyond it, and what the unknowns then are."""
        if not side or not side[0].many:
            yield side[0] if side else self.blank, side[1:], {}
            return
        for column, rest, known in self.pop(side[1:], leftwards):
            yield column, rest, {**self.unknowns(side[0].name, self.none), **known}
        column = self.piece("next", side[0].column, False)
        yield column, side, self.unknowns(side[0].name, self.join(column, side[0], leftwards))

    def match(
        self, side: list[Piece], wanted: list[Piece], leftwards: bool
    ) -> Iterator[dict[str, Polynomial]]:
        """Every way to read a side off the pieces wanted: what the unknowns of these are."""
        if not wanted:
            if all(piece.column == self.blank.column for piece in side):
                yield {}
            return
        first, rest = wanted[0], wanted[1:]
        if not first.many:
            piece = side[0] if side else self.blank
            if not piece.many and covers(first, piece):
                for found in self.match(side[1:], rest, leftwards):
                    yield {**self.unknowns(first.name, piece), **found}
            return
        taken = self.none
        for count in range(len(side) + 1):
            for found in self.match(side[count:], rest, leftwards):
                yield {**self.unknowns(first.name, taken), **found}
            if count == len(side) or not covers(first, side[count]):
                return
            taken = self.join(taken, side[count], leftwards)

    def fits(
        self, left: list[Piece], head: Piece, right: list[Piece], shape: Shape
    ) -> Iterator[dict[str, Polynomial]]:
        """Every way to see this grid as one of the shape."""
        if covers(shape.head, head):
            known = self.unknowns(shape.head.name, head)
            for found in self.match(left, shape.left, True):
                for more in self.match(right, shape.right, False):
                    yield {**known, **found, **more}

    def is_natural(self, p: Polynomial) -> bool:
        """Whether it is never negative (may say no where it is so): a numeral is smaller than its weight."""
        unknowns = {unknown for product in p for unknown in product}
        larger = {w: {(): 1, (f"{w[2:]}@0",): 1, (f"beyond {w}",): 1} for w in unknowns if w.startswith("R^")}
        digits = {d: {(): self.radix - 1, (f"lacking {d}",): -1} for d in unknowns if d.startswith("digit ")}
        found = put(p, larger)
        return any(min(q.values(), default=0) >= 0 for q in (found, put(found, digits)))

    def sign(self, p: Polynomial) -> int:
        """1 or -1 where that is certain, otherwise 0."""
        return next((s for s in (1, -1) if self.is_natural(plus(constant(-1), p, s))), 0)

    def shown(
        self, left: list[Piece], head: Piece, right: list[Piece]
    ) -> tuple[Polynomial, Polynomial, bool]:
        """The number that stands alone on the grid, how long it is, and whether a zero may lead."""
        row = [*reversed(left), head, *right]
        while row and row[0].column == self.blank.column:
            row = row[1:]
        while row and row[-1].column == self.blank.column:
            row = row[:-1]
        blank = self.blank.column[0]
        used = {index for piece in row for index, cell in enumerate(piece.column) if cell != blank}
        demand(len(used) == 1, "it may halt with more or less than one row")
        at = used.pop()
        minus = row[0].column[at] == 1 << self.radix + 1 and self.alphabet[-1] == "-" and not row[0].many
        row = row[minus:]
        demand(all(piece.column[at] & ~self.digits == 0 for piece in row), "it may halt with no number")
        number = self.none
        for piece in row:
            number = self.join(number, piece, False)
        demand(is_positive(number.length), "it may halt without an answer")
        zero_leads = row[0].many or bool(row[0].column[at] & 1 and (minus or len(row) > 1))
        return times(number.values[at], constant(-1 if minus else 1)), number.length, zero_leads


def covers(large: Piece, small: Piece) -> bool:
    return all(cell & ~cover == 0 for cell, cover in zip(small.column, large.column, strict=True))


def check(proof_bytes: bytes) -> dict[str, Any]:
    """What the reference of the proof computes, on all inputs, or `Rejected`."""
    try:
        proof = checker.read(proof_bytes)
        alphabet, blank, claim = proof["alphabet"], proof["blank"], proof.get("answer")
        demand(claim is not None, "it says nothing about the answer", Unreadable)
        table = checker.read_table(proof["reference"]["table"], len(alphabet))
        shapes = check_answer(claim, table, alphabet, blank)
        return {
            "reference": str(proof["reference"]["name"]),
            "reference_sha256": checker.table_hash(table, alphabet, blank),
            "answer": claim["computes"], "radix": claim["radix"], "ends": True, "shapes": shapes,
        }  # fmt: skip
    except Rejected:
        raise
    except Exception as error:  # whatever a damaged file can cause
        raise Unreadable(f"the file is damaged: {type(error).__name__}: {error}") from error


def answer_sentence(computes: str) -> str:
    """What is proved, in words."""
    operands = "a and b" if GOALS[computes] else "a"
    for operator in "+-×":
        computes = computes.replace(operator, f" {operator} ")
    return f"for all {operands}: it ends, and writes {computes}"


def check_answer(claim: dict[str, Any], table: checker.Table, alphabet: list[str], blank: int) -> int:
    """How many shapes show that the machine with this table computes what is claimed; or `Rejected`."""
    radix, goal = claim["radix"], claim["computes"]
    low, high = claim["rows"]
    world = World(alphabet, blank, radix, high, high - low + 1)
    demand(goal in GOALS and alphabet[radix + 1 :] == list(GOALS[goal]), "the alphabet fits no such task")
    shapes = [_shape(world, listed) for listed in claim["shapes"]]
    demand(len({(len(s.kept), len(s.rank)) for s in shapes}) == 1, "the shapes keep or rank unlike things")
    known: dict[tuple[int, int], list[Shape]] = {}
    for shape in shapes:
        known.setdefault((shape.state, shape.row), []).append(shape)
    start = _input(world, goal)
    demand(_lands(world, start, {}, known, goal, None), "an input has no shape that keeps the answer")
    rules = [part.tolist() for part in table]
    for shape in shapes:
        _check_steps(world, shape, rules, known, goal)
    return len(shapes)


def _shape(world: World, listed: dict[str, Any]) -> Shape:
    """A shape as the file lists it, its pieces from left to right."""

    def piece(name: str, column: list[str], many: bool) -> Piece:
        demand(len(column) == world.height and all(column) and type(many) is bool, "a piece is malformed")
        return world.piece(
            name, tuple(sum(1 << world.alphabet.index(x) for x in set(c)) for c in column), many
        )

    left, right = ([piece(*entry) for entry in listed[side]] for side in ("left", "right"))
    head = piece("h", listed["head"], False)
    names = ["h", *(str(name) for side in ("left", "right") for name, _, _ in listed[side])]
    proper = len({"next", *names}) == len(names) + 1 and all(name.isalnum() for name in names)
    demand(proper, "a piece has no name of its own")
    own: dict[str, Polynomial] = {}
    for name, p in zip(names, (head, *left, *right), strict=True):
        own |= world.unknowns(name, p)
    kept, rank = ([_polynomial(p, own) for p in listed[part]] for part in ("kept", "rank"))
    lengths = all(unknown.startswith("len ") for p in rank for product in p for unknown in product)
    demand(
        lengths and all(count > 0 for p in rank for count in p.values()), "a rank may be no natural number"
    )
    row = world.top - listed["row"]
    demand(0 <= row < world.height, "a shape is on no row")
    return Shape(listed["state"], row, left[::-1], head, right, kept, _polynomial(listed["bound"], own), rank)


def _polynomial(listed: dict[str, int], own: dict[str, Polynomial]) -> Polynomial:
    products = {tuple(sorted(filter(None, text.split("*")))): count for text, count in listed.items()}
    demand(all(type(count) is int for count in products.values()), "a coefficient is no whole number")
    demand(all(unknown in own for product in products for unknown in product), "an unknown is of no piece")
    return put(products, own)


def _with(column: tuple[int, ...], row: int, cell: int) -> tuple[int, ...]:
    return (*column[:row], cell, *column[row + 1 :])


def _input(world: World, goal: str) -> Shape:
    """All inputs: digits, and for two operands the operator and digits; with what is to be computed."""

    blank, top = world.blank.column, world.top
    digit = _with(blank, top, world.digits)
    one, two, three, four = (world.piece(name, digit, name in "ad") for name in "abcd")
    if not GOALS[goal]:
        head = world.piece("h", digit, False)
        whole = world.join(head, one, True)
        kept = [plus(whole.values[top], constant(1)), whole.length]
        return Shape(0, top, [one], head, [], kept, {}, [])
    head = world.piece("h", _with(blank, top, 1 << world.radix + 1), False)
    a, b = (whole.values[top] for whole in (world.join(two, one, True), world.join(three, four, False)))
    kept = [times(a, b) if goal == "a×b" else plus(a, b, 1 if goal == "a+b" else -1)]
    return Shape(0, top, [two, one], head, [three, four], kept, {}, [])


def _check_steps(
    world: World,
    shape: Shape,
    rules: list[list[list[int]]],
    known: dict[tuple[int, int], list[Shape]],
    goal: str,
) -> None:
    """Each step from this shape leads to a listed one that is nearer to the end, or ends with the answer."""
    row = shape.row
    groups: dict[tuple[int, ...], int] = {}
    for x in range(len(world.alphabet)):
        if shape.head.column[row] >> x & 1:
            written, motion, target = (part[shape.state][x] for part in rules)
            keeps = written == x and target != checker.MISSING
            rule = (motion, target) if keeps else (motion, target, written, x)
            groups[rule] = groups.get(rule, 0) | 1 << x
    for (motion, target, *written), group in groups.items():
        here = world.piece("h", _with(shape.head.column, row, group), False)
        read = {f"{here.name}@{world.top - row}": here.values[row]}
        if target == checker.MISSING:
            never = world.sign(put(shape.bound, read)) < 0
            demand(never, f"state {shape.state} may read a symbol for which it has no rule")
            continue
        if written:
            here = world.piece("h", _with(shape.head.column, row, 1 << written[0]), False)
        if target == checker.HALT:
            number, length, zero_leads = world.shown(shape.left, here, shape.right)
            value, *asked = (put(p, read) for p in shape.kept)
            same = _same(world, value, number, goal) and (
                not asked or _is_padded(length, asked[0], zero_leads)
            )
            demand(
                same and (bool(asked) or not zero_leads), f"state {shape.state} may halt with another answer"
            )
            continue
        dx, dy = checker.OFFSETS[motion]
        after = [(here, shape.left, shape.right, {})]
        if dx < 0:
            after = [(c, rest, [here, *shape.right], k) for c, rest, k in world.pop(shape.left, True)]
        elif dx > 0:
            after = [(c, [here, *shape.left], rest, k) for c, rest, k in world.pop(shape.right, False)]
        for head, left, right, unknowns in after:
            made = Shape(target, row - dy, left, head, right, shape.kept, shape.bound, shape.rank)
            lands = _lands(world, made, {**read, **unknowns}, known, goal, shape.rank)
            demand(lands, f"from state {shape.state}, row {world.top - row}, no shape is reached")


def _lands(
    world: World, made: Shape, unknowns: dict[str, Polynomial], known: dict[tuple[int, int], list[Shape]],
    goal: str, rank: list[Polynomial] | None,
) -> bool:  # fmt: skip
    """Whether this grid is of a listed shape that keeps the same and, unless it is an input, ranks lower; or there is no such grid."""
    kept = [put(p, unknowns) for p in made.kept]
    bound = put(made.bound, unknowns)
    falling = rank and [put(p, unknowns) for p in rank]
    for shape in known.get((made.state, made.row), []):
        for found in world.fits(made.left, made.head, made.right, shape):
            if falling is not None and not _falls(falling, [put(p, found) for p in shape.rank]):
                continue
            value, *rest = (put(p, found) for p in shape.kept)
            held = put(shape.bound, found)
            if (
                _same(world, kept[0], value, goal)
                and kept[1:] == rest
                and (held == bound or any(world.is_natural(plus(held, p, -1)) for p in ({}, bound)))
            ):
                return True
    return world.sign(bound) < 0


def _same(world: World, p: Polynomial, q: Polynomial, goal: str) -> bool:
    """Whether two things kept are one; where a sign is asked for, whether they have the same sign."""
    return p == q or (goal == SIGN and 0 != world.sign(p) == world.sign(q))


def _is_padded(length: Polynomial, asked: Polynomial, zero_leads: bool) -> bool:
    """Whether a number is as long as asked, or longer because it must be."""
    more = plus(length, asked, -1)
    return not more or (not zero_leads and is_positive(more))


def _falls(before: list[Polynomial], after: list[Polynomial]) -> bool:
    """Whether the rank is smaller afterwards: the first part that is not equal is smaller."""
    for one, two in zip(before, after, strict=True):
        less = plus(one, two, -1)
        if is_positive(less):
            return True
        if any(count < 0 for count in less.values()):
            return False
    return False


if __name__ == "__main__":
    try:
        print(json.dumps({"accepted": True, **check(Path(sys.argv[1]).read_bytes())}, ensure_ascii=False))
    except (OSError, IndexError, Unreadable) as error:
        print(f"expected answer_checker.py PROOF.json: {error}", file=sys.stderr)
        sys.exit(2)
    except Rejected as reason:
        print(f"rejected: {reason}")
        sys.exit(1)
