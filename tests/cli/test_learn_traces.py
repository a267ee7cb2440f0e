"""dfst learn FILE.jsonl: recorded traces, no expert."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import dfst as package
from dfst.train.runfolder import RunFolder

pytest.importorskip("torch")
SHORT = ["--seeds", "2", "--steps", "3000", "--device", "cpu"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces of a machine that nobody is told of: it sorts zeros and ones."""
    from dfst.cli import execute

    path = tmp_path_factory.mktemp("recorded") / "mine.jsonl"
    inputs = [f"{n:0{width}b}" for width in range(1, 5) for n in range(2**width)]
    assert execute(["trace", "expert:sort2", *inputs, "--out", str(path)]) == 0
    header, *rows = path.read_text("utf-8").splitlines()
    anonymous = {key: value for key, value in json.loads(header).items() if key not in ("name", "task")}
    path.write_text("\n".join([json.dumps(anonymous), *rows]) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def folder(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "run"
    learnt = package.learn(str(recorded), out=out, seeds=2, steps=3000, device="cpu")
    assert learnt.exact
    assert learnt.recipe.hidden_size == 6  # two more than states
    return out


def test_the_report_claims_what_was_held_out_and_no_more(folder):
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["strength"] == "tested"
    held_out, shown = report["evaluation"]
    assert (held_out["kind"], held_out["inputs"], held_out["failures"]) == ("held-out traces", 6, [])
    assert (shown["kind"], shown["inputs"], shown["failures"]) == ("training traces", 24, [])
    assert "agrees in every action with 6 of 6 held-out traces" in report["statement"]
    assert "nothing is known of other inputs" in report["statement"]
    for word in ("exact", "proved", "expert"):
        assert word not in report["statement"]


@pytest.mark.parametrize(("size", "words"), [(9, "leaves room to count: 4 states"), (1, "is less than the")])
def test_a_hidden_size_that_does_not_fit_is_said(dfst, recorded, tmp_path, size, words):
    short = ["--steps", 1, "--seeds", 1, "--hidden-size", size, "--device", "cpu"]
    done = dfst("learn", recorded, *short, "--out", tmp_path / "run")
    said = " ".join(done.err.split())
    assert f"warning: hidden size {size} {words}" in said
    assert "or leave it out" in said


def test_the_model_and_the_machine_act_on_other_inputs(folder):
    for name in (folder, folder / "machine.json"):
        assert package.load(name).run("10" * 15).answer == "0" * 15 + "1" * 15


def test_the_page_is_there(folder):
    assert "6 of 6 held-out traces" in (folder / "report.html").read_text("utf-8")
    assert (folder / "replay.html").exists()


def test_exit_status_and_resume(dfst, recorded, folder, tmp_path):
    done = dfst("learn", recorded, *SHORT, "--out", tmp_path / "run")
    assert done.status == 0
    assert "6 of 6 held-out traces" in done.out
    assert "machine.json,4states" in "".join(done.err.split())
    again = dfst("learn", "--resume", tmp_path / "run", "--device", "cpu")
    assert again.out == done.out
    assert again.status == 0


def test_a_model_that_does_not_agree_is_told_by_line(dfst, recorded, tmp_path):
    done = dfst("learn", recorded, "--seeds", 1, "--steps", 1, "--preset", "paper",
                "--device", "cpu", "--out", tmp_path / "run")  # fmt: skip
    assert done.status == 1
    assert "of 6 held-out traces (" in done.out
    report = json.loads(RunFolder(tmp_path / "run").report_file.read_text("utf-8"))
    assert report["strength"] == "refuted"


def test_a_model_that_does_not_do_what_it_was_shown_is_no_success(dfst, tmp_path):
    """With one dimension it can only flip every bit, which the traces held out show, but not line 4."""
    header = {"format": "dfst-traces/2", "alphabet": ["0", "1", "λ"], "blank": "λ"}
    wrote = {"0": "1λ", "1": "0λ", "10": "00λ", "01": "10λ", "110": "001λ", "0010": "1101λ"}
    rows = [{"read": text + "λ", "wrote": wrote[text], "moved": "R" * len(text) + "S"} for text in wrote]
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(map(json.dumps, [header, *rows])), "utf-8")
    short = ["--seeds", 1, "--steps", 300, "--hidden-size", 1, "--device", "cpu"]
    fixed = ["--set", "learning_rate=0.003", "reweighting=0"]
    done = dfst("learn", path, *short, *fixed, "--out", tmp_path / "run")
    assert done.status == 1
    assert done.out == (
        "odd, learnt from 4 examples, agrees in every action with 2 of 2 held-out traces (7 steps), but only "
        "with 3 of 4 training traces (11 steps); it leaves line 4 at step 1 reading 0: expected 0 R, "
        "found 1 R; train longer.\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "samples=30"),
        ("--set", "data_seed=1"),
        ("--set", "max_digits=3"),
        ("--inputs", "1"),
        ("--every-seed",),
    ],
)
def test_an_expert_cannot_be_asked(dfst, recorded, tmp_path, words):
    done = dfst("learn", recorded, *words, "--out", tmp_path / "run")
    assert done.status == 2
    assert "asks an expert" in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_bad_file_is_one_line(dfst, tmp_path):
    (tmp_path / "bad.jsonl").write_text("{}\n", "utf-8")
    for name in ("bad.jsonl", "none.jsonl"):
        done = dfst("learn", tmp_path / name)
        assert done.status == 2
        assert done.err.count("\n") == 1


def test_a_handful_that_was_all_shown_is_called_no_more_than_that(recorded, tmp_path):
    from dfst.learning import learn
    from dfst.traces.recording import read_recording
    from dfst.train.config import read_config
    from dfst.train.settings import configure

    recording = read_recording(recorded)
    plan = configure(replace(recording, taught=len(recording.traces)), steps=20, seeds=1)
    learnt = learn(replace(plan, device="cpu"), tmp_path / "run")
    assert not learnt.exact
    assert "none was held out, so nothing is known of other inputs" in learnt.statement
    again = read_config(tmp_path / "run").problem.training_set().traces
    assert again.fingerprint == plan.problem.training_set().traces.fingerprint


def test_a_file_that_shows_all_of_its_traces_holds_none_out(dfst, recorded, tmp_path):
    """Those that were shown were once counted as held out."""
    header, *traces = recorded.read_text("utf-8").splitlines()
    all_shown = json.dumps({**json.loads(header), "shown": len(traces)}, ensure_ascii=False)
    file = tmp_path / "all.jsonl"
    file.write_text("\n".join([all_shown, *traces, ""]), "utf-8")
    done = dfst("learn", file, "--steps", "2000", "--seeds", "1", "--out", tmp_path / "run")
    assert done.status == 1
    assert "none was held out, so nothing is known of other inputs" in done.out
