"""Shapes as one writes them down, and as the checker reads them.

    book.shape("over_a", 0, "u:D* m:D/+ p:D*", "D", "q:D* o:+ b:D*", value, rank)

A piece is name:column, with * for any number of columns. A column names the set of each row, from row 0 down,
parted by slashes; all other rows are blank. The head's column has no name but h.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dfst.machines.agent import Agent
from dfst.proof.answer_checker import Polynomial, constant, plus, times
from dfst.tasks.numbers import DIGITS


@dataclass(frozen=True)
class Number:
    """A polynomial with the operators that one expects."""

    terms: Polynomial

    def __add__(self, other: Number | int) -> Number:
        return Number(plus(self.terms, _terms(other)))

    def __sub__(self, other: Number | int) -> Number:
        return Number(plus(self.terms, _terms(other), -1))

    def __mul__(self, other: Number | int) -> Number:
        return Number(times(self.terms, _terms(other)))

    def __neg__(self) -> Number:
        return self * -1

    __radd__, __rmul__ = __add__, __mul__

    def as_json(self) -> dict[str, int]:
        return {"*".join(product): count for product, count in sorted(self.terms.items())}


def _terms(number: Number | int) -> Polynomial:
    return constant(number) if isinstance(number, int) else number.terms


def weight(names: str) -> Number:
    """R to the number of columns of these pieces."""
    product = Number(constant(1))
    for name in names.split():
        product *= Number({(f"R^{name}",): 1})
    return product


def value(names: str, row: int = 0) -> Number:
    """These pieces, from left to right, as one numeral on that row."""
    total = Number({})
    for name in names.split():
        total = total * weight(name) + Number({(f"{name}@{row}",): 1})
    return total


def length(names: str) -> Number:
    """How many columns these pieces have."""
    total = Number({})
    for name in names.split():
        total += Number({(f"len {name}",): 1})
    return total


@dataclass
class ShapeBook:
    """The shapes of one machine, in the making."""

    machine: Agent
    radix: int
    rows: tuple[int, int]  # the lowest and the highest row
    shapes: list[dict[str, Any]] = field(default_factory=list)

    def shape(
        self, state: str, row: int, left: str, head: str, right: str,
        kept: Number | list[Number], rank: list[Number | int], bound: Number | int = 0,
    ) -> None:  # fmt: skip
        """State and row; the columns left of the head, under it and right of it; what is kept, how far the
        end is, and what is never below zero."""
        self.shapes.append({
            "state": self.machine.states.index(state), "row": row,
            "left": self._pieces(left), "head": self._column(head), "right": self._pieces(right),
            "kept": [number.as_json() for number in (kept if isinstance(kept, list) else [kept])],
            "bound": Number(_terms(bound)).as_json(),
            "rank": [Number(_terms(number)).as_json() for number in rank],
        })  # fmt: skip

    def _pieces(self, text: str) -> list[list[Any]]:
        named = (piece.split(":") for piece in text.split())
        return [[name, self._column(column.rstrip("*")), column.endswith("*")] for name, column in named]

    def _column(self, text: str) -> list[str]:
        low, high = self.rows
        cells, blank = [self._cell(name) for name in text.split("/")], self._cell("_")
        return ([blank] * high + cells + [blank] * -low)[: high - low + 1]

    def _cell(self, name: str) -> str:
        """D: digits, N: all but zero, T: all but the highest, H: the highest, _: the blank; or a symbol."""
        digits = DIGITS[: self.radix]
        sets = {
            "D": digits,
            "N": digits[1:],
            "T": digits[:-1],
            "H": digits[-1],
            "_": self.machine.alphabet[self.machine.blank],
        }
        return sets.get(name, name)

    def as_json(self, computes: str) -> dict[str, Any]:
        """The `answer` of a proof file."""
        return {"computes": computes, "radix": self.radix, "rows": list(self.rows), "shapes": self.shapes}
