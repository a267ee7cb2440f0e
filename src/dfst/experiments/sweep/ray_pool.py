"""The Ray pool: trials as tasks of a running cluster, with the cores and parts of GPUs they ask for.

Every node must see the sweep's folder (a shared disk, or one machine): trials work in it, and checkpoints
outlive the node. Ray restarts nothing by itself here: `conduct` counts the attempts.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayError, RayTaskError, TaskCancelledError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from dfst.experiments.lines import Line
from dfst.experiments.sweep.pool import Advanced, Died, Event, Finished, Job
from dfst.experiments.sweep.work import failure, work
from dfst.files import write_atomically
from dfst.train.workers import GRACE_SECONDS

QUEUED = 4
"""Trials handed over beyond what there is room for: no core waits, and a cluster that can grow does."""
MESSAGE_SECONDS = 10.0
MARKER = ".shared-disk"
LOG = "ray.log"
"""What Ray has to say about its nodes; it would say it on standard output, which is for the answer."""


@dataclass(frozen=True)
class DiskMarker:
    """A file with a word nobody else knows: a node that reads it shares the sweep's disk."""

    path: Path
    word: str

    @classmethod
    def write(cls, folder: Path) -> DiskMarker:
        mark = cls(folder / MARKER, uuid.uuid4().hex)
        write_atomically(mark.path, mark.word)
        return mark

    def is_seen(self) -> bool:
        try:
            return self.path.read_text("utf-8") == self.word
        except (OSError, UnicodeDecodeError):
            return False


@dataclass(frozen=True)
class Message:
    """What a trial says while it runs."""

    attempt: str
    content: Advanced


class MessageQueue:
    """Where trials leave messages for the sweep: an actor, begun anew elsewhere if its node dies."""

    def __init__(self) -> None:
        self._messages: list[Message] = []

    def post(self, message: Message) -> None:
        self._messages.append(message)

    def collect(self) -> list[Message]:
        messages, self._messages = self._messages, []
        return messages


@dataclass(frozen=True)
class _Running:
    job: Job
    attempt: str
    result: Any  # reference to its line of the results


class RayPool:
    """Trials on the cluster this process has joined."""

    def __init__(self, jobs: int | None, gpus: float) -> None:
        self._jobs, self._gpus = jobs, gpus
        self._queue = ray.remote(MessageQueue).options(num_cpus=0, max_restarts=-1, **_nearby()).remote()
        # A process a trial: threads, memory and GPU are given back whatever the trial did.
        self._task = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=0, max_calls=1)(carry_out)
        self._marker: DiskMarker | None = None
        self._log = contextlib.ExitStack()
        self._running: dict[str, _Running] = {}

    @property
    def slots(self) -> int:
        if self._jobs is not None:
            return self._jobs
        there = ray.cluster_resources()
        room = there.get("CPU", 0)
        if self._gpus:
            room = min(room, there.get("GPU", 0) / self._gpus)
        return int(room) + QUEUED

    def start(self, job: Job) -> None:
        if self._marker is None:
            folder = job.folder.parent.parent
            self._marker = DiskMarker.write(folder)
            log = self._log.enter_context(open(folder / LOG, "a", encoding="utf-8"))  # noqa: SIM115
            self._log.enter_context(contextlib.redirect_stdout(log))
        attempt = uuid.uuid4().hex
        result = self._task.remote(job, attempt, self._marker, self._queue)
        self._running[attempt] = _Running(job, attempt, result)

    def wait(self, seconds: float) -> list[Event]:
        by_result = {running.result: running for running in self._running.values()}
        ready, _ = ray.wait(list(by_result), timeout=seconds)
        events = self._read_messages()
        for result in ready:
            running = by_result[result]
            del self._running[running.attempt]
            events.append(_outcome(running))
        return events

    def _read_messages(self) -> list[Event]:
        """What trials say; a message of an attempt that is over comes too late to count."""
        messages: list[Message] = []
        with contextlib.suppress(RayError, GetTimeoutError):
            messages = ray.get(self._queue.collect.remote(), timeout=MESSAGE_SECONDS)
        return [message.content for message in messages if message.attempt in self._running]

    def stop(self) -> None:
        """Interrupt the trials; each saves."""
        for running in self._running.values():
            ray.cancel(running.result)
        until = time.monotonic() + GRACE_SECONDS
        results = [running.result for running in self._running.values()]
        while results and time.monotonic() < until:
            _, results = ray.wait(results, num_returns=len(results), timeout=1.0)
        for result in results:
            ray.cancel(result, force=True)
        self._running.clear()
        if self._marker is not None:
            self._marker.path.unlink(missing_ok=True)
        ray.shutdown()
        self._log.close()


def _nearby() -> dict[str, Any]:
    """The node this process is on, if it is one of the cluster's."""
    context = ray.get_runtime_context()
    try:
        node = context.get_node_id()
    except (AttributeError, AssertionError, RayError):
        return {}
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=True)}


def _outcome(running: _Running) -> Event:
    name = running.job.name
    try:
        line = ray.get(running.result)
    except RayTaskError as error:
        return Died(name, f"{type(error.cause).__name__}: {error.cause}")
    except TaskCancelledError:
        return Died(name, "it was cancelled")
    except RayError as error:
        reason = str(error).strip().split("\n")[0].split(". ")[0].rstrip(".")
        return Died(name, reason or type(error).__name__)
    return Finished(name, line)


def carry_out(job: Job, attempt: str, marker: DiskMarker, queue: Any) -> Line:
    """What a node does: the trial, in the folder that it shares with the sweep."""
    if not marker.is_seen():
        return failure(job.trial, f"a node does not see {job.folder}; give --out a disk that all nodes share")
    return work(job, lambda event: queue.post.remote(Message(attempt, event)))
