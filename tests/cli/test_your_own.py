"""The how-to pages, as they stand: their files are written, their commands typed one after the other."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from dfst.train import recipe

pytest.importorskip("torch")
PAGES = Path(__file__).parents[2] / "docs" / "how-to"
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WALKS = [
    part
    for name in ("machine", "traces", "function", "problem")
    for part in (PAGES / f"{name}.md").read_text("utf-8").split("\n## " if name == "traces" else "\0")
    if FILE.search(part)
]


def typed(walk: str) -> list[str]:
    """The command lines of a walk."""
    return [line for kind, block in BLOCK.findall(walk) if not kind for line in block.splitlines()]


@pytest.fixture
def briefly(monkeypatch):
    """A fraction of the training: these algorithms are small."""
    monkeypatch.setattr(recipe, "QUICK", replace(recipe.QUICK, path=30.0, seeds=2))


def walk(dfst, walk: str) -> None:
    for name, content in FILE.findall(walk):
        Path(name).write_text(content, "utf-8")
    for line in typed(walk):
        done = dfst(*shlex.split(line)[1:])
        assert done.status == 0, f"{line}\n{done.out}{done.err}"


def test_there_are_four_walks_each_with_a_file_and_commands():
    assert [FILE.findall(walk)[0][0] for walk in WALKS] == [
        "equal.yaml",
        "turnstile.jsonl",
        "increment.py",
        "flips.py",
    ]
    assert all(any(line.startswith("dfst learn ") for line in typed(walk)) for walk in WALKS)


@pytest.mark.parametrize("walk_", WALKS, ids=lambda walk: walk.splitlines()[0])
def test_the_walks_run_as_typed(dfst, tmp_path, monkeypatch, briefly, walk_):
    monkeypatch.chdir(tmp_path)
    walk(dfst, walk_)


@pytest.mark.slow
@pytest.mark.parametrize("walk_", WALKS, ids=lambda walk: walk.splitlines()[0])
def test_the_walks_run_with_the_whole_training(dfst, tmp_path, monkeypatch, walk_):
    monkeypatch.chdir(tmp_path)
    walk(dfst, walk_)


def test_the_teacher_on_the_plane_is_learnt_and_proved(dfst, tmp_path, monkeypatch, briefly):
    """As the first lines of its file say."""
    monkeypatch.chdir(tmp_path)
    name = f"{PAGES.parents[1]}/examples/plane_teacher.py:negative"
    assert dfst("run", name, "xxo\nxoo").out.split() == ["oox", "oxx"]
    boards = ("", "x", "o", "xo", "ox", "xxo", "x\no", "xo\nox", "oox\nxxo\noxo")
    done = dfst("learn", name, "--inputs", *boards, "--out", "run")
    assert (done.status, done.out.startswith("proved: negative does exactly what negative() does")) == (
        0,
        True,
    )
    assert dfst("run", "run", "xoxox\nooxxo").out.split() == ["oxoxo", "xxoox"]
