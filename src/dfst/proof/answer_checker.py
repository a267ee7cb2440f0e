"""The trusted part of "for all a and b: it ends, and writes a + b": checks the `answer` in a proof file.

The reference of the proof is held against *shapes*. A shape stands for all grids that can be read off its
pieces, from left to right; a piece is one column, or any number of them, with a set of symbols for each row.
The numerals in a piece have values, the piece has a length and the weight R^length: these are the unknowns,
natural numbers, in which a shape says what it keeps, what is never negative, and how far the end is. Accepted
only if (docs/concepts/answers.md argues why that suffices)

    inputs      every input is of a shape, which keeps what is to be computed
    steps       from each shape, whatever is read, there is a rule, and the grid it makes is of a shape that
                keeps the same number, has a bound that is not below zero either, and a smaller rank
    ends        where it halts, one row is all that stands on the grid: the numeral of what was kept
"""

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import chain
from math import prod
from typing import Any, NamedTuple

from dfst.proof.reading import HALT, MISSING, OFFSETS, Column, Table, Work, covers, demand, replaced, whole

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
SIGN = "the sign of a-b"
GOALS = {"a+b": "+", "a×b": "×", "a-b": "-", SIGN: "-", "a+1": ""}
"""What can be computed, and the operator between a and b. a+1 keeps a's leading zeros, others have none."""
Polynomial = dict[tuple[str, ...], int]
"""The coefficient of each product of unknowns; a product is sorted, no coefficient is 0."""
Known = dict[str, Polynomial]
MOST_PIECES = 16  # in a shape, and factors in a product


def constant(number: int) -> Polynomial:
    return {(): number} if number else {}


def plus(p: Polynomial, q: Polynomial, factor: int = 1) -> Polynomial:
    total = dict(p)
    for product, count in q.items():
        total[product] = total.get(product, 0) + factor * count
    return {product: count for product, count in total.items() if count}


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for one, c in p.items():
        for two, d in q.items():
            product = tuple(sorted(one + two)) if one and two else one or two
            total[product] = total.get(product, 0) + c * d
    return {product: count for product, count in total.items() if count}


def put(p: Polynomial, known: Known, work: Work) -> Polynomial:
    """The polynomial with all unknowns that are known replaced at once."""
    work.spend(sum(prod(len(known.get(u, "1")) for u in one) * (1 + len(one) // 4) for one in p))
    total: Polynomial = {}
    for product, count in p.items():
        terms: list[tuple[tuple[str, ...], int]] = [((), count)]
        for unknown in product:
            if unknown in known:
                terms = [(one + two, c * d) for one, c in terms for two, d in known[unknown].items()]
            else:
                terms = [((*one, unknown), c) for one, c in terms]
        for one, c in terms:
            key = tuple(sorted(one)) if len(one) > 1 else one
            total[key] = total.get(key, 0) + c
    return {product: count for product, count in total.items() if count}


class Piece(NamedTuple):
    """One column, or any number of columns of one kind."""

    name: str
    column: Column
    many: bool
    length: Polynomial
    weight: Polynomial
    values: tuple[Polynomial, ...]  # for each row, its symbols read as a numeral; what is no digit counts 0


class Shape(NamedTuple):
    """Both sides are listed from the head outwards. `kept`: the number and, for a+1, how long a is."""

    state: int
    row: int
    left: list[Piece]
    head: Piece
    right: list[Piece]
    kept: list[Polynomial]
    bound: Polynomial
    rank: list[Polynomial]


class Claim:
    """What is said about a machine, and how grids are taken apart and compared."""

    def __init__(
        self, claim: dict[str, Any], rules: list[Any], alphabet: list[str], blank: int, work: Work
    ) -> None:
        self.work = work
        self.pieces: dict[tuple[str, Column, bool], Piece] = {}
        self.goal, self.radix, (low, self.top) = claim["computes"], claim["radix"], claim["rows"]
        self.rules, self.alphabet, self.height = rules, alphabet, self.top - low + 1
        demand(2 <= self.radix <= 36 and 0 <= self.top < self.height <= 8, "radix or rows are malformed")
        fits = self.goal in GOALS and alphabet == [*DIGITS[: self.radix], alphabet[blank], *GOALS[self.goal]]
        demand(fits and blank == self.radix, "the alphabet is of another task")
        self.digits = (1 << blank) - 1
        self.blank = self.piece("blank", (1 << blank,) * self.height, False)
        self.none = self.blank._replace(length={}, weight=constant(1))
        self.shapes: dict[tuple[int, int], list[Shape]] = {}
        for listed in claim["shapes"]:
            shape = self.read(listed)
            self.shapes.setdefault((shape.state, shape.row), []).append(shape)

    def put(self, p: Polynomial, known: Known) -> Polynomial:
        return put(p, known, self.work)

    def piece(self, name: str, column: Column, many: bool) -> Piece:
        if (name, column, many) not in self.pieces:
            self.pieces[name, column, many] = self._piece(name, column, many)
        return self.pieces[name, column, many]

    def _piece(self, name: str, column: Column, many: bool) -> Piece:
        name = name if many else f"digit {name}"
        values: list[Polynomial] = []
        for index, cell in enumerate(column):
            worth = {x if x < self.radix else 0 for x in range(len(self.alphabet)) if cell >> x & 1}
            fixed = worth == {0} or (len(worth) == 1 and not many)
            unknown: Polynomial = {(f"{name}@{self.top - index}",): 1}
            values.append(constant(worth.pop()) if fixed else unknown)
        length: Polynomial = {(f"len {name}",): 1} if many else constant(1)
        weight: Polynomial = {(f"R^{name}",): 1} if many else constant(self.radix)
        return Piece(name, column, many, length, weight, tuple(values))

    def read(self, listed: dict[str, Any]) -> Shape:
        """A shape as the file lists it, its pieces from left to right."""

        def piece(name: str, column: list[str], many: bool) -> Piece:
            demand(len(column) == self.height and all(column) and type(many) is bool, "a piece is malformed")
            cells = (sum(1 << self.alphabet.index(symbol) for symbol in set(cell)) for cell in column)
            return self.piece(name, tuple(cells), many)

        entries = [("h", listed["head"], False), *listed["left"], *listed["right"]]
        demand(len(entries) <= MOST_PIECES, "a shape has too many pieces")
        head, *pieces = (piece(*entry) for entry in entries)
        names = [name for name, _, _ in entries]
        proper = all(name.isalnum() for name in names) and len({"next", *names}) > len(names)
        demand(proper, "a piece has no name of its own")
        listed_pieces = zip(names, (head, *pieces), strict=True)
        own = {u: known for name, p in listed_pieces for u, known in self.unknowns(name, p).items()}

        def polynomial(terms: dict[str, int]) -> Polynomial:
            products = {tuple(filter(None, text.split("*"))): count for text, count in terms.items()}
            products = {product: whole(count, -(1 << 30)) for product, count in products.items()}
            demand(all(u in own for product in products for u in product), "an unknown is of no piece")
            demand(all(len(product) <= MOST_PIECES for product in products), "a product is too long")
            return self.put(products, own)

        kept, rank = ([polynomial(p) for p in listed[part]] for part in ("kept", "rank"))
        lengths = all(u.startswith("len ") for p in rank for product in p for u in product)
        demand(lengths and all(c > 0 for p in rank for c in p.values()), "a rank is no natural number")
        row, split, bound = self.top - listed["row"], len(listed["left"]), polynomial(listed["bound"])
        demand(0 <= row < self.height, "a shape is on no row")
        return Shape(listed["state"], row, pieces[:split][::-1], head, pieces[split:], kept, bound, rank)

    def unknowns(self, name: str, piece: Piece) -> Known:
        """What the unknowns of the piece called `name` are if it is this piece."""
        values = {f"{name}@{self.top - index}": value for index, value in enumerate(piece.values)}
        return {f"len {name}": piece.length, f"R^{name}": piece.weight, **values}

    def join(self, inner: Piece, outer: Piece, leftwards: bool) -> Piece:
        """Two neighbours as one; of the two, that on the left is worth more."""
        high, low = (outer, inner) if leftwards else (inner, outer)
        pairs = zip(high.values, low.values, strict=True)
        self.work.spend(sum(len(upper) for upper in high.values) * len(low.weight))
        values = tuple(plus(times(upper, low.weight), lower) for upper, lower in pairs)
        length, weight = plus(inner.length, outer.length), times(inner.weight, outer.weight)
        return inner._replace(length=length, weight=weight, values=values)

    def pop(self, side: list[Piece], leftwards: bool) -> Iterator[tuple[Piece, list[Piece], Known]]:
        """Every column that may come next, what is left beyond it, and what the unknowns then are."""
        if not side or not side[0].many:
            yield side[0] if side else self.blank, side[1:], {}
            return
        for column, rest, known in self.pop(side[1:], leftwards):
            yield column, rest, {**self.unknowns(side[0].name, self.none), **known}
        column = self.piece("next", side[0].column, False)
        yield column, side, self.unknowns(side[0].name, self.join(column, side[0], leftwards))

    def match(self, side: list[Piece], wanted: list[Piece], leftwards: bool) -> Iterator[Known]:
        """Every way to read a side off the pieces wanted: what the unknowns of these then are."""
        self.work.spend(1 + len(side))
        if not wanted:
            if all(piece.column == self.blank.column for piece in side):
                yield {}
            return
        first, rest = wanted[0], wanted[1:]
        if not first.many:
            piece = side[0] if side else self.blank
            if not piece.many and covers(first.column, piece.column):
                for found in self.match(side[1:], rest, leftwards):
                    yield {**self.unknowns(first.name, piece), **found}
            return
        for count in range(len(side) + 1):
            for found in self.match(side[count:], rest, leftwards):
                taken = reduce(lambda p, q: self.join(p, q, leftwards), side[:count], self.none)
                yield {**self.unknowns(first.name, taken), **found}
            if count == len(side) or not covers(first.column, side[count].column):
                return

    def is_natural(self, p: Polynomial) -> bool:
        """Whether it is never negative (may say no where it is so): a numeral is smaller than its weight."""
        unknowns = {u for product in p for u in product}
        larger = {w: {(): 1, (f"{w[2:]}@0",): 1, (f"more {w}",): 1} for w in unknowns if w[:2] == "R^"}
        digits = {d: {(): self.radix - 1, (f"less {d}",): -1} for d in unknowns if d[:6] == "digit "}
        return any(min(self.put(p, known).values(), default=0) >= 0 for known in (larger, larger | digits))

    def sign(self, p: Polynomial) -> int:
        """1 or -1 where that is certain, otherwise 0."""
        return next((s for s in (1, -1) if self.is_natural(plus(constant(-1), p, s))), 0)

    def same(self, p: Polynomial, q: Polynomial) -> bool:
        """Whether two numbers are one; where a sign is asked for, whether they have the same sign."""
        return p == q or (self.goal == SIGN and 0 != self.sign(p) == self.sign(q))

    def inputs(self) -> Shape:
        """All inputs: digits, and for two operands the operator and digits; with what is to be computed."""
        top, blank = self.top, self.blank.column
        digits = replaced(blank, top, self.digits)
        one, two, three, four = (self.piece(name, digits, name in "ad") for name in "abcd")
        if not GOALS[self.goal]:
            a = self.join(two, one, True)
            kept = [plus(a.values[top], constant(1)), a.length]
            return Shape(0, top, [one], two, [], kept, {}, [])
        head = self.piece("h", replaced(blank, top, 1 << self.radix + 1), False)
        a, b = self.join(two, one, True).values[top], self.join(three, four, False).values[top]
        kept = [times(a, b) if self.goal == "a×b" else plus(a, b, 1 if self.goal == "a+b" else -1)]
        return Shape(0, top, [two, one], head, [three, four], kept, {}, [])

    def check_steps(self, shape: Shape) -> None:
        """Each step from this shape leads to a listed one that is nearer to the end, or is the right end."""
        column, row = shape.head.column, shape.row
        groups: dict[tuple[int, ...], int] = {}  # symbols that a rule leaves as they are go together
        for x in (x for x in range(len(self.alphabet)) if column[row] >> x & 1):
            written, motion, target = (part[shape.state][x] for part in self.rules)
            rule = (motion, target) if written == x else (motion, target, written, x)
            groups[rule] = groups.get(rule, 0) | 1 << x
        for (motion, target, *written), group in groups.items():
            here = self.piece("h", replaced(column, row, group), False)
            known = {f"{here.name}@{self.top - row}": here.values[row]}
            if target == MISSING:
                never = self.sign(self.put(shape.bound, known)) < 0
                demand(never, f"state {shape.state} may read a symbol for which there is no rule")
                continue
            if written:
                here = self.piece("h", replaced(column, row, 1 << written[0]), False)
            if target == HALT:
                self.check_end(shape, here, known)
                continue
            dx, dy = OFFSETS[motion]
            if dx < 0:
                grids = [(h, rest, [here, *shape.right], k) for h, rest, k in self.pop(shape.left, True)]
            elif dx > 0:
                grids = [(h, [here, *shape.left], rest, k) for h, rest, k in self.pop(shape.right, False)]
            else:
                grids = [(here, shape.left, shape.right, {})]
            for head, left, right, more in grids:
                kept, rank = ([self.put(p, known | more) for p in part] for part in (shape.kept, shape.rank))
                bound = self.put(shape.bound, known | more)
                grid = Shape(target, row - dy, left, head, right, kept, bound, rank)
                reached = self.lands(grid, falling) or self.sign(bound) < 0
                demand(reached, f"from state {shape.state}, row {self.top - row}, no shape is reached")

    def lands(self, grid: Shape, ranks_lower: Callable[[list[Polynomial], list[Polynomial]], bool]) -> bool:
        """Whether this grid is of a listed shape that keeps and bounds what it must, and ranks lower."""
        for shape in self.shapes.get((grid.state, grid.row), []):
            self.work.spend(self.height)
            if not covers(shape.head.column, grid.head.column):
                continue
            head = self.unknowns(shape.head.name, grid.head)
            for known in (
                {**head, **one, **two}
                for one in self.match(grid.left, shape.left, True)
                for two in self.match(grid.right, shape.right, False)
            ):
                rank, kept = ([self.put(p, known) for p in part] for part in (shape.rank, shape.kept))
                bound = self.put(shape.bound, known)
                fits = ranks_lower(grid.rank, rank) and kept[1:] == grid.kept[1:]
                fits = fits and bool(kept) and self.same(kept[0], grid.kept[0])
                natural = (self.is_natural(plus(bound, p, -1)) for p in ({}, grid.bound))
                if fits and (bound == grid.bound or any(natural)):
                    return True
        return False

    def check_end(self, shape: Shape, here: Piece, known: Known) -> None:
        """All that stands on the grid is one row, the numeral of what was kept."""
        row, blank = [*reversed(shape.left), here, *shape.right], self.blank.column
        while row and blank in (row[0].column, row[-1].column):
            row = row[1:] if row[0].column == blank else row[:-1]
        used = {index for piece in row for index, cell in enumerate(piece.column) if cell != blank[0]}
        demand(len(used) == 1, f"state {shape.state} may halt with more or less than one row")
        at = used.pop()
        minus = self.alphabet[-1] == "-" and row[0].column[at] == 1 << self.radix + 1 and not row[0].many
        number, row = self.none, row[minus:]
        for piece in row:
            number = self.join(number, piece, False)
        numeral = all(piece.column[at] & ~self.digits == 0 for piece in row) and self.sign(number.length) > 0
        demand(numeral, f"state {shape.state} may halt without a number")
        zero_leads = row[0].many or bool(row[0].column[at] & 1 and (minus or len(row) > 1))
        kept, *length = (self.put(p, known) for p in shape.kept)
        right = self.same(kept, times(number.values[at], constant(-1 if minus else 1)))
        right &= self.goal != SIGN or number.values[at] in (constant(0), constant(1))
        longer = plus(number.length, length[0], -1) if length else {}
        right &= not zero_leads if not length else not longer or (not zero_leads and self.sign(longer) > 0)
        demand(right, f"state {shape.state} may halt with another answer")


def falling(before: list[Polynomial], after: list[Polynomial]) -> bool:
    """Whether the first part of a rank that changes falls. What differs by a length may be equal."""
    demand(len(before) == len(after), "ranks have unlike parts")
    for one, two in zip(before, after, strict=True):
        less = plus(one, two, -1)
        if any(count < 0 for count in less.values()):
            return False
        if () in less:
            return True
    return False


def check_answer(claim: dict[str, Any], table: Table, alphabet: list[str], blank: int, work: Work) -> int:
    """How many shapes show that the machine with this table computes what is claimed; or `Rejected`."""
    held = Claim(claim, [part.tolist() for part in table], alphabet, blank, work)
    lands = held.lands(held.inputs(), lambda *_: True)
    demand(lands, "an input has no shape that keeps what is to be computed")
    for shape in chain.from_iterable(held.shapes.values()):
        held.check_steps(shape)
    return len(claim["shapes"])


def inputs_of(claim: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The inputs that the claim is about, and where the head starts on them, as a proof file says it."""
    digits, operator = (1 << claim["radix"]) - 1, 2 << claim["radix"]
    if not GOALS[claim["computes"]]:
        one = {"before": [[0, digits, 0]], "head": [[0, digits, 1]], "after": [], "accepting": [1]}
        return one, "last"
    before, after = ([[p, digits, p + 1], [p + 1, digits, p + 1]] for p in (0, 2))
    return {"before": before, "head": [[1, operator, 2]], "after": after, "accepting": [3]}, "operator"


def answer_sentence(computes: str) -> str:
    """What is proved, in words."""
    operands = "a and b" if GOALS[computes] else "a"
    return f"for all {operands} (leading zeros allowed): it ends, and writes {computes}"
