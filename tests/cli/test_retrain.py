"""dfst reproduce --train: every task learnt in a folder of its own, and nothing learnt twice."""

from __future__ import annotations

import pytest

from dfst.cli import retrain
from dfst.train.settings import configure

pytest.importorskip("torch")


def test_tasks_are_learnt_once_and_told_in_a_table(dfst, monkeypatch, tmp_path):
    monkeypatch.setattr(
        retrain, "configure", lambda name, preset: configure(name, preset, seeds=1, steps=4000)
    )
    monkeypatch.setattr(retrain, "BOARD", {"parity": retrain.BOARD["parity"]})
    monkeypatch.setattr("dfst.evaluation.board.BOARD", retrain.BOARD)
    words = ["reproduce", "--train", "--board", "--quick", "--device", "cpu", "--out", tmp_path]
    [found] = dfst(*words, "--json").objects
    assert (found["agent"], [m["digits"] for m in found["evaluation"]]) == ("parity", [60, 1000])
    monkeypatch.setattr(retrain, "learn", None)
    again = dfst(*words)
    assert again.status == (0 if found["exact"] else 1)
    assert found["strength"] in again.out


def test_options_of_training_go_with_it(dfst):
    assert dfst("reproduce", "--device", "cpu").err == (
        "dfst: --device goes with --train; add it or leave out --device\n"
    )
