"""Tasks: what is asked, in which words, and what Python's own integers answer.

A task knows its alphabet, reads an input such as `999+1`, says where the head starts, draws random
and hard inputs, and solves them without any agent. Everything that is checked is checked against it.

    add2 … add36        12+34 → 46
    mult2 … mult36      12×34 → 408         also written 12*34 or 12x34
    sub2 … sub36        12-34 → -22
    compare2 … 36       12-34 → -1          the sign of the difference: -1, 0 or 1
    increment2 … 36     199 → 200           keeps leading zeros
    sort2 … sort36      3141 → 1134
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError, UnknownName
from dfst.world.grid import BLANK

Layout = Literal["first", "last", "operator"]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MIN_RADIX, MAX_RADIX = 2, 36


def to_int(digits: str, radix: int) -> int:
    """The value of a digit string of any length (Python's own conversion stops at 4300 decimal digits)."""
    if len(digits) <= 1000:
        return int(digits, radix)
    half = len(digits) // 2
    return to_int(digits[:half], radix) * radix ** (len(digits) - half) + to_int(digits[half:], radix)


def to_digits(value: int, radix: int) -> str:
    """A non-negative integer in a radix, without leading zeros; zero is `0`."""
    if value < radix:
        return DIGITS[value]
    width = 1
    while radix**width <= value:
        width *= 2

    def fixed(n: int, width: int) -> str:
        if width == 1:
            return DIGITS[n]
        high, low = divmod(n, radix ** (width // 2))
        return fixed(high, width // 2) + fixed(low, width // 2)

    return fixed(value, width).lstrip("0")


def _add(a: str, b: str, radix: int) -> str:
    return to_digits(to_int(a, radix) + to_int(b, radix), radix)


def _mult(a: str, b: str, radix: int) -> str:
    return to_digits(to_int(a, radix) * to_int(b, radix), radix)


def _sub(a: str, b: str, radix: int) -> str:
    difference = to_int(a, radix) - to_int(b, radix)
    return ("-" if difference < 0 else "") + to_digits(abs(difference), radix)


def _compare(a: str, b: str, radix: int) -> str:
    left, right = to_int(a, radix), to_int(b, radix)
    return "1" if left > right else "0" if left == right else "-1"


def _increment(a: str, radix: int) -> str:
    return to_digits(to_int(a, radix) + 1, radix).rjust(len(a), "0")


def _sort(a: str, radix: int) -> str:
    return "".join(sorted(a))


@dataclass(frozen=True)
class Family:
    """A task for every radix."""

    name: str
    operator: str | None
    """The symbol between two operands; None for one operand."""
    solve: Callable[..., str]
    layout: Layout
    meaning: str


FAMILIES = {
    family.name: family
    for family in (
        Family("add", "+", _add, "operator", "the sum"),
        Family("mult", "×", _mult, "operator", "the product"),
        Family("sub", "-", _sub, "operator", "the difference, with a sign"),
        Family("compare", "-", _compare, "operator", "the sign of the difference: -1, 0 or 1"),
        Family("increment", None, _increment, "last", "one more"),
        Family("sort", None, _sort, "first", "the digits in ascending order"),
    )
}


@dataclass(frozen=True)
class Task:
    """A family at one radix, such as add10."""

    family: Family
    radix: int

    @property
    def name(self) -> str:
        return f"{self.family.name}{self.radix}"

    @property
    def operator(self) -> str | None:
        return self.family.operator

    @property
    def layout(self) -> Layout:
        return self.family.layout

    @property
    def operand_count(self) -> int:
        return 1 if self.operator is None else 2

    @property
    def digits(self) -> tuple[str, ...]:
        return tuple(DIGITS[: self.radix])

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """Digits, the blank, the operator: the paper's order."""
        return (*self.digits, BLANK) if self.operator is None else (*self.digits, BLANK, self.operator)

    def parse(self, text: str) -> tuple[str, ...]:
        """The operands in `text`, checked. `*` and `x` mean ×."""
        text = text.strip().lower()
        if self.operator is None:
            operands = [text]
        else:
            if self.operator == "×":
                text = text.replace("*", "×") if self.radix > 33 else text.replace("*", "×").replace("x", "×")
            operands = [operand.strip() for operand in text.split(self.operator)]
            if len(operands) != 2:
                raise InputError(
                    f"{self.name} takes one {self.operator} between two numbers, "
                    f"found {len(operands) - 1} in {_short(text)}; try {self.example}"
                )
        for operand in operands:
            if not operand:
                raise InputError(f"{self.name} found an empty operand in {_short(text)}; try {self.example}")
            bad = operand.strip("".join(self.digits))
            if bad:
                raise InputError(
                    f"{self.name} takes digits {self.digits[0]} to {self.digits[-1]}, "
                    f"found {bad[0]!r} in {_short(text)}; try {self.example}"
                )
        return tuple(operands)

    def write(self, operands: tuple[str, ...]) -> str:
        """Operands as the text that `parse` reads."""
        return (self.operator or "").join(operands)

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""
        return self.encode_operands(self.parse(text))

    def encode_operands(self, operands: tuple[str, ...]) -> tuple[NDArray[np.uint8], int]:
        parts = [_digit_values(operand) for operand in operands]
        if self.operator is None:
            return parts[0], 0 if self.layout == "first" else len(parts[0]) - 1
        between = np.array([self.radix + 1], dtype=np.uint8)
        return np.concatenate([parts[0], between, parts[1]]), len(parts[0])

    def solve(self, operands: tuple[str, ...]) -> str:
        """The right answer, by Python's integers."""
        return self.family.solve(*operands, self.radix)

    @property
    def example(self) -> str:
        one, two = "1" * 2, "1" + "0" * 2
        return self.write((two,) if self.operator is None else (two, one))

    def random_operand(self, rng: np.random.Generator, length: int) -> str:
        """A number of exactly `length` digits: its first digit is not zero, unless it is the only one."""
        values = rng.integers(0, self.radix, size=length)
        if length > 1:
            values[0] = rng.integers(1, self.radix)
        return "".join(DIGITS[v] for v in values)

    def random_operands(self, rng: np.random.Generator, lengths: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.random_operand(rng, length) for length in lengths)


def _digit_values(digits: str) -> NDArray[np.uint8]:
    raw = np.frombuffer(digits.encode("ascii"), dtype=np.uint8)
    return np.where(raw >= ord("a"), raw - ord("a") + 10, raw - ord("0")).astype(np.uint8)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "…")


def find_task(name: str) -> Task:
    """The task called `name`, such as `add10`."""
    match = re.fullmatch(r"([a-z]+)(\d+)", name)
    # Python refuses to read numbers of thousands of digits; all of more than a few are out of range alike.
    family, radix = (match[1], int(match[2][:9])) if match else (name, 0)
    if family not in FAMILIES or match is None:
        raise UnknownName(
            "task", name, [f"{f}{r}" for f in FAMILIES for r in (2, 10)], "(any radix from 2 to 36)"
        )
    if not MIN_RADIX <= radix <= MAX_RADIX:
        raise InputError(
            f"task {name[:24]}: the radix must be {MIN_RADIX} to {MAX_RADIX}, found {radix}; try {family}10"
        )
    return Task(FAMILIES[family], radix)
