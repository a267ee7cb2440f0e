"""Output never replaces what is no plain file, whichever command writes it; and it is refused in one line."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys

import pytest

FILES = {
    "run": ["run", "expert:add2", "1+1", "--html"],
    "trace": ["trace", "expert:add2", "1+1", "--out"],
    "convert": ["convert", "bb2"],
    "extract": ["extract", "compiled:add2", "--inputs", "1+1", "--out"],
    "prove": ["prove", "expert:increment2", "--out"],
    "prove --never-halts": ["prove", "1RB0LB_1LA1RA", "--never-halts", "--out"],
    "plot": ["plot", "runs/any", "--out"],
}
FOLDERS = {
    "learn": ["learn", "add2", "--out"],
    "sweep": ["sweep", "--tasks", "add2", "--out"],
    "compare": ["compare", "--learner", "rpni", "--task", "add2", "--out"],
}
KINDS = ("pipe", "link", "dangling link", "folder", "socket")


def make(kind, path, elsewhere):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    else:
        path.symlink_to(elsewhere if kind == "link" else elsewhere.with_name("nowhere"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("words", FILES.values(), ids=FILES)
def test_a_file_is_written_only_where_there_is_none_or_a_plain_one(dfst, tmp_path, monkeypatch, words, kind):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text("mine")
    path = tmp_path / "out.json"
    if words[0] == "plot":
        path = tmp_path / "out.svg"
    make(kind, path.relative_to(tmp_path), elsewhere)
    before = path.lstat()
    done = dfst(*words, path)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert done.err.startswith(f"dfst: cannot write {path}: ")
    after = path.lstat()
    assert (after.st_mode, after.st_ino, after.st_mtime) == (before.st_mode, before.st_ino, before.st_mtime)
    assert elsewhere.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == sorted([path, elsewhere])


@pytest.mark.parametrize("kind", ["pipe", "socket", "dangling link", "file"])
@pytest.mark.parametrize("words", FOLDERS.values(), ids=FOLDERS)
def test_a_folder_is_made_only_where_there_is_nothing_else(dfst, tmp_path, monkeypatch, words, kind):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "out"
    if kind == "file":
        path.write_text("mine")
    else:
        make(kind, path.relative_to(tmp_path), tmp_path / "elsewhere")
    before = path.lstat()
    done = dfst(*words, path)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert (path.lstat().st_mode, path.lstat().st_ino) == (before.st_mode, before.st_ino)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("words", [words for name, words in FILES.items() if name != "convert"])
def test_a_folder_that_may_not_be_written_is_told_before_the_work(dfst, tmp_path, monkeypatch, words):
    """Whoever runs the tests as root may write everywhere."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    path = tmp_path / "out.svg"
    done = dfst(*words, path)
    line = f"dfst: cannot write {path}: permission denied in the folder {tmp_path}; give another place\n"
    assert (done.status, done.out, done.err) == (2, "", line)


def dfst_alone(words: str) -> subprocess.CompletedProcess[bytes]:
    """By a shell, in a process of its own, whose output is none of ours."""
    line = f"{shlex.quote(sys.executable)} -m dfst {words}"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    return subprocess.run(line, shell=True, capture_output=True, env=environment, check=False)


@pytest.mark.skipif(os.name == "nt", reason="the shell is another")
def test_where_nothing_can_be_shown_the_status_says_so():
    done = dfst_alone("run expert:add2 1+1 >&-")
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"standard output is closed" in done.stderr


def test_symbols_that_an_encoding_lacks_are_spelt_out():
    done = dfst_alone("trace expert:add2 1+1 --json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "λ" in json.loads(done.stdout)["read"]
