"""The loop that trains networks: it learns, and a training cut anywhere goes on to the same end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from dfst.errors import InputError
from dfst.experiments.baselines.assignment import Assignment
from dfst.experiments.baselines.registry import LEARNERS
from dfst.experiments.baselines.training import RATES, TOLD_EVERY, Budget
from dfst.train.settings import configure

train_lstm = LEARNERS["lstm"].load()


def assignment(folder: Path, iterations: int, seed: int = 0, **more: object) -> Assignment:
    folder.mkdir(exist_ok=True)
    plan = configure("add2", steps=iterations)
    return Assignment(plan, seed, folder, "cpu", **more)  # type: ignore[arg-type]


def tensors(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "checkpoint.safetensors")


def iteration(folder: Path) -> int:
    with safe_open(folder / "checkpoint.safetensors", "pt") as file:
        return json.loads(file.metadata()["state"])["spent"]["iteration"]


def test_an_interrupted_training_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    whole = train_lstm(assignment(tmp_path / "whole", 120))

    def stop(iteration: int, iterations: int, loss: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_lstm(assignment(tmp_path / "cut", 120, progress=stop))
    assert iteration(tmp_path / "cut") == TOLD_EVERY
    resumed = train_lstm(assignment(tmp_path / "cut", 120))
    before, after = tensors(tmp_path / "whole"), tensors(tmp_path / "cut")
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert (whole.iterations, whole.loss) == (resumed.iterations, resumed.loss)
    assert whole.loss is not None
    assert whole.loss < 0.6
    assert whole.settings["rate"] in RATES
    assert whole.parameters == sum(t.numel() for name, t in before.items() if name.startswith("network."))
    other = train_lstm(assignment(tmp_path / "other", 5, seed=1))
    assert other.loss != whole.loss


def test_a_time_budget_ends_a_training(tmp_path: Path) -> None:
    done = train_lstm(assignment(tmp_path, 10**9, seconds=0.6))
    assert 0 < done.iterations < 10**9
    assert 0.5 < done.seconds < 60


@pytest.mark.parametrize(
    ("iteration", "seconds", "spent"), [(0, 0.0, 0.0), (5, 0.0, 0.5), (5, 9.0, 0.9), (10, 1.0, 1.0)]
)
def test_whichever_budget_is_spent_first_counts(iteration: int, seconds: float, spent: float) -> None:
    assert Budget(10, 10.0).spent(iteration, seconds) == spent


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.safetensors").write_bytes(b"hello")
    with pytest.raises(InputError, match=r"is not a checkpoint .*remove it to start anew"):
        train_lstm(assignment(tmp_path, 10))
