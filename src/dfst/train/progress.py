"""Training events, and the callbacks that are told of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.problems import Problem
from dfst.train.recipe import Recipe

Tell = Callable[[str], None]  # takes what a stage has to say, in a line


@dataclass(frozen=True)
class Progress:
    """A logging point of the training; all of them together are its curve."""

    iteration: int
    iterations: int
    rate: float
    losses: NDArray[np.float64]
    """(s,) mean loss since the last logging point; NaN for a seed that has diverged"""
    seconds: float  # time spent training, earlier parts of a resumed run included
    rlg: list[int] | None  # the newest RLG of each seed, measured at most a few logging points ago
    rlg_iteration: int
    diverged: list[int]  # seeds that diverged since the last logging point
    device: str = ""  # where these steps were taken, cpu or cuda

    def as_json(self) -> dict[str, Any]:
        """A line of metrics.jsonl."""
        losses = [None if np.isnan(loss) else float(loss) for loss in self.losses]
        values = {**vars(self), "loss": losses, "seconds": round(self.seconds, 3)}
        return {name: values[name] for name in POINT}


POINT = {
    "iteration": int, "seconds": float, "rate": float, "loss": [(float, None)], "rlg": ([int], None),
    "rlg_iteration": int, "device": str,
}  # fmt: skip
"""Of which kinds the values of such a line are."""


def progress_from_json(line: Mapping[str, Any], iterations: int) -> Progress:
    """A logging point of an earlier part of the run."""
    losses = np.array([np.nan if loss is None else loss for loss in line["loss"]])
    same = {name: line[name] for name in POINT if name != "loss"}
    return Progress(**same, iterations=iterations, losses=losses, diverged=[])


class Narrator:
    """Told what happens. tell: takes what stages have to say"""

    loggers: tuple[str, ...] = ()
    """Those that it tells of it by name, so that a run which goes on can do the same."""

    def __init__(self, tell: Tell = lambda text: None) -> None:
        self._tell = tell

    def stage(self, text: str) -> None:
        """A stage begins or has something to say."""
        self._tell(text)

    def training_begins(self, problem: Problem, recipe: Recipe) -> None:
        """The first step is about to be taken, with a recipe whose hidden size is a number."""
        self.stage(
            f"training {counted(recipe.seeds, 'seed')} with hidden size {recipe.hidden_size} "
            f"for {counted(recipe.steps, 'step')} ({recipe.preset} preset)"
        )

    def progress(self, progress: Progress) -> None:
        """The training has come to a logging point."""

    def training_ends(self) -> None:
        """The training is over or broken off; may be told more than once."""
