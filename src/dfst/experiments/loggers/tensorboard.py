"""TensorBoard: an event file in the run folder; `tensorboard --logdir DIR` shows a run, or a whole sweep.

Written by TensorBoard's own writer, so that training on the CPU still needs no torch.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dfst.experiments.loggers.logger import LoggedRun

if TYPE_CHECKING:
    from tensorboard.compat.proto.event_pb2 import Event

FOLDER = "tensorboard"


def check() -> None:
    """Nothing but the package is needed."""


class EventLog:
    """One event file a session of training."""

    def __init__(self, run: LoggedRun) -> None:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._writer = EventFileWriter(str(run.folder / FOLDER))
        self._begun = False

    def log(self, iteration: int, values: Mapping[str, float]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.compat.proto.summary_pb2 import Summary

        if not self._begun:
            # A restart tells TensorBoard to discard what earlier files hold from this iteration on.
            self._add(Event(step=iteration, session_log=SessionLog(status=SessionLog.START)))
            self._begun = True
        entries = [Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
        self._add(Event(step=iteration, summary=Summary(value=entries)))

    def _add(self, event: Event) -> None:
        event.wall_time = time.time()
        self._writer.add_event(event)

    def close(self) -> None:
        self._writer.close()


def open_logger(run: LoggedRun) -> EventLog:
    return EventLog(run)
