"""The reference of the site, made from the code when it is built: command line, settings, Python names.

Nothing here is written twice. A command's words are its own help, a setting's stand below its field, a Python
name's are its docstring.
"""

from __future__ import annotations

import contextlib
import io
import os
from unittest.mock import patch

import dfst
from dfst import cli
from dfst.cli.commands import COMMANDS
from dfst.train.settings import Setting, settings

COLUMNS = "80"
"""The width of the help texts."""


def reference() -> dict[str, str]:
    """{page: its text}."""
    return {
        "reference/command-line.md": command_line(),
        "reference/settings.md": settings_table(),
        "reference/python.md": "\n".join(["# Python", *(f"::: dfst.{name}" for name in dfst.__all__)]),
    }


def command_line() -> str:
    """What `dfst` and `dfst COMMAND --help` print."""
    parts = ["# Command line", block(said("--help"))]
    for name in COMMANDS:
        parts += [f"## dfst {name}", block(said(name, "--help"))]
    return "\n\n".join(parts)


def said(*words: str) -> str:
    """What a command prints in a terminal of a certain width."""
    printed = io.StringIO()
    with patch.dict(os.environ, COLUMNS=COLUMNS), contextlib.redirect_stdout(printed):
        cli.execute([*words])
    return printed.getvalue()


def block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"


def settings_table() -> str:
    """What can be set, for a training and for its data: name, values, those of the presets, meaning."""
    rows = [
        f"| `{setting.name}` | {setting.takes} | {values(setting)} | {setting.doc} |"
        for setting in settings().values()
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            "Every number that decides a training. A preset gives all of them. `--set NAME=VALUE` changes "
            "single ones in `dfst learn`, `dfst compare` and `dfst sweep`; keyword arguments do in "
            "`dfst.learn`. The run folder keeps them (`config.json`). A dash: the problem "
            "decides.",
            "",
            "| name | takes | quick | descent | meaning |",
            "|---|---|---|---|---|",
            *rows,
        ]
    )


def values(setting: Setting) -> str:
    """In both presets, a column for each."""
    found = map(setting.in_preset, ("quick", "descent"))
    return " | ".join(f"`{value}`" if value else "–" for value in found)
