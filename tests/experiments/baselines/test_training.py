"""The loop that trains networks: it learns, and the same seed ends in the same place."""

from __future__ import annotations

from pathlib import Path

from dfst.experiments.baselines.assignment import Assignment
from dfst.experiments.baselines.network import RATES, TOLD_EVERY
from dfst.experiments.baselines.registry import LEARNERS
from dfst.train.progress import Narrator
from dfst.train.settings import configure

train_lstm = LEARNERS["lstm"].load()


def assignment(folder: Path, iterations: int, seed: int = 0, **more: object) -> Assignment:
    return Assignment(configure("add2", steps=iterations), seed, folder, "cpu", **more)  # type: ignore[arg-type]


def test_a_training_learns_and_repeats_itself(tmp_path: Path) -> None:
    told: list[int] = []
    narrator = Narrator()
    narrator.progress = lambda progress: told.append(progress.iteration)  # type: ignore[method-assign]
    done = train_lstm(assignment(tmp_path, 120, narrator=narrator))
    assert told == [TOLD_EVERY, 2 * TOLD_EVERY]
    assert done.loss is not None
    assert done.loss < 0.6
    assert done.settings["rate"] in RATES
    assert (done.iterations, done.loss) == (120, train_lstm(assignment(tmp_path, 120)).loss)
    assert train_lstm(assignment(tmp_path, 5, seed=1)).loss != done.loss
