"""Options that several commands share, so that they look and read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import tyro


def option(metavar: str | None = None, **more: Any) -> object:
    """An option whose help tells all there is to tell, without tyro's note of its default."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint="", **more)


SubjectArgument = Annotated[str, tyro.conf.Positional, option("SUBJECT")]
"""What runs, is measured, proved or drawn; `dfst.subjects` tells what it may be."""

InputArgument = Annotated[str, tyro.conf.Positional, option("[INPUT]")]

Pattern = Annotated[str | None, option("REGEX")]
"""Inputs as a regular expression; `dfst.languages.regex` tells what it may be."""

OtherSubject = Annotated[str | None, option("SUBJECT")]

Switch = Annotated[bool, tyro.conf.FlagCreatePairsOff, option()]
"""An option without a value."""

File = Annotated[Path | None, option("FILE")]
Folder = Annotated[Path | None, option("FOLDER")]
OutFile = Annotated[Path | None, option("FILE", aliases=("-o",))]

Number = Annotated[int | None, option("N")]
Real = Annotated[float | None, option("X")]
"""A value in place of a preset's; None keeps it."""
