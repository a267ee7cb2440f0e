"""dfst reproduce --train: every task learnt in a folder of its own, and nothing learnt twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from dfst.cli import reproduced
from dfst.train.runfolder import RunFolder

PATIENCE = 600
"""Seconds: three processes begin one after another."""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_is_passed_on_and_what_was_learnt_is_saved(tmp_path, how):
    words = ["reproduce", "--train", "--descent", "--tasks", "add2", "--quick", "--device", "cpu",
             "--seeds", "1", "--data-seeds", "100", "101", "--out", str(tmp_path)]  # fmt: skip
    command = subprocess.Popen([sys.executable, "-m", "dfst", *words], stderr=subprocess.PIPE, text=True)
    run, until = RunFolder(tmp_path / "add2-descent-100"), time.monotonic() + PATIENCE
    while not run.read_metrics():
        assert command.poll() is None, command.communicate()[1]
        assert time.monotonic() < until, "nothing was learnt"
        time.sleep(0.05)
    command.send_signal(how)
    said = command.communicate(timeout=PATIENCE)[1]
    assert command.returncode == 128 + how
    assert f"Go on with: dfst learn --resume {run.path}" in said
    assert said.endswith(
        f"dfst: stopped; everything so far is saved in {tmp_path}. Go on with the same command\n"
    )
    assert "Traceback" not in said
    state = run.read_checkpoint()
    assert state is not None
    assert state.iteration > 0
    assert not RunFolder(tmp_path / "add2-descent-101").exists(), "the next one was begun"
    with run.locked():
        pass  # nobody holds it any more


@pytest.mark.slow
def test_tasks_are_learnt_once_and_told_in_a_table(dfst, monkeypatch, tmp_path):
    words = ["reproduce", "--train", "--board", "--tasks", "cycle", "--quick", "--device", "cpu",
             "--seeds", 2, "--data-seeds", 100, "--out", tmp_path]  # fmt: skip
    first = dfst(*words, "--json")
    assert "training takes about" in " ".join(first.err.split())
    [found] = first.objects
    assert (found["agent"], [m["digits"] for m in found["evaluation"]]) == ("cycle", [60, 1000])
    assert [candidate["strength"] for candidate in found["candidates"]] == ["proved"] * 2
    monkeypatch.setattr(reproduced.Run, "learn", None)
    again = dfst(*words)
    assert again.status == 0
    assert "training takes" not in again.err
    assert "2 of 2 seeds proved" in " ".join(again.out.split())
    [record] = map(json.loads, (tmp_path / reproduced.RECORDS).read_text("utf-8").splitlines())
    assert (record["agent"], record["preset"], record["data_seed"]) == ("cycle", "quick", 100)


def test_options_of_training_go_with_it(dfst):
    assert dfst("reproduce", "--device", "cpu").err == (
        "dfst: --device goes with --train; add it or leave out --device\n"
    )


def test_a_task_that_is_not_in_the_table_is_named(dfst):
    done = dfst("reproduce", "--tasks", "parity")
    assert done.status == 2
    assert done.err.startswith("dfst: unknown task 'parity'")
