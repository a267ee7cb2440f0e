"""The training of a DFST, as loggers are told it: loss and RLG of every seed, and the learning rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from dfst.experiments.loggers.logger import LoggedRun, Logger, open_loggers
from dfst.learning.plan import Plan
from dfst.learning.progress import Narrator, Progress


class LoggingNarrator(Narrator):
    """Tells another narrator everything, and the loggers what the training does."""

    def __init__(self, inner: Narrator, names: Sequence[str], run: LoggedRun) -> None:
        self._inner = inner
        self._names = names
        self._run = run
        self._logger: Logger | None = None
        self._seeds: Sequence[int] = ()

    def stage(self, text: str) -> None:
        self._inner.stage(text)

    def training_begins(self, plan: Plan) -> None:
        sizes = {"agent": plan.subject.name, "hidden_size": plan.hidden_size}
        config = {**sizes, **asdict(plan.recipe), **self._run.config}
        self._logger = open_loggers(self._names, replace(self._run, config=config))
        self._seeds = plan.seeds
        self._inner.training_begins(plan)

    def progress(self, progress: Progress) -> None:
        if self._logger:
            self._logger.log(progress.iteration, values_of(progress, self._seeds))
        self._inner.progress(progress)

    def training_ends(self) -> None:
        if self._logger:
            self._logger.close()
            self._logger = None
        self._inner.training_ends()


def values_of(progress: Progress, seeds: Sequence[int]) -> dict[str, float]:
    """Numbers by name; a seed that diverged has no loss any more."""
    values = {"rate": progress.rate}
    for seed, loss in zip(seeds, progress.losses, strict=True):
        if np.isfinite(loss):
            values[f"loss/seed-{seed}"] = float(loss)
    for seed, rlg in zip(seeds, progress.rlg or (), strict=False):
        values[f"rlg/seed-{seed}"] = float(rlg)
    return values
