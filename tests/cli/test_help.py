"""Help teaches, errors are one line, and a light command starts light."""

from __future__ import annotations

import ast
import inspect
import os
import re
import signal
import subprocess
import sys
import textwrap
from dataclasses import fields

import pytest

from dfst import __version__, cli
from dfst.cli.commands import COMMANDS, load_command
from dfst.train.interrupts import SIGNALS
from dfst.train.settings import settings


def test_the_overview_names_every_command(dfst, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in ([], ["--help"], ["-h"], ["help"]):
        done = dfst(*words)
        assert (done.status, done.err) == (0, "")
        for name in COMMANDS:
            assert re.search(rf"^  {name} +\w", done.out, re.MULTILINE), name
    assert max(map(len, done.out.splitlines())) <= 80
    assert dfst("--version").out == f"dfst {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_teaches_by_example(dfst, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    done = dfst(name, "--help")
    assert (done.status, done.err) == (0, "")
    assert f"dfst {name}" in done.out.split("Example", 1)[1]
    assert "None" not in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_learn_has_few_options():
    options = [field.name for field in fields(load_command("learn")) if field.name != "task"]
    assert len(options) <= 16


def test_learn_lists_all_settings(dfst):
    told = dfst("learn", "--set", "help").out
    for setting in settings().values():
        assert f"\n{setting.name}=" in f"\n{told}"
        assert setting.doc, f"{setting.name} is not documented"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_stands_among_the_other_options(dfst, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    _, _, below = dfst(name, "--help").out.partition("\n  -h, --help ")
    assert below.splitlines()[1].startswith("  -")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_an_option_is_one_line_of_the_source(name):
    source = textwrap.dedent(inspect.getsource(load_command(name)))
    fields = [
        node.value.value
        for node in ast.parse(source).body[0].body[1:]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert [text for text in fields if "\n" in text] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["lern"], "did you mean learn"),
        (["run"], "SUBJECT"),
        (["run", "expert:add2", "1+1", "--jsn"], "--jsn"),
        (["run", "expert:add2", "1+1", "--max-steps", "many"], "many"),
        (["evaluate", "add2", "--precision", "half"], "float32"),
        (["evaluate", "add2"], "--digits"),
        (["plot"], "dfst plot runs"),
        (["evaluate", "add2", "--device", "tpu"], "--device takes auto, cpu or cuda, found 'tpu'"),
        (["plot", "nowhere"], "not a run folder"),
        (["play", "nowhere"], "unknown subject"),
        (
            ["play", "#input=1"],
            "expected a link that names a subject, found '#input=1'; copy it from the page",
        ),
        (["play", "add2", "12+1"], "digits 0 to 1"),
        (["learn"], "needs a problem"),
        (["learn", "add2", "--seed", "3"], "--seed is called --set first_seed=… now"),
        (["learn", "add2", "--logger", "wandb"], "--logger is called --set logger=… now"),
        (["learn", "add2", "--set", "lr=1"], "did you mean learning_rate?"),
        (["learn", "add2", "--out", "/dev/null/run"], "/dev/null"),
        (["run", "add2", "1+1", "--html", "no/run.html"], "there is no folder no"),
        (["trace", "add2", "1+1", "-o", "."], "is a folder"),
        (["extract", "add2", "-o", "no/m.json"], "there is no folder no"),
        (["prove", "add2", "-o", "no/proof.json"], "there is no folder no"),
        (["prove", "add2", "--against", "bb2"], "give two that start alike"),
        (["prove", "compiled:bb2", "--against", "bb2"], "no task"),
        (["plot", "runs/any", "-o", "no/figure.svg"], "there is no folder no"),
    ],
)
def test_bad_words_are_answered_in_one_line(dfst, tmp_path, monkeypatch, words, expected):
    monkeypatch.chdir(tmp_path)
    done = dfst(*words)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("dfst: ")
    assert done.err.count("\n") == 1
    assert expected in done.err


LIGHT = """
import sys
from dfst.cli import execute

for words in sys.argv[1:]:
    assert execute(words.split()) == 0
    heavy = {"numba", "torch", "matplotlib", "anywidget", "typeguard", "rich"} & set(sys.modules)
    assert not heavy, (words, heavy)
"""


def test_a_light_command_imports_nothing_heavy():
    """Above all not numba: a short run needs no compiled code."""
    words = ["--help", "prove --help", "run expert:add10 999+1", "run add2 1011+111", "run bb4 --json",
             "trace mult2 11*10"]  # fmt: skip
    done = subprocess.run([sys.executable, "-c", LIGHT, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_for_a_command_is_asked_in_two_ways(dfst):
    assert dfst("help", "run").out == dfst("run", "--help").out


def test_ctrl_c_while_modules_are_imported_leaves_no_traceback(monkeypatch, capsys):
    def interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    ignored: list[object] = []
    monkeypatch.setattr(cli, "execute", interrupted)
    monkeypatch.setattr(signal, "signal", lambda *what: ignored.append(what))
    with pytest.raises(SystemExit) as ended:
        cli.main(["list"])
    assert (ended.value.code, capsys.readouterr().err) == (130, "dfst: stopped\n")
    assert ignored[-3:] == [(number, signal.SIG_IGN) for number in SIGNALS], "once more changes nothing"


@pytest.mark.parametrize("columns", ["1", "5", "30"])
def test_a_terminal_may_be_narrow(columns):
    """In a process of its own, should it not come back from it."""
    run = [sys.executable, "-c", "import dfst.cli; dfst.cli.main(['run', '--help'])"]
    done = subprocess.run(
        run, env={**os.environ, "COLUMNS": columns}, capture_output=True, text=True, timeout=60, check=True
    )
    assert "--watch" in done.stdout
