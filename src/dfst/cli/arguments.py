"""Options that several commands share, so that they look and read the same everywhere.

A number says which values it takes, and one place refuses all others: what no machine word, no memory or no
clock can hold is a slip of the hand, answered before a command begins, so that none leaves anything behind.
"""

import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from gzip import GzipFile
from io import BytesIO
from os.path import isfile
from pathlib import Path
from typing import Annotated, Any, Union, get_type_hints

import tyro

from dfst.errors import InputError
from dfst.files.plain import MOST_BYTES, as_text, read_plain


def option(metavar: str | None = None, **more: Any) -> object:
    """An option whose help tells all there is to tell, without tyro's note of its default."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint="", **more)


def first_given(command: Any, names: Iterable[str]) -> str | None:
    """The first of these fields that was given a value of its own, as it is typed; None where none was."""
    usual = {field.name: field.default for field in fields(command)}
    given = (name for name in names if getattr(command, name) != usual[name])
    return next((f"--{name.replace('_', '-')}" for name in given), None)


SubjectArgument = Annotated[str, tyro.conf.Positional, option("SUBJECT")]
"""What runs, is measured, proved or drawn; `dfst.subjects` tells what it may be."""

Pattern = Annotated[Union[str, None], option("REGEX")]  # noqa: UP007
"""Inputs as a regular expression; `dfst.languages.regex` tells what it may be."""

# Unions are spelt out: for `X | None` tyro loads another package, which takes as long as a short run.
InputArgument = Annotated[Union[str, None], tyro.conf.Positional, option("[INPUT]")]  # noqa: UP007
"""None where nothing was typed, which is not the same as the empty input."""

OtherSubject = Annotated[Union[str, None], option("SUBJECT")]  # noqa: UP007

# For the same reason a bare type, which holds strings: for `tuple[str, ...]` it is loaded, too.
InputArguments = Annotated[tuple, tyro.conf.Positional, option("[INPUT …]")]

Switch = Annotated[bool, tyro.conf.FlagCreatePairsOff, option()]  # an option without a value

Set = Annotated[tuple[str, ...], option("NAME=VALUE [NAME=VALUE …]")]
"""Settings by name (`dfst.train.settings`)."""

File = Annotated[Union[Path, None], option("FILE")]  # noqa: UP007
Folder = Annotated[Union[Path, None], option("FOLDER")]  # noqa: UP007
OutFile = Annotated[Union[Path, None], option("FILE", aliases=("-o",))]  # noqa: UP007


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


INPUTS_ADVICE = "give inputs, each on its line"
COUNTED = Within(1, 1_000_000_000)
STEPPED = Within(1, 10**18)  # what is counted but never kept; it fits a machine word
SEEDED = Within(0, 2**32 - 1)
POSITIVE = Within(0, sys.float_info.max, above=True)

Steps = Annotated[int, option("N"), STEPPED]
Seed = Annotated[int, option("N"), SEEDED]
Lengths = Annotated[tuple[int, ...], option("N [N …]"), Within(1, 1_000_000)]  # numbers of digits

# Those that may be left out. Unions are spelt out for the reason told above.
Number = Annotated[Union[int, None], option("N"), COUNTED]  # noqa: UP007
SeedNumber = Annotated[Union[int, None], option("N"), SEEDED]  # noqa: UP007
Real = Annotated[Union[float, None], option("X"), POSITIVE]  # noqa: UP007
RealOrZero = Annotated[Union[float, None], option("X"), Within(0, sys.float_info.max)]  # noqa: UP007


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


def lines_given(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The inputs themselves; where a file is named, which may be packed by gzip, each of its lines."""
    if len(inputs) != 1 or not isfile(inputs[0]):
        return inputs
    file = inputs[0]
    content = read_plain(file, INPUTS_ADVICE)
    if file.endswith(".gz"):
        try:
            content = GzipFile(fileobj=BytesIO(content)).read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                f"cannot read {file}: it is not packed by gzip, or damaged; {INPUTS_ADVICE}"
            ) from error
        if len(content) > MOST_BYTES:
            raise InputError(f"{file}: expected at most {MOST_BYTES:,} bytes, found more; {INPUTS_ADVICE}")
    text = as_text(content, file, INPUTS_ADVICE)
    if not text:
        raise InputError(f"{file}: expected inputs, each on its line, found none")
    return tuple(dict.fromkeys(text.splitlines()))
