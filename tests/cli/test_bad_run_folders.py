"""Run folders that cannot be continued, or are in use: one line, exit status 2, nothing written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from refusing import refuses

from dfst.files.tensors import read_tensors, write_tensors
from dfst.traces.traceset import load_traces
from dfst.train.runfolder import CHECKPOINT, RunFolder
from dfst.train.state import ARRAYS


def rewrite(place: Path, change: Callable[[dict], None]) -> None:
    folder = RunFolder(place / "RUN")
    config = folder.read_config()
    change(config)
    folder.write_config(config)


CONFIGS = [
    (
        lambda config: config["recipe"].update(first_seed=5),
        "RUN/checkpoint.safetensors cannot be gone on from: it belongs to another configuration; "
        "remove it to train again from step 0",
    ),
    (
        lambda config: config["recipe"].update(hidden_size=13),
        "RUN/checkpoint.safetensors cannot be gone on from: it belongs to another configuration; "
        "remove it to train again from step 0",
    ),
    (
        lambda config: config["problem"]["sampling"].update(data_seed=7),
        "RUN was trained on other traces than this version records; start anew",
    ),
    (
        lambda config: config.update(format="dfst-run/9"),
        "RUN has the format 'dfst-run/9', which a later dfst wrote; update dfst",
    ),
    (
        lambda config: config.pop("recipe"),
        "RUN/config.json is damaged (recipe is missing); the run cannot go on",
    ),
]


@pytest.mark.parametrize(("change", "line"), CONFIGS)
def test_run_folders_of_another_configuration(dfst, place, change, line):
    rewrite(place, change)
    refuses(dfst, place, "learn --resume RUN", line)


def test_a_checkpoint_that_is_none(dfst, place):
    (place / "RUN" / "checkpoint.safetensors").write_bytes(b"hello")
    refuses(
        dfst,
        place,
        "learn --resume RUN",
        "RUN/checkpoint.safetensors is not a checkpoint: "
        f"expected safetensors with {', '.join(ARRAYS)} "
        "(Error while deserializing: header too small); remove it to train again from step 0",
    )


@pytest.mark.parametrize("words", ["learn --resume RUN", "learn add2 --out RUN"])
def test_two_runs_in_one_folder(dfst, place, words):
    with RunFolder("RUN").locked():
        refuses(
            dfst,
            place,
            words,
            f"RUN is in use by another run (process {os.getpid()}); wait for it or give another --out",
        )


def checkpoint(place: Path, changes: dict, **metadata: str) -> None:
    """A checkpoint with other arrays, and a checksum that fits them."""
    file = RunFolder(place / "RUN").checkpoint_file
    arrays, found = read_tensors(file, CHECKPOINT)
    found.pop("format")
    write_tensors(file, CHECKPOINT, arrays | {n: f(arrays[n]) for n, f in changes.items()}, found | metadata)


WRONG = [
    *(({name: lambda a: a[..., None]}, {}, name) for name in ARRAYS),
    *(({name: lambda a: a[:1]}, {}, name) for name in ARRAYS),
    *(({name: lambda a: a.astype(np.float16)}, {}, name) for name in ARRAYS),
    *(
        ({name: lambda a: a * np.nan}, {}, name)
        for name in ("theta", "first", "second", "norm", "good", "total")
    ),
    ({"second": lambda a: a - 1}, {}, "a mean of squares is negative"),
    ({"slowdown": lambda a: a * 3}, {}, "slowdown is not between 0 and 1"),
    ({}, {"iteration": "-1"}, "it is at step -1"),
    ({}, {"iteration": "1000000"}, "it is at step 1,000,000"),
    ({}, {"iteration": "x"}, "invalid literal"),
    ({}, {"shape": "4 5"}, "missing 1 required positional argument"),
    ({}, {"shape": "4 5 99999999"}, "it belongs to another configuration"),
]


@pytest.mark.parametrize(("changes", "metadata", "told"), WRONG)
def test_no_array_of_a_checkpoint_reaches_compiled_code_unchecked(dfst, place, changes, metadata, told):
    checkpoint(place, changes, **metadata)
    done = dfst(*["learn", "--resume", "RUN"])
    assert done.status == 2
    assert done.err.startswith("dfst: RUN/checkpoint.safetensors cannot be gone on from: ")
    assert told in done.err or "another configuration" in done.err
    assert done.err.endswith("; remove it to train again from step 0\n")


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def test_a_damaged_configuration_is_named_with_what_still_works(dfst, place):
    (place / "RUN" / "model.safetensors").write_bytes(b"")
    flip(place / "RUN" / "config.json")
    done = dfst(*["learn", "--resume", "RUN"])
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("dfst: RUN/config.json is damaged (")
    assert done.err.endswith("the run cannot go on; its model can be used: RUN/model.safetensors\n")


def test_damaged_files_of_a_finished_run_cost_no_more_than_they_held(dfst, place):
    """Older checkpoint, traces and metrics: --resume goes on; report and model: it writes them again."""
    run = RunFolder("RUN")
    options = ["--preset", "paper", "--steps", "60", "--seeds", "1", "--digits", "1", "--device", "cpu"]
    dfst("learn", "add2", *options, "--out", "NEW")
    shutil.rmtree("RUN")
    Path("NEW").rename("RUN")
    state = run.read_checkpoint()
    state.iteration = 50
    run.write_checkpoint(state)
    run.write_checkpoint(run.read_checkpoint())
    before = run.model_file.read_bytes()
    flip(run.report_file)
    assert dfst("plot", "RUN", "-o", "r.svg").err.endswith("; write it again: dfst learn --resume RUN\n")
    flip(run.model_file)
    damaged = "dfst: RUN/model.safetensors is damaged: its checksum does not fit"
    assert dfst("run", "RUN", "1+1").err.startswith(damaged)
    flip(run.metrics_file)
    done = dfst("plot", "RUN", "-o", "curves.svg")
    assert (done.status, done.err.splitlines()[0]) == (2, done.err.strip())  # for the model, which it marks
    flip(run.checkpoint_file)
    flip(run.traces_file)
    done = dfst(*["learn", "--resume", "RUN", "--device", "cpu"])
    assert done.status == 1
    for told in (
        "checkpoint.safetensors is damaged: its checksum does not fit; going on from the one before it, step",
        "traces.safetensors is damaged: its checksum does not fit; record the traces again; it is written",
        "1 line of RUN/metrics.jsonl is damaged and left out of the curve; the training is not affected",
    ):
        assert told in " ".join(done.err.split())
    assert run.model_file.read_bytes() != before  # ten steps were taken twice
    assert dfst("run", "RUN", "1+1").status in (0, 1)
    assert dfst("plot", "RUN", "-o", "curves.svg").err == ""
    with open(run.metrics_file, "a") as file:
        file.write('{"iteration": 61, "loss": [0.0]}\n')  # without its checksum
    done = dfst("plot", "RUN", "-o", "curves.svg")
    assert (done.status, done.err) == (
        0,
        "dfst: warning: 1 line of RUN/metrics.jsonl is damaged and left out of the curve; "
        "the training is not affected\n",
    )
    assert load_traces(run.traces_file)


@pytest.mark.parametrize("harm", [Path.unlink, lambda file: os.truncate(file, 1)])
def test_models_do_not_depend_on_the_log(dfst, place, harm):
    """Losses stand in the card of each model and choose among seeds; the checkpoint knows them."""
    options = ["--preset", "paper", "--steps", "60", "--seeds", "2", "--digits", "1", "--device", "cpu"]
    dfst("learn", "add2", *options, "--out", "NEW")
    run, names = RunFolder("NEW"), ("seed-0.safetensors", "seed-1.safetensors", "model.safetensors")
    told = [run.read_report()[key] for key in ("chosen", "candidates", "device")]
    before = [(run.path / name).read_bytes() for name in names]
    harm(run.metrics_file)
    assert dfst("learn", "--resume", "NEW", "--device", "cpu").status == 1
    assert [(run.path / name).read_bytes() for name in names] == before
    assert [run.read_report()[key] for key in ("chosen", "candidates", "device")] == told


def test_a_run_that_was_killed_before_its_traces_were_written_writes_them(dfst, place):
    RunFolder("RUN").traces_file.unlink()
    rewrite(place, lambda config: config["recipe"].update(steps=3))
    dfst(*["learn", "--resume", "RUN", "--digits", "1", "--device", "cpu"])
    assert load_traces(RunFolder("RUN").traces_file)
