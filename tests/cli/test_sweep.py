"""dfst sweep: what it leaves behind, how it goes on, and what it refuses before any work."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from dfst.train.runfolder import RunFolder

SHORT = ["--presets", "paper", "--set", "steps=60", "--digits", "1", "--device", "cpu", "--jobs", "2"]
A_MINUTE = 60
"""Far more than a refusal takes, on a busy machine too, and less than Ray waits for a cluster."""


def table(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text("utf-8").splitlines()]


def test_a_sweep_from_a_file_and_flags(dfst, tmp_path, monkeypatch):
    pytest.importorskip("aalpy")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "small.yaml"
    file.write_text("tasks: increment2\npresets: [paper]\nset: {steps: 60}\ndigits: 1\n", "utf-8")
    words = [file, "--learners", "dfst", "edsm", "--seeds", 1, "--device", "cpu", "--jobs", "2"]
    done = dfst("sweep", *words, "--json")
    assert done.status == 0, done.err
    (folder,) = (tmp_path / "runs").iterdir()
    assert done.objects == table(folder)
    assert sorted(record["trial"] for record in table(folder)) == [
        "increment2-dfst-paper-seed-0",
        "increment2-edsm-seed-0",
    ]
    assert len({tuple(record) for record in table(folder)}) == 1, "every line has the same columns"
    assert all((folder / record["folder"]).is_dir() for record in table(folder))
    assert all(line in done.err for line in ("2 trials", "[2/2]", "results.jsonl"))

    again = dfst("sweep", *words)
    assert (again.status, again.err.count("seed-")) == (0, 0)
    assert "2 trials, 2 of them over before" in again.err
    assert "1 of 1" in again.out.split("edsm")[1]
    assert dfst("sweep", "--resume", folder).out == again.out

    trial = folder / "trials" / "increment2-dfst-paper-seed-0"  # an ordinary run
    assert dfst("learn", "--resume", trial, "--digits", 1, "--device", "cpu").status in (0, 1)
    assert (trial / "report.html").exists()
    assert len(RunFolder(trial).read_metrics()) == 60


@pytest.mark.slow
def test_failed_trials_are_told_and_can_be_tried_again(dfst, tmp_path):
    folder = tmp_path / "s"
    words = ["--tasks", "increment2", *SHORT, "--out", folder]
    assert dfst("sweep", *words).status == 0
    trial = folder / "trials" / "increment2-dfst-paper-seed-0"
    (trial / "trial.json").unlink()
    (trial / "checkpoint.safetensors").write_bytes(b"hello")
    (folder / "results.jsonl").unlink()
    done = dfst("sweep", *words)
    assert done.status == 1
    assert "increment2-dfst-paper-seed-0: failed:" in done.err
    assert "is not a checkpoint" in done.err
    (trial / "checkpoint.safetensors").unlink()
    assert dfst("sweep", *words).status == 1
    assert dfst("sweep", *words, "--retry-failed").status == 0
    assert [record["status"] for record in table(folder)] == ["done"]


WORDS = [
    ("", "a sweep needs tasks, such as: dfst sweep --tasks add2 --seeds 4"),
    ("--tasks ad2", "unknown task 'ad2': did you mean add2?"),
    ("--tasks add2 --learners gruu", "unknown learner 'gruu': did you mean gru?"),
    ("--tasks add2 --presets quik", "unknown preset 'quik': did you mean quick?"),
    (
        "--tasks add2 --seeds 0",
        "--seeds takes a whole number from 1 to 100,000, found '0'; see: dfst sweep --help",
    ),
    (
        "--tasks add2 --set steps",
        "--set takes NAME=VALUE, found 'steps'; --set help lists the names",
    ),
    ("--tasks add2 --set steps=many", "steps takes a whole number, found 'many'"),
    ("--tasks add2 --set steps=-1", "steps must be from 0 to 1,000,000,000, found -1"),
    (
        "--tasks add2 --set steps=100000000000000000000",
        "steps must be from 0 to 1,000,000,000, found 100,000,000,000,000,000,000",
    ),
    ("--tasks add2 --set learning_rate=nan", "learning_rate must be finite and not negative, found nan"),
    ("--tasks add2 --set beta1=nan", "beta1 must be at least 0 and below 1, found nan"),
    ("--tasks add2 --set beta2=1", "beta2 must be at least 0 and below 1, found 1.0"),
    ("--tasks add2 --set reweighting=2", "reweighting must be from 0 to 1, found 2.0; 0.5 is a good start"),
    ("--tasks add2 --set seeds=3", "seeds is not a setting of a trial; the sweep itself says which: --seeds"),
    (
        "--tasks add2 --jobs 0",
        "--jobs takes a whole number from 1 to 1,000,000,000, found '0'; see: dfst sweep --help",
    ),
    ("--tasks add2 --logger tensorbord", "unknown logger 'tensorbord': did you mean tensorboard?"),
    ("--tasks add2 --gpus 0.5", "--gpus is for a cluster; add --ray auto or leave it out"),
    (
        "--tasks add2 --learners edsm --presets paper",
        "--presets are recipes of dfst; add it to --learners, or leave them out",
    ),
    ("misspelt.yaml", "misspelt.yaml: unknown field 'task': did you mean tasks?"),
    (
        "folder",
        "cannot read folder: expected a plain file, found a folder; "
        "give a sweep file or --tasks; a sweep goes on with --resume FOLDER",
    ),
    ("--tasks add2 --set precision=fire", "precision takes float32 or float64, found 'fire'"),
    ("--tasks add2 --out folder", "folder already holds a run of dfst learn; give another --out"),
    (
        "nowhere.yaml",
        "cannot read nowhere.yaml: No such file or directory; "
        "give a sweep file or --tasks; a sweep goes on with --resume FOLDER",
    ),
    ("--resume nowhere", "nowhere is not a sweep: it has no sweep.json; give the folder of a sweep"),
    ("--resume nowhere --seeds 3", "--resume goes on with the sweep of nowhere; leave out --seeds"),
    (
        "--tasks add2 --ray auto --device cuda",
        "--device cuda on a cluster needs GPUs for each trial; add --gpus 0.25, say",
    ),
    (
        "--tasks add2 --ray auto --gpus 1.5",
        "gpus must be a fraction of one or a whole number, found 1.5; try --gpus 0.25",
    ),
]


def refuses(dfst, place: Path, words: str, line: str) -> None:
    before = sorted(place.rglob("*"))
    began = time.monotonic()
    done = dfst("sweep", *words.split())
    assert time.monotonic() - began < A_MINUTE
    assert (done.err, done.out, done.status) == (f"dfst: {line}\n", "", 2)
    assert sorted(place.rglob("*")) == before


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    (tmp_path / "misspelt.yaml").write_text("task: add2\n", "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "config.json").write_text("{}", "utf-8")
    (tmp_path / "folder" / ".lock").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return tmp_path


@pytest.mark.parametrize(("words", "line"), WORDS)
def test_bad_words(dfst, place, words, line):
    refuses(dfst, place, words, line)


def test_without_ray(dfst, place, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    line = "--ray needs ray, which is not installed; run: pip install 'dfst[ray]'"
    refuses(dfst, place, "--tasks add2 --ray 127.0.0.1:1", line)


def test_a_folder_in_use(dfst, place):
    import os

    with RunFolder("busy").locked():
        refuses(
            dfst,
            place,
            "--tasks add2 --out busy",
            f"busy is in use by another run (process {os.getpid()}); wait for it or give another --out",
        )
