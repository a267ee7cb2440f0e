"""The Ray pool: trials as tasks of a running cluster, with the cores and parts of GPUs they ask for.

Every node must see the sweep's folder (a shared disk, or one machine): trials work in it, and checkpoints
outlive the node. Ray restarts nothing by itself here: `conduct` counts the attempts.
"""

from __future__ import annotations

import contextlib
import uuid
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayTaskError, TaskCancelledError

from dfst.experiments.lines import Line
from dfst.experiments.sweep.work import Job, failure, work
from dfst.train.workers import GRACE_SECONDS

QUEUED = 4
"""Trials handed over beyond what there is room for: no core waits, and a cluster that can grow does."""
LOG = "ray.log"
"""What Ray has to say about its nodes; it would say it on standard output, which is for the answer."""


class RayPool:
    """Trials on the cluster this process has joined."""

    def __init__(self, jobs: int | None, gpus: float) -> None:
        self._jobs, self._gpus = jobs, gpus
        # A process a trial: threads, memory and GPU are given back whatever the trial did.
        self._task = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=0, max_calls=1)(carry_out)
        self._marker: Path | None = None
        self._log = contextlib.ExitStack()
        self._results: list[Any] = []  # references to lines of the table

    @property
    def slots(self) -> int:
        if self._jobs is not None:
            return self._jobs
        there = ray.cluster_resources()
        room = there.get("CPU", 0)
        if self._gpus:
            room = min(room, there.get("GPU", 0) / self._gpus)
        return int(room) + QUEUED

    def start(self, job: Job) -> Future[Line]:
        if self._marker is None:
            folder = job.folder.parent.parent
            self._marker = marker_in(folder)
            log = self._log.enter_context(open(folder / LOG, "a", encoding="utf-8"))  # noqa: SIM115
            self._log.enter_context(contextlib.redirect_stdout(log))
        self._results.append(self._task.remote(job, self._marker))
        future: Future[Line] = self._results[-1].future()
        return future

    def reason(self, error: BaseException) -> str:
        if isinstance(error, RayTaskError):
            return f"{type(error.cause).__name__}: {error.cause}"
        if isinstance(error, TaskCancelledError):
            return "it was cancelled"
        return str(error).strip().split("\n")[0].split(". ")[0].rstrip(".") or type(error).__name__

    def stop(self) -> None:
        """Interrupt the trials; each saves."""
        for result in self._results:
            ray.cancel(result)
        left = self._results
        if left:
            _, left = ray.wait(left, num_returns=len(left), timeout=GRACE_SECONDS)
        for result in left:
            ray.cancel(result, force=True)
        if self._marker is not None:
            self._marker.unlink(missing_ok=True)
        ray.shutdown()
        self._log.close()


def marker_in(folder: Path) -> Path:
    """A file whose name nobody else knows: a node that sees it shares the sweep's disk."""
    marker = folder / f".shared-disk-{uuid.uuid4().hex}"
    marker.touch()
    return marker


def carry_out(job: Job, marker: Path) -> Line:
    """What a node does: the trial, in the folder that it shares with the sweep."""
    if not marker.exists():
        return failure(job.trial, f"a node does not see {job.folder}; give --out a disk that all nodes share")
    return work(job)
