"""Options that would say nothing beside the others are refused in one line, before any work; none is ignored.

MACHINE stands for the folder of a run of a machine without a task, RECORDED for one of recorded traces.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dfst.cli.learn import Learn
from dfst.cli.parse import parse
from dfst.experts import expert
from dfst.machines.formats.published import published
from dfst.problems.problem import RECORDING
from dfst.traces.recording import read_recording, write_recording
from dfst.train.config import recording_hash
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMENTED = "# mine\nblank: ' '\nstart state: go\ntable:\n  go:\n    1: R\n    ' ': {L: done}\n  done:\n"
WORDS = [
    (
        "evaluate add2 --digits 5 --seconds 3",
        "--seconds is how long a search may take; add --search or leave it out",
    ),
    ("evaluate MACHINE --seconds 3", "--seconds is how long a search may take; add --search or leave it out"),
    (
        "run add2 1+1 --json --watch",
        "--watch shows the run instead of printing it; leave out --json, or --watch",
    ),
    ("run add2 1+1 --speed 3", "--speed is that of --watch; add it or leave out --speed"),
    (
        "trace add2 1+1 --json --out t.jsonl",
        "--out saves the traces instead of printing them; leave out --json, or --out",
    ),
    (
        "trace expert:add2 --teaches --max-steps 9",
        "--teaches judges whole traces; leave out --max-steps, or --teaches",
    ),
    (
        "trace expert:add2 1+1 --teaches --samples 9",
        "the inputs are given, and none is drawn; leave out samples",
    ),
    (
        "prove add2 --check p.json --out q.json",
        "--check verifies a proof instead of writing one; leave out --out, or --check",
    ),
    (
        "prove bb2 --never-halts --at-least tested",
        "--never-halts is proved of one machine on the blank tape, or not; leave out --at-least",
    ),
    (
        "play #subject=add10 1+1 --no-browser",
        "a link says itself what the page shows; leave out INPUT and --against",
    ),
    (
        "convert m.yaml ./m.yaml",
        "IN and OUT are the same file, ./m.yaml, whose comments would be lost; give another OUT",
    ),
    (
        "compare --device cuda",
        "--device says how to train; add --learner NAME --task TASK, or leave it out",
    ),
    # learn
    (
        "learn add2 --inputs 1+1 --set max_digits=3",
        "the inputs are given, and none is drawn; leave out max_digits",
    ),
    (
        "learn bb2 --inputs 1 --set data_seed=0",
        "the inputs are given, and none is drawn; leave out data_seed",
    ),
    (
        "learn mine.py:double --inputs 1 --set samples=3",
        "the inputs are given, and none is drawn; leave out samples",
    ),
    ("learn add2 --validate", "--validate is gone; see: dfst learn --help"),
    ("learn add2 --data-seed 3", "--data-seed is called --set data_seed=… now; see: dfst learn --help"),
    (
        "learn --resume MACHINE --set samples=3",
        "--resume continues with the configuration of MACHINE; leave out --set",
    ),
    ("learn --resume MACHINE --digits 4", "bb2 has no inputs of a size; leave out --digits"),
    ("learn --resume RECORDED --digits 4", "sort2 has no inputs of a size; leave out --digits"),
    (
        "learn --resume RECORDED --every-seed",
        "--every-seed asks an expert, and RECORDED has none; leave it out",
    ),
]
"""Beside those of single commands in their own tests."""


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A folder to stand in, with two runs that have not begun."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.yaml").write_text(COMMENTED, "utf-8")
    (tmp_path / "mine.py").write_bytes((EXAMPLES / "double.py").read_bytes())
    machine = configure(published("bb2"), inputs=("1",))
    recorded = Path("RECORDED") / RECORDING
    for folder in ("MACHINE", "RECORDED"):
        (tmp_path / folder).mkdir()
    write_recording(recorded, expert("sort2"), [expert("sort2").trace(text) for text in ("0", "10")])
    of_traces = configure(read_recording(recorded))
    for name, plan in {"MACHINE": machine, "RECORDED": of_traces}.items():
        traces = plan.problem.training_set().traces
        RunFolder(name).write_config(plan.as_json(traces, recording=recording_hash(Path(name))))
    return tmp_path


@pytest.mark.parametrize(("words", "line"), WORDS)
def test_an_option_that_would_say_nothing_is_refused(dfst, place, words, line):
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    done = dfst(*words.split())
    assert (done.err, done.out, done.status) == (f"dfst: {line}\n", "", 2)
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("words", ["extract compiled:add2 --out m.xyz", "plot runs/any --out m.xyz"])
def test_an_ending_that_says_no_format_is_refused_before_the_work(dfst, place, monkeypatch, words):
    monkeypatch.setattr("dfst.states.extract", None)
    done = dfst(*words.split())
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "m.xyz" in done.err


def test_an_option_of_several_values_may_be_repeated():
    assert parse("learn", Learn, ["add2", "--set", "path=60", "--set", "seeds=2", "steps=9"]).set == (
        "path=60", "seeds=2", "steps=9",
    )  # fmt: skip
