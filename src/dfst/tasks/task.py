"""What every task can do, be it about numbers or about words.

A task knows its alphabet, reads an input as people type it, says where the head starts, draws random and hard
inputs of a length, and solves them without any agent. An input is one or more operands: the two numbers of
12+34, the one word of parity. Its *length* is the number of symbols of its longest operand.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

Layout = Literal["first", "last", "operator"]
Operands = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """Inputs, how they are drawn, and the right answers."""

    plane: ClassVar[bool] = False  # whether inputs and answers are boards of several rows

    name: str
    meaning: str  # what the answer is, in a few words
    example: str  # an input to try
    alphabet: tuple[str, ...]  # the symbols of its agents, in the order of their tensors
    layout: Layout = "first"  # where the head starts
    operator: str | None = None  # the symbol between two operands; None for one operand
    unit: str = "symbols"  # what lengths are counted in: digits or symbols
    kinds: tuple[str, ...] = ()
    """Symbols that its expert treats much alike, together: what a proof need not tell apart. None are named
    where the inputs say it themselves."""

    @property
    def operand_count(self) -> int:
        return 1 if self.operator is None else 2

    @abstractmethod
    def parse(self, text: str) -> Operands:
        """The operands in `text`, checked."""

    @abstractmethod
    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""

    @abstractmethod
    def solve(self, operands: Operands) -> str:
        """The right answer, by plain Python."""

    @abstractmethod
    def random_operand(self, rng: np.random.Generator, length: int) -> str:
        """An operand of that length, or of the nearest one that there is."""

    @abstractmethod
    def uneven_operand(self, rng: np.random.Generator, length: int) -> str:
        """An operand as chance seldom makes it: one symbol repeated, or leading zeros."""

    def sampled_operand(self, rng: np.random.Generator, length: int) -> str:
        """An operand for a training set."""
        return self.random_operand(rng, length)

    @abstractmethod
    def repeated(self, length: int) -> list[Operands]:
        """Every input that repeats one thing over and over."""

    def always(self, length: int) -> list[Operands]:
        """What every training set of inputs of up to this length has."""
        return self.repeated(length)

    @abstractmethod
    def hard(self, length: int) -> Mapping[str, Operands]:
        """Inputs where models are known to fail, and what they are called."""

    @abstractmethod
    def by_length(self) -> Iterator[Operands]:
        """Every input, the shorter first."""

    def up_to(self, length: int) -> Iterator[Operands]:
        """Every input of at most that length."""
        return takewhile(lambda operands: len(operands[0]) <= length, self.by_length())

    def count_up_to(self, length: int, enough: int) -> int:
        """How many inputs there are of at most that length; `enough` stands for more."""
        return sum(1 for _ in islice(self.up_to(length), enough))

    @abstractmethod
    def smaller(self, operands: Operands) -> Iterator[Operands]:
        """Inputs that are a little shorter."""

    def write(self, operands: Operands) -> str:
        """Operands as the text that `parse` reads."""
        return (self.operator or "").join(operands)

    def sampled_lengths(self, rng: np.random.Generator, longest: int) -> list[int]:
        """The lengths of the operands of an input for a training set."""
        return [int(n) for n in rng.integers(1, longest + 1, size=self.operand_count)]

    def random_operands(self, rng: np.random.Generator, lengths: tuple[int, ...]) -> Operands:
        return tuple(self.random_operand(rng, length) for length in lengths)


def short(text: str) -> str:
    """A text for a message, cut where it is long."""
    return repr(text if len(text) <= 40 else text[:37] + "…")
