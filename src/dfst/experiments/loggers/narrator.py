"""The training of a DFST, as loggers are told it: loss and RLG of every seed, and the learning rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dfst.experiments.loggers.logger import LoggedRun, Logger, open_loggers
from dfst.learning.pipeline import Narrator
from dfst.learning.plan import Plan
from dfst.learning.train import Observer, Progress
from dfst.traces.traceset import TraceSet


class LoggingNarrator(Narrator):
    """Tells another narrator everything, and the loggers what the training does."""

    def __init__(self, inner: Narrator, names: Sequence[str], run: LoggedRun) -> None:
        self._inner = inner
        self._names = names
        self._run = run
        self._logger: Logger | None = None

    def stage(self, text: str) -> None:
        self._inner.stage(text)

    def observer(self, plan: Plan, traces: TraceSet) -> Observer:
        config = {"agent": plan.agent.name, "d": plan.d, **plan.recipe.as_json(), **self._run.config}
        logger = self._logger = open_loggers(self._names, replace(self._run, config=config))
        observe = self._inner.observer(plan, traces)

        def both(progress: Progress) -> None:
            logger.log(progress.iteration, values_of(progress, plan.seeds))
            if observe:
                observe(progress)

        return both

    def done_training(self) -> None:
        if self._logger:
            self._logger.close()
            self._logger = None
        self._inner.done_training()


def values_of(progress: Progress, seeds: Sequence[int]) -> dict[str, float]:
    """Numbers by name; a seed that diverged has no loss any more."""
    values = {"rate": progress.rate}
    for seed, loss in zip(seeds, progress.losses, strict=True):
        if np.isfinite(loss):
            values[f"loss/seed-{seed}"] = float(loss)
    for seed, rlg in zip(seeds, progress.rlg or (), strict=False):
        values[f"rlg/seed-{seed}"] = float(rlg)
    return values
