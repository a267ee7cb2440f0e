"""A run that is cut off anywhere and resumed ends in the same bits as one that was left alone.

Each run is a process of its own, `dfst learn` with checkpoints written as often as can be, so that a kill
falls before, after and into the writing of one.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from evidence import slow

from dfst.errors import InputError
from dfst.model.weights import load_weights
from dfst.train.runfolder import RunFolder

ITERATIONS = 1500
SEEDS = (0, 1)
OPTIONS = ["--preset", "paper", "--steps", str(ITERATIONS), "--seeds", str(len(SEEDS))]
CHILD = """
import sys
from dfst.cli import main
from dfst.train import train

train.CHECKPOINT_SECONDS = 0.0
main(sys.argv[1:])
"""
PATIENCE = 120
"""Seconds; the first run on a machine compiles."""


def start(*words: str | Path) -> subprocess.Popen[str]:
    """`dfst learn …` under way."""
    command = [sys.executable, "-c", CHILD, "learn", *map(str, words), "--device", "cpu", "--digits", "1"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> None:
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 1), said


def iteration_of(folder: Path) -> int:
    """How far the newest checkpoint is; -1 where there is none."""
    try:
        state = RunFolder(folder).read_checkpoint()
    except InputError as error:
        raise AssertionError(f"a checkpoint was seen half written: {error}") from error
    return -1 if state is None else state.iteration


def reached(process: subprocess.Popen[str], folder: Path, iteration: int) -> None:
    """Wait until an iteration was saved."""
    deadline = time.monotonic() + PATIENCE
    while iteration_of(folder) < iteration:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.002)


def stop_at(
    process: subprocess.Popen[str], folder: Path, iteration: int, how: signal.Signals, wait: float
) -> str:
    """Send a signal some time after an iteration was saved; what the process said before it ended."""
    reached(process, folder, iteration)
    time.sleep(wait)
    process.send_signal(how)
    return process.communicate(timeout=PATIENCE)[1]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    finish(start("add2", *OPTIONS, "--out", folder))
    return folder


def assert_same_end(folder: Path, unbroken: Path) -> None:
    assert iteration_of(folder) == iteration_of(unbroken) == ITERATIONS
    for name in ("checkpoint.safetensors", "traces.safetensors"):
        assert (folder / name).read_bytes() == (unbroken / name).read_bytes()
    for seed in SEEDS:
        mine, other = (load_weights(RunFolder(f).seed_file(seed)) for f in (folder, unbroken))
        assert mine.fingerprint() == other.fingerprint()
    logged = [[(r["iteration"], r["loss"]) for r in RunFolder(f).read_metrics()] for f in (folder, unbroken)]
    assert logged[0] == logged[1]


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path, unbroken):
    rng = np.random.default_rng()
    folder, words = tmp_path / "run", ["add2", *OPTIONS, "--out", tmp_path / "run"]
    for iteration in sorted(rng.integers(0, ITERATIONS * 3 // 4, size=2)):
        process = start(*words)
        stop_at(process, folder, int(iteration), signal.SIGKILL, wait=rng.uniform(0, 0.02))
        assert process.returncode == -signal.SIGKILL
        assert iteration <= iteration_of(folder) < ITERATIONS
        words = ["--resume", folder]
    finish(start(*words))
    assert_same_end(folder, unbroken)


@pytest.mark.parametrize("how", [signal.SIGTERM, *slow(signal.SIGINT, signal.SIGHUP)])
def test_a_signal_saves_and_says_how_to_go_on(tmp_path, unbroken, how):
    folder = tmp_path / "run"
    process = start("add2", *OPTIONS, "--out", folder)
    said = stop_at(process, folder, ITERATIONS // 3, how, wait=0.01)
    assert process.returncode == 128 + how
    assert said.endswith(
        f"dfst: stopped; everything so far is saved. Go on with: dfst learn --resume {folder}\n"
    )
    assert "Traceback" not in said
    assert ITERATIONS // 3 <= iteration_of(folder) < ITERATIONS
    finish(start("--resume", folder))
    assert_same_end(folder, unbroken)


@pytest.mark.slow
def test_a_second_ctrl_c_while_it_ends_changes_nothing(tmp_path):
    folder = tmp_path / "run"
    process = start("add2", *OPTIONS, "--out", folder)
    assert process.stderr is not None
    reached(process, folder, ITERATIONS // 3)
    process.send_signal(signal.SIGINT)
    said = ""
    while "stopped" not in said:
        said = process.stderr.readline()
        assert said
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.005)
    assert (process.returncode, process.communicate()[1]) == (130, "")
    assert ITERATIONS // 3 <= iteration_of(folder) < ITERATIONS


@pytest.mark.parametrize("goes_on", [False, *slow(True)])
def test_stop_after_saves_and_has_an_exit_status_of_its_own(tmp_path, unbroken, goes_on):
    folder = tmp_path / "run"
    process = start("add2", *OPTIONS, "--out", folder, "--set", "stop_after=0.05")
    said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 3
    assert said.endswith(
        f"of {ITERATIONS:,}; everything so far is saved. Go on with: dfst learn --resume {folder}\n"
    )
    assert 0 < iteration_of(folder) < ITERATIONS
    if goes_on:
        finish(start("--resume", folder))
        assert_same_end(folder, unbroken)


def test_a_line_of_metrics_cut_off_by_a_crash_is_dropped(tmp_path):
    told: list[str] = []
    folder = RunFolder(tmp_path, told.append)
    for iteration in (5, 10):
        folder.append_metrics({"iteration": iteration, "loss": [1.0]})
    with open(folder.metrics_file, "a", encoding="utf-8") as file:
        file.write('{"iteration": 1')
    folder.drop_metrics_after(7)
    assert (folder.read_metrics(), told) == ([{"iteration": 5, "loss": [1.0]}], [])
