"""Numbers as options: each says which values it takes, and one place refuses all the others.

A number that no machine word, no memory or no clock can hold is a slip of the hand. It is answered before
a command begins, so that no command leaves anything behind for it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, Union, get_type_hints

from dfst.cli.arguments import option
from dfst.errors import InputError


@dataclass(frozen=True)
class Within:
    """The values an option takes."""

    least: int
    most: float
    above: bool = False
    """The least itself is not taken."""

    def holds(self, value: float) -> bool:
        return (self.least < value if self.above else self.least <= value) and value <= self.most

    def __str__(self) -> str:
        if self.most == sys.float_info.max:
            return f"a finite number {'above' if self.above else 'of at least'} {self.least}"
        return f"a whole number from {self.least:,} to {self.most:,}"


COUNTED = Within(1, 1_000_000_000)
STEPPED = Within(1, 10**18)
"""What is counted but never kept; it fits a machine word."""
SEEDED = Within(0, 2**32 - 1)
POSITIVE = Within(0, sys.float_info.max, above=True)

Steps = Annotated[int, option("N"), STEPPED]
Seed = Annotated[int, option("N"), SEEDED]
Lengths = Annotated[tuple[int, ...], option("N [N …]"), Within(1, 1_000_000)]
"""Numbers of digits."""

# Those that may be left out. Unions are spelt out for the reason told in `cli.arguments`.
Number = Annotated[Union[int, None], option("N"), COUNTED]  # noqa: UP007
SeedNumber = Annotated[Union[int, None], option("N"), SEEDED]  # noqa: UP007
Real = Annotated[Union[float, None], option("X"), POSITIVE]  # noqa: UP007
SizeOrFit = Annotated[Union[str, None], option("N|fit")]  # noqa: UP007
RealOrZero = Annotated[Union[float, None], option("X"), Within(0, sys.float_info.max)]  # noqa: UP007


def size_or_fit(text: str | None) -> int | Literal["fit"] | None:
    """What stands after --hidden-size."""
    if text is None or text == "fit":
        return "fit" if text else None
    if not text.isdecimal() or not COUNTED.holds(int(text)):
        raise InputError(f"--hidden-size takes {COUNTED}, or fit, found {text}")
    return int(text)


def limits_of(command: type[Any]) -> dict[str, Within]:
    """Field → the numbers it takes, for every field of a command that takes numbers."""
    hints = get_type_hints(command, include_extras=True)
    marked = ((field.name, getattr(hints[field.name], "__metadata__", ())) for field in fields(command))
    return {name: mark for name, marks in marked for mark in marks if isinstance(mark, Within)}


def check_numbers(command: Any) -> None:
    """Refuse a command one of whose numbers lies outside its limits."""
    for name, limits in limits_of(type(command)).items():
        given = getattr(command, name)
        for value in given if isinstance(given, tuple) else (given,):
            if value is not None and not limits.holds(value):
                shown = f"{value:,}" if isinstance(value, int) else f"{value:g}"
                raise InputError(f"--{name.replace('_', '-')} takes {limits}, found {shown}")
