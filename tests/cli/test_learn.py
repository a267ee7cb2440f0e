"""dfst learn on a run far too short to be exact: what it leaves behind, and what is drawn from it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import dfst as package
from dfst.train.learnt import Learnt

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    """By way of Python, in the folder it chooses by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("somewhere"))
        short = {"seeds": 2, "steps": 300, "polish": False, "digits": [2]}
        found = package.learn("add2", preset="quick", **short, device="cpu")
        return replace(found, folder=found.folder.resolve())


@pytest.fixture
def folder(learnt: Learnt) -> Path:
    return learnt.folder


def test_learning_in_python(learnt):
    assert learnt.recipe.steps == 300
    assert learnt.folder.parent.name == "runs"
    assert package.load(learnt.folder).fingerprint() == learnt.weights.fingerprint()


def test_a_run_leaves_a_report_for_people(folder):
    page = (folder / "report.html").read_text("utf-8")
    for words in ("20 examples", "the traces show", "Longer inputs", "dfst-data"):
        assert words in page
    assert len(page) < 1_000_000
    assert (folder / "replay.html").stat().st_size < 1_000_000


def test_a_run_folder_is_a_subject(dfst, folder):
    done = dfst("run", folder, "1+1", "--max-steps", 20, "--json")
    assert done.objects[0]["steps"] >= 1


def test_curves_of_one_run_and_of_several(dfst, folder, tmp_path):
    pytest.importorskip("matplotlib")
    for runs in ([folder], [folder, folder]):
        file = tmp_path / f"{len(runs)}.svg"
        done = dfst("plot", *runs, "-o", file)
        assert (done.status, done.out) == (0, f"{file}\n")
        assert "<svg" in file.read_text("utf-8")


def test_resume_refuses_another_configuration(dfst, folder):
    done = dfst("learn", "--resume", folder, "--set", "data_seed=3")
    assert done.status == 2
    assert "leave out --set" in done.err


def test_every_seed_is_asked_for_and_one_learns_to_add_exactly(dfst, tmp_path):
    words = ["--seeds", 2, "--steps", 6000, "--set", "learning_rate=0.01", "--digits", 40, "--every-seed"]
    done = dfst("learn", "add2", *words, "--out", tmp_path / "run")
    report = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))
    strengths = [candidate["strength"] for candidate in report["candidates"]]
    assert "proved" in strengths
    assert f"{strengths.count('proved')} of 2 seeds proved" in done.err
    assert (done.status, report["strength"]) == (0, "proved")
    assert done.out.strip().rstrip(".") == report["statement"].rstrip(".")
    assert "training 2 seeds" in done.err


def test_what_is_not_learnt_ends_with_status_1(dfst, tmp_path):
    words = ["--seeds", 1, "--steps", 20, "--digits", 2, "--device", "cpu"]
    done = dfst("learn", "add2", *words, "--out", tmp_path / "run")
    assert done.status == 1
    assert "is not exact" in done.out
