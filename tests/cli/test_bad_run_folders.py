"""Run folders that cannot be continued, or are in use: one line, exit status 2, nothing written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from refusing import refuses

from dfst.train.runfolder import STATE_ARRAYS, RunFolder


def rewrite(place: Path, change: Callable[[dict], None]) -> None:
    folder = RunFolder(place / "RUN")
    config = folder.read_config()
    change(config)
    folder.write_config(config)


CONFIGS = [
    (
        lambda config: config["recipe"].update(first_seed=5),
        "RUN/checkpoint.safetensors belongs to another configuration; start anew",
    ),
    (
        lambda config: config["recipe"].update(hidden_size=13),
        "RUN/checkpoint.safetensors belongs to another configuration; start anew",
    ),
    (
        lambda config: config["problem"]["sampling"].update(data_seed=7),
        "RUN was trained on other traces than this version records; start anew",
    ),
    (
        lambda config: config.update(format="dfst-run/9"),
        "RUN: expected a run of format 'dfst-run/3', found 'dfst-run/9'",
    ),
    (
        lambda config: config.pop("recipe"),
        "RUN holds another configuration than this version writes ('recipe'); start anew",
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
        f"expected safetensors with {', '.join(STATE_ARRAYS)} "
        "(Error while deserializing: header too small); remove it to start anew",
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
