"""Tasks about numbers, at any radix from 2 to 36: add10 is 12+34 → 46. `FAMILIES` lists them."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, product

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.tasks.task import Layout, Operands, Task, short
from dfst.world.grid import BLANK

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
VALUES = bytes.maketrans(DIGITS.encode(), bytes(range(len(DIGITS))))
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


@dataclass(frozen=True)
class Family:
    """A task for every radix."""

    name: str
    operator: str | None  # the symbol between two operands; None for one operand
    answer: Callable[..., int | None]
    """What Python's integers answer; None where there is no answer, which is written ?."""
    layout: Layout
    meaning: str
    marks: tuple[str, ...] = ()  # further symbols that its agents need
    many: bool = False  # whether there may be more than two operands
    divides: bool = False
    """Whether the second operand divides: then training sets hold the longer number first."""


# fmt: off
_EVERY = (
    Family("add", "+", lambda a, b: a + b, "operator", "the sum"),
    Family("mult", "×", lambda a, b: a * b, "operator", "the product"),
    Family("sub", "-", lambda a, b: a - b, "operator", "the difference, with a sign"),
    Family("compare", "-", lambda a, b: (a > b) - (a < b), "operator",
           "the sign of the difference: -1, 0 or 1"),
    Family("increment", None, lambda a: a + 1, "last", "the number plus one"),
    Family("sort", None, lambda a: a, "first", "the digits in ascending order"),
    Family("sum", "+", lambda *all: sum(all), "first", "the sum of all numbers", marks=("|",), many=True),
    Family("div", "/", lambda a, b: a // b if b else None, "first",
           "the quotient, rounded down; ? if b is 0", marks=("?",), divides=True),
    Family("mod", "%", lambda a, b: a % b if b else None, "first",
           "the remainder; ? if b is 0", marks=("?",), divides=True),
    Family("gcd", ",", math.gcd, "first", "the greatest common divisor"),
    Family("sqrt", None, math.isqrt, "first", "the square root, rounded down", marks=("|",)),
)
# fmt: on
FAMILIES = {family.name: family for family in _EVERY}


@dataclass(frozen=True, kw_only=True)
class NumberTask(Task):
    """A family at one radix, such as add10."""

    family: Family
    radix: int

    @property
    def operand_count(self) -> int:
        """Of random inputs; where there may be many, three."""
        return 3 if self.family.many else super().operand_count

    @property
    def digits(self) -> str:
        return DIGITS[: self.radix]

    def parse(self, text: str) -> Operands:
        """The operands in `text`, checked. `*` and `x` mean ×."""
        text = text.strip().lower()
        if self.operator is None:
            operands = [text]
        else:
            if self.operator == "×":
                text = text.replace("*", "×") if self.radix > 33 else text.replace("*", "×").replace("x", "×")
            operands = [operand.strip() for operand in text.split(self.operator)]
            if len(operands) < 2 or (len(operands) > 2 and not self.family.many):
                sign, many = self.operator, self.family.many
                between = f"{sign} between numbers" if many else f"one {sign} between two numbers"
                found = f"found {len(operands) - 1} in {short(text)}"
                raise InputError(f"{self.name} takes {between}, {found}; try {self.example}")
        for operand in operands:
            if not operand:
                raise InputError(f"{self.name} found an empty operand in {short(text)}; try {self.example}")
            bad = operand.strip(self.digits)
            if bad:
                raise InputError(
                    f"{self.name} takes digits {self.digits[0]} to {self.digits[-1]}, "
                    f"found {bad[0]!r} in {short(text)}; try {self.example}"
                )
        return tuple(operands)

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        parts = [_digit_values(operand) for operand in self.parse(text)]
        if self.operator is None:
            return parts[0], 0 if self.layout == "first" else len(parts[0]) - 1
        between = np.array([self.radix + 1], dtype=np.uint8)
        start = len(parts[0]) if self.layout == "operator" else 0
        return np.concatenate([parts[0], *(piece for part in parts[1:] for piece in (between, part))]), start

    def solve(self, operands: Operands) -> str:
        """The right answer, by Python's integers."""
        if self.family.name == "sort":
            return "".join(sorted(operands[0]))
        answer = self.family.answer(*(to_int(operand, self.radix) for operand in operands))
        if answer is None:
            return "?"
        digits = to_digits(abs(answer), self.radix)
        if self.family.name == "increment":
            return digits.rjust(len(operands[0]), "0")
        return f"-{digits}" if answer < 0 else digits

    def random_operand(self, rng: np.random.Generator, length: int) -> str:
        """A number of exactly `length` digits: its first digit is not zero, unless it is the only one."""
        values = rng.integers(0, self.radix, size=length)
        if length > 1:
            values[0] = rng.integers(1, self.radix)
        return "".join(DIGITS[v] for v in values)

    def sampled_operand(self, rng: np.random.Generator, length: int) -> str:
        """Any digit string, as the paper's sampler draws it."""
        return "".join(np.array(list(self.digits))[rng.integers(0, self.radix, size=length)])

    def sampled_lengths(self, rng: np.random.Generator, longest: int) -> list[int]:
        lengths = super().sampled_lengths(rng, longest)
        return sorted(lengths, reverse=True) if self.family.divides else lengths

    def uneven_operand(self, rng: np.random.Generator, length: int) -> str:
        """A third repeat one digit, half of the others have leading zeros."""
        if rng.random() < 1 / 3:
            return str(rng.choice(list(self.digits))) * length
        zeros = int(rng.integers(0, length)) if rng.random() < 1 / 2 else 0
        digits = rng.choice(list(self.digits), size=length - zeros)
        return "0" * zeros + "".join(digits)

    def repeated(self, length: int) -> list[Operands]:
        """Every combination of one repeated digit."""
        return list(product([digit * length for digit in self.digits], repeat=super().operand_count))

    def hard(self, length: int) -> Mapping[str, Operands]:
        """Carry chains, leading zeros, zeros, lopsided lengths; where there may be many, many."""
        m, top = length, self.digits[-1]
        two = DIGITS[2] if self.radix > 2 else "10"
        alternating = (top + "0") * ((m + 1) // 2)
        if self.operand_count == 1:
            return {
                "carry chain": (top * m,),
                "zeros": ("0" * m,),
                "leading zeros": ("0" * (m - 1) + "1",),
                "power of the radix": ("1" + "0" * (m - 1),),
                "alternating": (alternating[:m],),
            }
        small = ("0" * m + two)[-m:]
        many = {"many numbers": (top,) * m} if self.family.many and m > 1 else {}
        return {
            "carry chain": (top * m, "1"),
            "carry chain, turned": ("1", top * m),
            "carry chain, same length": (top * m, ("0" * m + "1")[-m:]),
            "leading zeros": (small, small),
            "zeros": ("0" * m, "0" * m),
            "zero and a number": ("0" * m, top * m),
            "a number and zero": (top * m, "0"),
            "lopsided": (alternating[:m], top),
            "lopsided, turned": (top, alternating[:m]),
            "powers of the radix": ("1" + "0" * (m - 1), "1" + "0" * (m - 1)),
            "alternating": (alternating[:m], alternating[-m:]),
        } | many

    def by_length(self) -> Iterator[Operands]:
        for total in count(super().operand_count):
            if self.family.many:
                yield from self._many(total + 1)
                continue
            for first in range(1, total) if self.operator else [total]:
                for text in map("".join, product(self.digits, repeat=total)):
                    yield (text[:first], text[first:]) if self.operator else (text,)

    def _many(self, length: int) -> Iterator[Operands]:
        """Every input of two operands or more that takes that many cells."""
        for symbols in product((*self.digits, "+"), repeat=length):
            operands = tuple("".join(symbols).split("+"))
            if len(operands) > 1 and all(operands):
                yield operands

    def count_up_to(self, length: int, enough: int) -> int:
        return (self.radix * (self.radix**length - 1) // (self.radix - 1)) ** super().operand_count

    def up_to(self, length: int) -> Iterator[Operands]:
        strings = ["".join(s) for n in range(1, length + 1) for s in product(self.digits, repeat=n)]
        return product(strings, repeat=super().operand_count)

    def smaller(self, operands: Operands) -> Iterator[Operands]:
        for k, operand in enumerate(operands):
            for i in range(len(operand)) if len(operand) > 1 else ():
                yield (*operands[:k], operand[:i] + operand[i + 1 :], *operands[k + 1 :])


def number_task(family: Family, radix: int) -> NumberTask:
    """The alphabet: digits, the blank, the operator, as in the paper; then what else an answer needs."""
    operator = () if family.operator is None else (family.operator,)
    return NumberTask(
        name=f"{family.name}{radix}", meaning=family.meaning, family=family, radix=radix, unit="digits",
        example="100" if family.operator is None else f"100{family.operator}11",
        alphabet=(*DIGITS[:radix], BLANK, *operator, *family.marks), layout=family.layout,
        operator=family.operator, kinds=("".join((*DIGITS[:radix], *operator)),) if family.many else (),
    )  # fmt: skip


def _digit_values(digits: str) -> NDArray[np.uint8]:
    return np.frombuffer(digits.encode("ascii").translate(VALUES), dtype=np.uint8)
