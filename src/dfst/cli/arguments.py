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
from typing import Annotated, Any

from dfst.errors import InputError
from dfst.files.plain import MOST_BYTES, as_text, read_plain


@dataclass(frozen=True)
class Option:
    """How a field of a command is typed."""

    metavar: str = ""
    """Stands for its value in the help"""
    place: bool = False
    """It is told by its place, without a name"""
    short: str = ""
    name: str = ""
    """Where it is not made of the field's"""


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


SubjectArgument = Annotated[str, Option("SUBJECT", place=True)]
"""What runs, is measured, proved or drawn; `dfst.subjects` tells what it may be."""
OtherSubject = Annotated[str | None, Option("SUBJECT")]
InputArgument = Annotated[str | None, Option("[INPUT]", place=True)]
"""None where nothing was typed, which is not the same as the empty input."""
Texts = Annotated[tuple[str, ...], Option("TEXT [TEXT …]")]
Words = Annotated[tuple[str, ...], Option("NAME [NAME …]")]
Set = Annotated[tuple[str, ...], Option("NAME=VALUE [NAME=VALUE …]")]
"""Settings by name (`dfst.train.settings`)."""
Pattern = Annotated[str | None, Option("REGEX")]
"""Inputs as a regular expression; `dfst.languages.regex` tells what it may be."""
File = Annotated[Path | None, Option("FILE")]
Folder = Annotated[Path | None, Option("FOLDER")]
OutFile = Annotated[Path | None, Option("FILE", short="-o")]

COUNTED = Within(1, 1_000_000_000)
STEPPED = Within(1, 10**18)  # what is counted but never kept; it fits a machine word
SEEDED = Within(0, 2**32 - 1)

Steps = Annotated[int, Option("N"), STEPPED]
Seed = Annotated[int, Option("N"), SEEDED]
Lengths = Annotated[tuple[int, ...], Option("N [N …]"), Within(1, 1_000_000)]  # numbers of digits
Number = Annotated[int | None, Option("N"), COUNTED]
SeedNumber = Annotated[int | None, Option("N"), SEEDED]
Real = Annotated[float | None, Option("X"), Within(0, sys.float_info.max, above=True)]
RealOrZero = Annotated[float | None, Option("X"), Within(0, sys.float_info.max)]


def first_given(command: Any, names: Iterable[str]) -> str | None:
    """The first of these fields that was given a value of its own, as it is typed; None where none was."""
    usual = {field.name: field.default for field in fields(command)}
    given = (name for name in names if getattr(command, name) != usual[name])
    return next((f"--{name.replace('_', '-')}" for name in given), None)


def check_inputs(inputs: Iterable[str], unit: Any) -> None:
    """Of several inputs, say which one cannot be laid out."""
    for number, text in enumerate(inputs, 1):
        try:
            unit.encode(text)
        except InputError as error:
            raise InputError(f"input {number}: {error}") from error


INPUTS_ADVICE = "give inputs, each on its line"


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
