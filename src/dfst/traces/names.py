"""Symbols and motions of a recording: their names in a file, their numbers in a trace."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.world.trace import UNKNOWN

UNSEEN = "?"  # what stands in a file for what is not known, unless the alphabet has it


class Names:
    """The names of numbers in a trace, and back."""

    def __init__(self, known: tuple[str, ...], every: tuple[str, ...]) -> None:
        """known: those that may be read, of every name in the order of its number"""
        self.known = known
        self.index = {UNSEEN: UNKNOWN} | {name: every.index(name) for name in known}
        self._names = [*every, *[UNSEEN] * (UNKNOWN + 1 - len(every))]
        single = {ord(name): number for name, number in self.index.items() if len(name) == 1}
        self._numbers = np.full(max(single) + 2, -1, dtype=np.int16)
        self._numbers[list(single)] = list(single.values())
        self._codes = np.array([ord(name) if len(name) == 1 else 0 for name in self._names], dtype="<u4")

    def numbers(self, given: str | list[Any]) -> NDArray[np.uint8] | None:
        """None where one has no number."""
        if isinstance(given, str):
            codes = np.frombuffer(given.encode("utf-32-le"), dtype="<u4")
            found = self._numbers[np.minimum(codes, len(self._numbers) - 1)]
            return None if found.min() < 0 else found.astype(np.uint8)
        numbers = [self.index.get(name, -1) if isinstance(name, str) else -1 for name in given]
        return None if min(numbers) < 0 else np.array(numbers, dtype=np.uint8)

    def text(self, numbers: NDArray[np.uint8]) -> str:
        """Where each name is one character."""
        return self._codes[numbers].tobytes().decode("utf-32-le")

    def names(self, numbers: NDArray[np.uint8]) -> list[str]:
        return [self._names[number] for number in numbers.tolist()]
