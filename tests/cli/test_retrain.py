"""dfst reproduce --train: every task learnt in a folder of its own, and nothing learnt twice."""

from __future__ import annotations

import json

from dfst.cli import retrain


def test_tasks_are_learnt_once_and_told_in_a_table(dfst, monkeypatch, tmp_path):
    words = ["reproduce", "--train", "--board", "--tasks", "cycle", "--quick", "--device", "cpu",
             "--seeds", 2, "--data-seeds", 100, "--out", tmp_path]  # fmt: skip
    [found] = dfst(*words, "--json").objects
    assert (found["agent"], [m["digits"] for m in found["evaluation"]]) == ("cycle", [60, 1000])
    assert [candidate["strength"] for candidate in found["candidates"]] == ["proved"] * 2
    monkeypatch.setattr(retrain.Run, "learn", None)
    again = dfst(*words)
    assert again.status == 0
    assert "2 of 2 seeds proved" in " ".join(again.out.split())
    [record] = map(json.loads, (tmp_path / retrain.RECORDS).read_text("utf-8").splitlines())
    assert (record["agent"], record["preset"], record["data_seed"]) == ("cycle", "quick", 100)


def test_options_of_training_go_with_it(dfst):
    assert dfst("reproduce", "--device", "cpu").err == (
        "dfst: --device goes with --train; add it or leave out --device\n"
    )


def test_a_task_that_is_not_in_the_table_is_named(dfst):
    done = dfst("reproduce", "--tasks", "parity")
    assert done.status == 2
    assert done.err.startswith("dfst: unknown task 'parity'")
