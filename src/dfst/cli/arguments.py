"""Options that several commands share, so that they look and read the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Union

import tyro


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

Switch = Annotated[bool, tyro.conf.FlagCreatePairsOff, option()]
"""An option without a value."""

Set = Annotated[tuple[str, ...], option("NAME=VALUE [NAME=VALUE …]")]
"""Settings by name (`dfst.train.settings`)."""

File = Annotated[Union[Path, None], option("FILE")]  # noqa: UP007
Folder = Annotated[Union[Path, None], option("FOLDER")]  # noqa: UP007
OutFile = Annotated[Union[Path, None], option("FILE", aliases=("-o",))]  # noqa: UP007
