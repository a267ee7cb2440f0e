"""A run remembers every option, and whether what it was made from is still the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dfst.errors import InputError
from dfst.experts import expert
from dfst.problems.problem import RECORDING
from dfst.traces.recording import read_recording, write_recording
from dfst.train.config import read_config
from dfst.train.prepare import prepare
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure


def begun(folder, plan, **more):
    """A run that has taken no step yet."""
    traces = plan.problem.training_set().traces
    with folder.locked():
        return prepare(plan, traces, folder, "cpu", folder.tell, **({"resume": False, "start": None} | more))


def test_every_option_is_remembered(tmp_path):
    asked = configure(expert("add2"), seeds=2, steps=7)
    asked = replace(asked, sizes=(3, 9), every_seed=True, device="cpu", loggers=("tensorboard",))
    begun(RunFolder(tmp_path), asked)
    found = read_config(tmp_path)
    for name in ("sizes", "every_seed", "device", "loggers"):
        assert getattr(found, name) == getattr(asked, name)
    assert (found.recipe.seeds, found.recipe.steps) == (2, 7)


def test_equal_runs_begin_with_equal_files(tmp_path):
    plan = configure(expert("add2"), seeds=2, steps=7)
    for name in ("one", "two"):
        begun(RunFolder(tmp_path / name), plan)
    for file in ("config.json", "traces.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_recording_that_was_changed_is_not_gone_on_with(tmp_path):
    unit = expert("sort2")
    write_recording(tmp_path / "t.jsonl", unit, [unit.trace(text) for text in ("0", "10", "110", "011")])
    begun(
        RunFolder(tmp_path / "run"), configure(read_recording(tmp_path / "t.jsonl"), seeds=1, hidden_size=4)
    )
    assert read_config(tmp_path / "run")
    file = tmp_path / "run" / RECORDING
    file.write_text(file.read_text("utf-8").replace('"input": "0"', '"input": ""'), "utf-8")
    with pytest.raises(InputError, match=r"recording\.jsonl is damaged: its hash is another"):
        read_config(tmp_path / "run")


def test_a_start_of_ones_own_is_lost_with_its_checkpoint(tmp_path):
    plan, folder = configure(expert("add2"), seeds=1, hidden_size=3), RunFolder(tmp_path)
    size = plan.shape(plan.problem.training_set().traces).size
    begun(folder, plan, start=np.zeros((1, size)))
    assert not begun(folder, plan, resume=True).state.theta.any()
    folder.checkpoint_file.unlink()
    with pytest.raises(InputError, match="began from weights that only its checkpoint held; start anew"):
        begun(folder, plan, resume=True)
