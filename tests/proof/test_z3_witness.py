"""An SMT solver as a second witness of what the experts compute.

The shapes of an answer are read here once more, from the JSON, with code that shares nothing with the
checker: a grid is a list of pieces whose lengths, weights and values are integers of z3. For each shape, each
symbol the head may read and each way the grid may go on, z3 is asked to refute that some listed shape
keeps the same number, keeps its bound and ranks lower.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from itertools import count, product

import pytest
from evidence import slow

from dfst.experts import expert
from dfst.machines import HALT, MISSING
from dfst.proof.answers import explained_answer
from dfst.world.grid import OFFSETS

z3 = pytest.importorskip("z3")

NAMES = count()


@dataclass(frozen=True)
class Piece:
    """Some columns: the symbols each row may hold, and what is known of them in z3's numbers."""

    column: tuple[frozenset[str], ...]
    many: bool
    length: object
    weight: object
    values: tuple[object, ...]
    facts: tuple[object, ...] = ()


class Witness:
    def __init__(self, name, change=lambda claim: None):
        self.agent, self.claim = expert(name), copy.deepcopy(explained_answer(expert(name)))
        change(self.claim)
        self.radix, (self.low, self.top) = self.claim["radix"], self.claim["rows"]
        self.blank = self.agent.alphabet[self.agent.blank]
        self.sign_only = self.claim["computes"] == "the sign of a-b"
        self.shapes = {}
        for shape in self.claim["shapes"]:
            self.shapes.setdefault((shape["state"], shape["row"]), []).append(shape)
        self.nothing = Piece((frozenset(self.blank),) * (self.top - self.low + 1), True, z3.IntVal(0),
                             z3.IntVal(1), (z3.IntVal(0),) * (self.top - self.low + 1))  # fmt: skip

    def fresh(self, column, many):
        """A piece of which nothing is known but what it is made of."""
        column, tag = tuple(frozenset(cell) for cell in column), next(NAMES)
        length, weight = (
            (z3.Int(f"l{tag}"), z3.Int(f"w{tag}")) if many else (z3.IntVal(1), z3.IntVal(self.radix))
        )
        facts, values = ([length >= 0, weight >= 1, weight >= length] if many else []), []
        for row, cell in enumerate(column):
            digits = sorted({int(s, 36) if s in self.agent.alphabet[: self.radix] else 0 for s in cell})
            value = z3.Int(f"v{tag}_{row}") if digits != [0] else z3.IntVal(0)
            if many:
                facts += [value >= 0, value <= weight - 1, z3.Implies(length == 0, value == 0)]
            else:
                facts.append(z3.Or([value == d for d in digits]))
            values.append(value)
        return Piece(column, many, length, weight, tuple(values), tuple(facts))

    def join(self, pieces):
        """Pieces from left to right as one."""
        whole = self.nothing
        for p in pieces:
            values = tuple(a * p.weight + b for a, b in zip(whole.values, p.values, strict=True))
            whole = Piece(p.column, True, whole.length + p.length, whole.weight * p.weight, values)
        return whole

    def nexts(self, side, rightwards):
        """(the column the head comes to, what is left, what the pieces named are made of) from a side."""
        if not side:
            yield self.fresh([self.blank] * len(self.nothing.column), False), [], {}
            return
        (name, piece), rest = side[0], side[1:]
        if not piece.many:
            yield piece, rest, {name: piece}
            return
        for column, left, made in self.nexts(rest, rightwards):
            yield column, left, {name: self.nothing, **made}
        column, more = self.fresh(piece.column, False), self.fresh(piece.column, True)
        whole = self.join([column, more] if rightwards else [more, column])
        yield column, [(name, more), *rest], {name: replace(whole, facts=column.facts + more.facts)}

    def readings(self, side, wanted, rightwards):
        """Every way to read a side (pieces from the head outwards) as the pieces wanted."""
        if not wanted:
            if all(cell == {self.blank} for p in side for cell in p.column):
                yield {}
            return
        (name, column, many), rest = wanted[0], wanted[1:]
        fits = [all(a <= set(b) for a, b in zip(p.column, column, strict=True)) for p in side]
        if not many:
            first = side[0] if side else self.fresh([self.blank] * len(column), False)
            covered = fits[0] if side else all(self.blank in cell for cell in column)
            if covered and not first.many:
                for found in self.readings(side[1:], rest, rightwards):
                    yield {name: first, **found}
            return
        for n in range(len(side) + 1):
            if not all(fits[:n]):
                return
            taken = side[:n] if rightwards else side[:n][::-1]
            for found in self.readings(side[n:], rest, rightwards):
                yield {name: self.join(taken), **found}

    def number(self, polynomial, made):
        """A polynomial of the file, in z3's numbers."""
        total = z3.IntVal(0)
        for text, factor in polynomial.items():
            term = z3.IntVal(factor)
            for unknown in filter(None, text.split("*")):
                if unknown.startswith("len "):
                    term = term * made[unknown[4:]].length
                elif unknown.startswith("R^"):
                    term = term * made[unknown[2:]].weight
                else:
                    name, row = unknown.split("@")
                    term = term * made[name].values[self.top - int(row)]
            total = total + term
        return total

    def holds(self, goal, facts):
        if z3.is_true(z3.simplify(goal)):
            return True
        solver = z3.Solver()
        solver.set("timeout", 20_000)
        solver.add(*facts, z3.Not(goal))
        return solver.check() == z3.unsat

    def steps(self, shape):
        """Check every step from a shape; how many there are."""
        named = {n: self.fresh(c, many) for n, c, many in [*shape["left"], *shape["right"]]}
        left, right = ([(n, named[n]) for n, _, _ in shape[part]] for part in ("left", "right"))
        row, state, checked = self.top - shape["row"], shape["state"], 0
        for symbol in shape["head"][row]:
            x = self.agent.alphabet.index(symbol)
            cells = [list(cell) for cell in shape["head"]]
            cells[row] = [symbol]
            head = self.fresh(cells, False)
            target, motion = int(self.agent.next[state, x]), int(self.agent.motion[state, x])
            written = self.agent.alphabet[self.agent.write[state, x]]
            value = z3.IntVal(int(written, 36) if written in self.agent.alphabet[: self.radix] else 0)
            columns, values = list(head.column), list(head.values)
            columns[row], values[row] = frozenset(written), value
            behind = Piece(tuple(columns), False, head.length, head.weight, tuple(values))
            dx, dy = OFFSETS[motion] if target >= 0 else (0, 0)
            around = {True: right, False: left[::-1]}
            if dx:
                ways = [(column, rest, made) for column, rest, made in self.nexts(around[dx > 0], dx > 0)]
            else:
                ways = [(behind, None, {})]
            for column, rest, made in ways:
                known = {**named, "h": head, **made}
                facts = [fact for p in (*known.values(), column) for fact in p.facts]
                facts.append(self.number(shape["bound"], known) >= 0)
                checked += 1
                if target == HALT:
                    pieces = [p for _, p in left] + [behind] + [p for _, p in right]
                    assert self.answers(self.number(shape["kept"][0], known), pieces, facts), (shape, symbol)
                    continue
                if target == MISSING:
                    assert self.holds(z3.BoolVal(False), facts), (shape, symbol)
                    continue
                ahead = around[dx > 0] if rest is None else rest
                sides = {True: [p for _, p in right], False: [p for _, p in left[::-1]]}
                if dx:
                    sides[dx > 0] = [p for _, p in ahead]
                    sides[dx < 0] = [behind, *sides[dx < 0]]
                assert self.lands(shape, known, facts, target, row - dy, column, sides), (shape, symbol)
        return checked

    def answers(self, kept, pieces, facts):
        """Whether the one row that is not blank is the numeral of what was kept."""
        blank = self.nothing.column
        while blank in (pieces[0].column, pieces[-1].column):
            pieces = pieces[1:] if pieces[0].column == blank else pieces[:-1]
        used = {i for p in pieces for i, cell in enumerate(p.column) if cell != {self.blank}}
        signed = any(p.column[i] == {"-"} for p in pieces for i in used)
        number = self.join(pieces).values[used.pop()] * (-1 if signed else 1)
        return not used and self.holds(kept == number, facts)

    def lands(self, shape, known, facts, target, row, column, sides):
        """Whether some listed shape takes the grid up; or there is no such grid."""
        for other in self.shapes.get((target, self.top - row), []):
            if not all(a <= set(b) for a, b in zip(column.column, other["head"], strict=True)):
                continue
            left = self.readings(sides[False], other["left"][::-1], False)
            right = list(self.readings(sides[True], other["right"], True))
            for one, two in product(left, right):
                made = {"h": column, **one, **two}
                goals = self.keeps(shape, known, other, made)
                if all(self.holds(goal, facts) for goal in goals):
                    return True
        return self.holds(z3.BoolVal(False), facts)

    def keeps(self, shape, known, other, made):
        """The same number, a bound that is not negative, and a smaller rank."""
        bounds = self.number(shape["bound"], known), self.number(other["bound"], made)
        goals = [z3.Or(z3.simplify(bounds[1] - bounds[0], som=True) >= 0, bounds[1] >= 0)]
        for i, (mine, theirs) in enumerate(zip(shape["kept"], other["kept"], strict=True)):
            a, b = self.number(mine, known), self.number(theirs, made)
            same = z3.simplify(a - b, som=True) == 0
            goals.append(z3.Or(same, z3.And(a > 0, b > 0), z3.And(a < 0, b < 0))
                         if self.sign_only and i == 0 else same)  # fmt: skip
        before, after = ([self.number(p, m) for p in s["rank"]] for s, m in ((shape, known), (other, made)))
        lower = z3.BoolVal(False)
        for a, b in reversed(list(zip(before, after, strict=True))):
            lower = z3.Or(a > b, z3.And(a == b, lower))
        return [*goals, lower, *(b >= 0 for b in after)]


SLOW = [
    pytest.param(name, marks=pytest.mark.slow) for name in ("add10", "sub3", "compare3", "mult2", "mult3")
]


@pytest.mark.parametrize("name", ["increment3", "add2", "sub2", *slow("compare2"), *SLOW])
def test_z3_agrees_with_the_checker(name):
    witness = Witness(name)
    assert sum(witness.steps(shape) for shape in witness.claim["shapes"]) > len(witness.claim["shapes"])


CHANGES = {
    "another number is kept": lambda shape: shape["kept"][0].update({"": 5}),
    "a rank that does not fall": lambda shape: shape.update(rank=[{} for _ in shape["rank"]]),
    "a bound that nothing keeps": lambda shape: shape.update(bound={"": -1}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_z3_refuses_what_is_wrong(change):
    """A witness that could not object would be none."""
    witness = Witness("add2", lambda claim: CHANGES[change](claim["shapes"][9]))
    with pytest.raises(AssertionError):
        sum(witness.steps(shape) for shape in witness.claim["shapes"])
