"""dfst trace: one run, several, and what a training set teaches."""

from __future__ import annotations

import pytest


def test_several_inputs(dfst):
    done = dfst("trace", "expert:add2", "1+1", "11+1", "--json")
    assert [trace["input"] for trace in done.objects] == ["1+1", "11+1"]
    plain = dfst("trace", "expert:add2", "1+1", "11+1").out.splitlines()
    assert "1+1" in plain
    assert "11+1" in plain


def test_what_the_usual_set_teaches(dfst):
    done = dfst("trace", "expert:add2", "--teaches")
    assert done.status == 0
    assert "rules: 40 of 40 shown" in done.out
    assert "states: 12, of which 12 explain the traces; hidden size 12" in done.out
    assert "that carry repeats once after ((add,1), 1) is never shown; 11+1 shows it" in done.out
    assert "warning" not in done.out


def test_the_options_of_the_training_set(dfst):
    report = dfst(
        "trace", "expert:add2", "--teaches", "--json", "--samples", 60, "--hidden-size", 40
    ).objects[0]
    assert report["never_shown"] == []
    assert "room to count: 12 states" in report["warnings"][-1]
    assert report["thin"]["thinnest"][0]["times"] < report["thin"]["times"]


def test_given_inputs(dfst):
    report = dfst("trace", "expert:add2", "1+1", "--teaches", "--json").objects[0]
    assert ["take", "0"] in report["never_shown"]
    assert "never shown, so not learnt" in report["warnings"][0]


def test_a_machine_without_a_task(dfst):
    assert "hidden size" in dfst("trace", "bb3", "--teaches").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("1+1", "--samples", 30), "--samples goes with --teaches"),
        (("--teaches", "--out", "x.safetensors"), "--teaches saves no traces"),
        (("--teaches", "--samples", -1), "--samples takes a whole number from 1 to"),
        (("--teaches", "--hidden-size", 0), "--hidden-size takes a whole number from 1 to"),
    ],
)
def test_bad_options_are_one_line(dfst, words, said):
    done = dfst("trace", "expert:add2", *words)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_learn_says_it_before_training(dfst, tmp_path):
    pytest.importorskip("torch")
    short = ["--seeds", 1, "--steps", 20, "--set", "polish=false", "--digits", 2, "--device", "cpu"]
    done = dfst("learn", "add2", *short, "--hidden-size", 20, "--out", tmp_path / "run")
    said = " ".join(done.err.split())
    assert "12 states explain them" in said
    assert "warning: hidden size 20 leaves room to count" in said
    assert '"warnings": [' in (tmp_path / "run" / "report.json").read_text("utf-8")
