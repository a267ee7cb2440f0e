"""What the documents tell people to type can be typed: options exist, and quick commands do what is said."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dfst.cli.commands import COMMANDS, load_command
from dfst.cli.parse import parse

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.parent.name != "research"  # what was tried is told with the options of its day
]
BLOCK = re.compile(r"^```(?:\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LONG = ("play", "reproduce")
"""Commands that wait for people, or for minutes."""


def typed(text: str) -> list[list[str]]:
    """Every command line in a document, as words: the lines of its blocks, and the code in its prose."""
    blocks = "\n".join(BLOCK.findall(text)).replace("\\\n", " ").splitlines()
    prose = re.findall(r"`(dfst [^`]*)`", BLOCK.sub("", text))
    lines = [line.strip() for line in blocks if line.strip().startswith("dfst ")] + prose
    return [shlex.split(line, comments=True)[1:] for line in lines]


def section(text: str, title: str) -> str:
    return text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


README, TUTORIAL = ((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/tutorial.md"))
TO_TRY = [words for words in typed(section(README, "Try it")) if words[0] not in LONG]
TO_TRY += [words for words in typed(section(TUTORIAL, "4. Look inside")) if words not in TO_TRY]
TO_READ = [
    pytest.param(words, id=f"{document.name}: {' '.join(words)}")
    for document in DOCUMENTS
    for words in typed(document.read_text("utf-8"))
    if words[0] in COMMANDS and "…" not in " ".join(words)
]


@pytest.mark.parametrize("words", TO_READ)
def test_every_option_exists(words):
    numbers = {"N": "3", "X": "0.5"}
    name, *rest = (numbers.get(word, word) for word in words)
    if rest:
        parse(name, load_command(name), rest)


def test_every_command_is_one():
    names = {words[0] for document in DOCUMENTS for words in typed(document.read_text("utf-8"))}
    assert names - {"COMMAND", "--help", "…"} <= set(COMMANDS)


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder like the checkout's; what one command writes, the next one finds."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "runs").mkdir()
    return folder


def test_the_readme_has_something_to_try():
    assert {words[0] for words in TO_TRY} >= {"run", "evaluate", "prove", "extract", "learn", "list"}


@pytest.mark.parametrize(
    "words",
    # test_your_own.py learns briefly; here it is the whole training
    [pytest.param(words, marks=[pytest.mark.slow] * (words[0] == "learn")) for words in TO_TRY],
    ids=" ".join,
)
def test_readme_and_tutorial_run_as_typed(dfst, place, monkeypatch, words):
    monkeypatch.chdir(place)
    done = dfst(*words)
    assert done.status == 0, done.err
    assert done.out or words[0] == "convert"


SESSIONS = [
    pytest.param(command, answer, id=f"{document.name}: {command}")
    for document in DOCUMENTS
    for block in BLOCK.findall(document.read_text("utf-8"))
    for command, answer in re.findall(r"^\$ (dfst .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    if "…" not in answer
]


@pytest.mark.parametrize(("command", "answer"), SESSIONS)
def test_what_is_shown_as_the_answer_is_the_answer(dfst, place, monkeypatch, command, answer):
    monkeypatch.chdir(place)
    assert dfst(*shlex.split(command)[1:]).out == answer
