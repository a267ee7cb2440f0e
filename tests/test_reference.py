"""The reference of the site is made from the code: nothing that can be typed is missing or without words."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import dfst
from dfst.cli.commands import COMMANDS
from dfst.train.settings import settings

TOOL = Path(__file__).parents[1] / "tools" / "site_reference.py"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("site_reference", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool.reference()


def test_every_command_with_its_options(pages):
    page = pages["reference/command-line.md"]
    for name in COMMANDS:
        assert f"\n## dfst {name}\n\n```text\nusage: dfst {name} " in page
    assert "--language REGEX" in page


def test_every_setting_has_words(pages):
    lines = pages["reference/settings.md"].splitlines()
    for name in settings():
        (line,) = [line for line in lines if line.startswith(f"| `{name}` |")]
        assert len(line.split("|")[5].split()) >= 2, f"{name} has no words"
    assert "| `polish` | true or false | `true` | `false` | " in "\n".join(lines)


def test_every_python_name(pages):
    assert [line for line in pages["reference/python.md"].splitlines() if line.startswith(":::")] == [
        f"::: dfst.{name}" for name in dfst.__all__
    ]
