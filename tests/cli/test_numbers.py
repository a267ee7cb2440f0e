"""Every number that any command takes, given every number it should not be: one line, nothing left behind.

A value that an option does take is a legitimate one: what the command then does is not tried here, where it
would take long.
"""

from __future__ import annotations

from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from dfst.cli.commands import COMMANDS, load_command
from dfst.cli.parse import arguments_of

BEGINNING = {
    "learn": ["add2"],
    "sweep": ["--tasks", "add2"],
    "run": ["expert:add2", "1+1"],
    "trace": ["expert:add2", "1+1"],
    "evaluate": ["compiled:add2"],
    "compare": ["--learner", "rpni", "--task", "add2"],
    "play": ["expert:add2"],
    "prove": ["compiled:add2"],
    "reproduce": ["--train"],
}
"""What makes the rest of the line a command that could be carried out."""
QUICK = ("run", "trace", "evaluate")
"""Commands that are carried out where a value is taken."""


def limits_of(command):
    return {argument.field: argument.limits for argument in arguments_of(command) if argument.limits}


OPTIONS = [(command, field) for command in COMMANDS for field in limits_of(load_command(command))]
VALUES = ["-1", "0", "100000000000000000000", "nan", "inf", "-inf", "1e400", "9" * 5000]
TAKES_ZERO = {
    ("sweep", "gpus"), ("evaluate", "seed"), ("reproduce", "data_seeds"), ("play", "port"),
}  # fmt: skip


def takes_numbers(hint: object) -> bool:
    return hint in (int, float) or any(takes_numbers(part) for part in get_args(hint))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_number_has_limits(name):
    command = load_command(name)
    hints = get_type_hints(command)
    numbers = {field.name for field in fields(command) if takes_numbers(hints[field.name])}
    assert numbers == set(limits_of(command))


@pytest.mark.parametrize("value", VALUES, ids=[value[:24] for value in VALUES])
@pytest.mark.parametrize(("command", "field"), OPTIONS)
def test_a_number_is_taken_or_refused_in_one_line(dfst, tmp_path, monkeypatch, command, field, value):
    monkeypatch.chdir(tmp_path)
    carried_out = []
    if command not in QUICK or field == "seconds":
        monkeypatch.setattr(load_command(command), "execute", lambda self: carried_out.append(self) or 0)
    words = [command, *BEGINNING[command], f"--{field.replace('_', '-')}", value]
    if command == "evaluate" and field != "digits":
        words += ["--digits", "2"]
    if field == "speed":
        words += ["--watch"]
    real = limits_of(load_command(command))[field].most > 1e300
    done = dfst(*words)
    if (value == "0" and (command, field) in TAKES_ZERO) or (real and value == VALUES[2]):
        assert done.status == 0
        assert carried_out or done.out
        return
    assert (done.status, done.out, carried_out) == (2, "", [])
    assert done.err.startswith("dfst: ")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("learn add2 --set learning_rate=nan", "learning_rate must be finite and not negative, found nan"),
        ("learn add2 --set gradient_clip=-1", "gradient_clip must be finite and not negative, found -1.0"),
        ("learn add2 --set learning_rate=x", "learning_rate takes a number, found 'x'"),
        ("learn add2 --set samples=1.5", "samples takes a whole number, found '1.5'"),
        ("learn add2 --set lr=1", "unknown setting 'lr': did you mean learning_rate?"),
        ("learn add2 --set lr", "--set takes NAME=VALUE, found 'lr'; --set help lists the names"),
    ],
)
def test_the_line_says_what_is_taken_and_what_was_found(dfst, words, line):
    assert dfst(*words.split()).err == f"dfst: {line}\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("learn add2 --seeds 0", "--seeds takes a whole number from 1 to 1,000,000,000, found '0'"),
        ("learn add2 --digits 3 0", "--digits takes a whole number from 1 to 1,000,000, found '0'"),
        (
            "evaluate add2 --digits 99999999999999999999",
            "--digits takes a whole number from 1 to 1,000,000, found '99999999999999999999'",
        ),
        (
            "evaluate add2 --digits 3 --seed -1",
            "--seed takes a whole number from 0 to 4,294,967,295, found '-1'",
        ),
        ("evaluate add2 --search --seconds nan", "--seconds takes a finite number above 0, found 'nan'"),
        ("learn add2 --seeds 1.5", "--seeds takes a whole number from 1 to 1,000,000,000, found '1.5'"),
        ("learn add2 --seeds", "--seeds takes a whole number from 1 to 1,000,000,000, found nothing"),
        ("evaluate add2 --digits x", "--digits takes a whole number from 1 to 1,000,000, found 'x'"),
        ("evaluate add2 --digits 3 1.5", "--digits takes a whole number from 1 to 1,000,000, found '1.5'"),
        ("evaluate add2 --device gpu", "--device takes auto, cpu or cuda, found 'gpu'"),
        ("learn add2 --preset fast", "--preset takes quick, descent or paper, found 'fast'"),
        ("learn add2 --out", "--out takes a value, found nothing"),
        (
            "extract",
            "SUBJECT is missing: A learnt model (add2), a weights file, a run folder, compiled:add10, "
            "or file.py:function",
        ),
    ],
)
def test_a_word_that_cannot_be_read_is_told_beside_what_is_taken(dfst, words, line):
    assert dfst(*words.split()).err == f"dfst: {line}; see: dfst {words.split()[0]} --help\n"
