"""Weights & Biases: one run a run folder, which keeps its id, so that a resumed training goes on in it.

`WANDB_MODE=offline` writes beside the run and sends nothing; `wandb sync` sends it later.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from typing import Any

from dfst.errors import InputError
from dfst.experiments.loggers.logger import LoggedRun
from dfst.files import write_atomically

PROJECT = "dfst"
ID_FILE = "wandb-id"


def check() -> None:
    """Refuse to begin where the server would ask who is there and nobody could answer."""
    import wandb

    if os.environ.get("WANDB_MODE", "online") == "online" and not wandb.api.api_key:
        raise InputError(
            "the logger wandb is not logged in; run: wandb login, or set WANDB_MODE=offline to log to files"
        )


class OnlineRun:
    """A run of the project `dfst` (or of WANDB_PROJECT)."""

    def __init__(self, run: LoggedRun) -> None:
        import wandb

        run.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._run: Any = wandb.init(
                project=os.environ.get("WANDB_PROJECT", PROJECT),
                name=run.name,
                group=run.group or None,
                id=_kept_id(run),
                resume="allow",
                dir=str(run.folder),
                config=dict(run.config),
                settings=wandb.Settings(silent=True, console="off", x_disable_stats=True),
            )
        except wandb.errors.Error as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"Weights & Biases: {reason}; mend that, or set WANDB_MODE=offline to log to files"
            ) from error

    def log(self, iteration: int, values: Mapping[str, float]) -> None:
        self._run.log(dict(values), step=iteration)

    def close(self) -> None:
        self._run.finish()


def _kept_id(run: LoggedRun) -> str:
    """The id in the run folder, made on first use."""
    file = run.folder / ID_FILE
    if not file.exists():
        write_atomically(file, uuid.uuid4().hex[:16])
    return file.read_text("utf-8")


def open_logger(run: LoggedRun) -> OnlineRun:
    return OnlineRun(run)
