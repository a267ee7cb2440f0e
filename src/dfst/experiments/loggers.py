"""Loggers: where else the course of a training goes, besides the JSON lines that every run folder keeps.

A logger is opened when training begins, and told numbers by iteration. In a run that goes on after it was
cut off, the first iteration told may be one that was told before: what was logged from there on is void.
"""

import os
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dfst.errors import InputError, MissingExtra, UnknownName
from dfst.files import write_atomically
from dfst.problems import Problem
from dfst.train.progress import Narrator, Progress
from dfst.train.recipe import Recipe


class TensorBoard:
    """An event file in the run folder, by TensorBoard's own writer: training on the CPU needs no torch."""

    def __init__(self, folder: Path, group: str = "", config: Mapping[str, Any] | None = None) -> None:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._writer = EventFileWriter(str(folder / "tensorboard"))
        self._begun = False

    def log(self, iteration: int, values: Mapping[str, float]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.compat.proto.summary_pb2 import Summary

        if not self._begun:
            # A restart tells TensorBoard to discard what earlier files hold from this iteration on.
            start = SessionLog(status=SessionLog.START)
            self._writer.add_event(Event(step=iteration, wall_time=time.time(), session_log=start))
            self._begun = True
        summary = Summary(
            value=[Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
        )
        self._writer.add_event(Event(step=iteration, wall_time=time.time(), summary=summary))

    def close(self) -> None:
        self._writer.close()


class WeightsAndBiases:
    """A run of the project `dfst` (or of WANDB_PROJECT); the run folder keeps its id, to go on in it."""

    def __init__(self, folder: Path, group: str = "", config: Mapping[str, Any] | None = None) -> None:
        import wandb

        folder.mkdir(parents=True, exist_ok=True)
        id_file = folder / "wandb-id"
        if not id_file.exists():
            write_atomically(id_file, uuid.uuid4().hex[:16])
        try:
            self._run: Any = wandb.init(
                project=os.environ.get("WANDB_PROJECT", "dfst"),
                name=folder.name,
                group=group or None,
                id=id_file.read_text("utf-8"),
                resume="allow",
                dir=str(folder),
                config=dict(config or {}),
                settings=wandb.Settings(silent=True, console="off", x_disable_stats=True),
            )
        except wandb.errors.Error as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"Weights & Biases: {reason}; fix that, or set WANDB_MODE=offline to log to files"
            ) from error

    def log(self, iteration: int, values: Mapping[str, float]) -> None:
        self._run.log(dict(values), step=iteration)

    def close(self) -> None:
        self._run.finish()


LOGGERS: dict[str, type[TensorBoard | WeightsAndBiases]] = {
    "tensorboard": TensorBoard,
    "wandb": WeightsAndBiases,
}
"""By name, which is also that of the package, and of the extra, it needs."""


def check_loggers(names: Sequence[str]) -> None:
    """Refuse loggers that do not exist, are not installed or cannot be reached, before any work."""
    for name in names:
        if name not in LOGGERS:
            raise UnknownName("logger", name, LOGGERS)
        if find_spec(name) is None:
            raise MissingExtra(f"the logger {name}", name, name)
    if "wandb" in names and os.environ.get("WANDB_MODE", "online") == "online":
        import wandb

        # The server would ask who is there, and nobody could answer.
        if not wandb.api.api_key:
            raise InputError(
                "the logger wandb is not logged in; "
                "run: wandb login, or set WANDB_MODE=offline to log to files"
            )


class LoggingNarrator(Narrator):
    """Tells another narrator everything, and loggers how a training goes."""

    def __init__(
        self,
        inner: Narrator,
        names: Sequence[str],
        folder: Path,
        group: str = "",
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """group: the sweep it belongs to; config: what is known of it besides its recipe"""
        check_loggers(names)
        self.loggers = tuple(names)
        self._inner, self._folder, self._group, self._config = inner, folder, group, config or {}
        self._open: list[TensorBoard | WeightsAndBiases] = []
        self._seeds: Sequence[int] = ()

    def stage(self, text: str) -> None:
        self._inner.stage(text)

    def training_begins(self, problem: Problem, recipe: Recipe) -> None:
        config = {"agent": problem.name, **asdict(recipe), **self._config}
        self._open = [LOGGERS[name](self._folder, self._group, config) for name in self.loggers]
        self._seeds = recipe.seed_numbers
        self._inner.training_begins(problem, recipe)

    def progress(self, progress: Progress) -> None:
        for logger in self._open:
            logger.log(progress.iteration, values_of(progress, self._seeds))
        self._inner.progress(progress)

    def training_ends(self) -> None:
        while self._open:
            self._open.pop().close()
        self._inner.training_ends()


def values_of(progress: Progress, seeds: Sequence[int]) -> dict[str, float]:
    """Loss and RLG of every seed, and the learning rate; a seed that diverged has no loss any more."""
    values = {"rate": progress.rate} if progress.rate else {}
    for seed, loss in zip(seeds, progress.losses, strict=True):
        if np.isfinite(loss):
            values[f"loss/seed-{seed}"] = float(loss)
    for seed, rlg in zip(seeds, progress.rlg or (), strict=False):
        values[f"rlg/seed-{seed}"] = float(rlg)
    return values
