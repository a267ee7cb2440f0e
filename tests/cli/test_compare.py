"""dfst compare: the stored table, a training on the spot, and one line for what cannot be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from dfst.experiments.comparison import measure
from dfst.experiments.comparison.results import rows, stored_results

BROKEN = "broken/records.jsonl, line 1: expected a JSON object; remove the line to go on"
WORDS = [
    ("compare --learner grru --task add2", "unknown learner 'grru': did you mean gru?"),
    ("compare --task add2,", "--task takes names with commas between them, found 'add2,'; try add2,add10"),
    (
        "compare --learner gru --task add2,add10",
        "--learner trains on one task, found add2,add10; train on them one by one",
    ),
    ("compare --learner gru", "compare --learner gru needs a task; add --task add2"),
    (
        "compare --learner gru --task ad2",
        "unknown task 'ad2': did you mean add2?",
    ),
    (
        "compare --learner gru --task add2 --seeds 0",
        "--seeds takes a whole number from 1 to 1,000,000,000, found '0'; see: dfst compare --help",
    ),
    (
        "compare --learner gru --task add2 --set steps=-1",
        "steps must be from 0 to 1,000,000,000, found -1",
    ),
    (
        "compare --learner elman --task add10",
        "elman can no longer be run; its records are kept: dfst compare",
    ),
    (
        "compare --learner gru --task add2 --results .",
        "--results shows results that exist; leave it out, or leave out --learner",
    ),
    (
        "compare --seeds 4",
        "--seeds says how to train; add --learner NAME --task TASK, or leave it out",
    ),
    (
        "compare --results empty",
        "empty holds no records.jsonl; make one with dfst compare --learner … --out empty",
    ),
    ("compare --results broken", BROKEN),
    (
        "compare --learner gru --task parity-states",
        "unknown task 'parity-states': did you mean parity?",
    ),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "records.jsonl").write_text("hello\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("words", "line"), WORDS)
def test_bad_words(dfst, place, words, line):
    before = sorted(place.rglob("*"))
    done = dfst(*words.split())
    assert (done.err, done.out, done.status) == (f"dfst: {line}\n", "", 2)
    assert sorted(place.rglob("*")) == before


def test_a_training_is_kept_shown_and_drawn(dfst, place, monkeypatch):
    monkeypatch.setitem(measure.LONGEST, "add2", 6)
    words = ["compare", "--learner", "edsm", "--task", "add2", "--device", "cpu", "--out", "kept"]
    done = dfst(*words, "--seeds", 2, "--json")
    assert done.status == 0
    (row,) = done.objects
    found = {name: row[name] for name in ("learner", "task", "seeds", "rlg", "succeeded")}
    assert found == {"learner": "edsm", "task": "add2", "seeds": 2, "rlg": 1, "succeeded": 0}
    assert row["command"] == "dfst compare --learner edsm --task add2 --seeds 2 --device cpu"
    assert "kept/records.jsonl" in done.err
    again = dfst("compare", "--results", "kept", "--json")
    assert again.objects == [row]
    shown = dfst("compare", "--results", "kept").out
    assert "add2" in shown
    assert "edsm" in shown
    other = dfst("compare", "--results", "kept", "--task", "mult2")
    assert other.status == 2
    assert other.err == "dfst: there are no results for mult2; there are some for: add2\n"
    changed = dfst(*words, "--set", "steps=9")
    assert changed.status == 2
    assert changed.err == "dfst: steps=9 means nothing to edsm; leave it out\n"


def test_the_stored_table(dfst):
    done = dfst("compare", "--json")
    assert done.status == 0
    stored = rows(stored_results())
    assert [(row["learner"], row["task"]) for row in done.objects] == [
        (row["learner"], row["task"]) for row in stored
    ]


def test_some_tasks_of_the_stored_table(dfst):
    done = dfst("compare", "--json", "--task", "mult2,a5")
    assert list(dict.fromkeys(row["task"] for row in done.objects)) == ["mult2", "a5"]


@pytest.mark.parametrize("columns", [80, 100, 140])
def test_the_stored_table_fits_the_terminal(dfst, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    done = dfst("compare")
    assert done.status == 0
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= columns
    assert "…" not in done.out
    assert ("samples" in done.out) == (columns >= 100)
    assert "docs/results/comparison.md" in done.err
    stored = rows(stored_results())
    shown = [line.split()[0] for line in lines if "/" in line]
    assert shown == [row["learner"] for row in stored]
