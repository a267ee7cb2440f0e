"""What is published: the files that go into the wheel, and figures that stand in more than one place."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import dfst

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dfst"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PATTERNS = PROJECT["tool"]["setuptools"]["package-data"]["dfst"]
FOR_TESTS = {"viewer/web/package.json"}


def test_all_data_goes_into_the_wheel_and_every_pattern_finds_some():
    found = {
        pattern: {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob(pattern)}
        for pattern in PATTERNS
    }
    assert [pattern for pattern, files in found.items() if not files] == []
    data = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }
    assert data - FOR_TESTS == set().union(*found.values())


def test_the_version_is_one():
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert cited is not None
    assert PROJECT["project"]["version"] == dfst.__version__ == cited[1]


def test_the_file_formats_are_those_of_the_table():
    name = r"dfst(?:-[a-z]+)?/\d+"
    source = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    table = (ROOT / "docs" / "reference" / "files.md").read_text("utf-8")
    assert set(re.findall(f'"({name})"', source)) == set(re.findall(f"`({name})`", table))
