"""The Ray pool: trials as tasks of a running cluster, with the cores and parts of GPUs they ask for.

Every node must see the sweep's folder (a shared disk, or one machine): trials work in it, and checkpoints
outlive the node. Ray restarts nothing by itself here: `conduct` counts the attempts.

`ray.init` waits for minutes for a cluster that is not there, and may end the process it is called in. So an
address is tried first by a plain connection, then by a process of its own, and only then joined.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import uuid
from concurrent.futures import Future
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dfst.errors import InputError, MissingExtra
from dfst.experiments.lines import Line
from dfst.experiments.sweep.work import Job, failure, work
from dfst.train.workers import GRACE_SECONDS

try:
    import ray
except ImportError:
    ray = None

KNOCK_SECONDS = 3.0
JOIN_SECONDS = 60.0
ADVICE = "start one with: ray start --head"
TRIAL_JOIN = """
import sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level="critical")
except Exception as error:
    sys.exit(" ".join(str(error).split()) or type(error).__name__)
"""
QUEUED = 4
"""Trials handed over beyond what there is room for: no core waits, and a cluster that can grow does."""
LOG = "ray.log"
"""What Ray has to say about its nodes; it would say it on standard output, which is for the answer."""


def join(address: str, gpus: float) -> None:
    """Join the cluster at an address; refuse if there is none, or none on which a trial could ever run."""
    if gpus < 0 or (gpus > 1 and gpus != int(gpus)):
        raise InputError(f"gpus must be a fraction of one or a whole number, found {gpus:g}; try --gpus 0.25")
    if find_spec("ray") is None:
        raise MissingExtra("--ray", "ray", "ray")
    address = os.environ.get("RAY_ADDRESS", "auto") if address == "auto" else address
    if address != "auto":
        _knock(address)
    _try(address)
    ray.init(address=address, log_to_driver=False, logging_level="critical")
    _check_room(address, gpus, ray.nodes())


def _knock(address: str) -> None:
    """Whether anything answers there at all."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise InputError(
            f"--ray takes auto, HOST:PORT or ray://HOST:PORT, found {address!r}; try 127.0.0.1:6379"
        )
    try:
        socket.create_connection((host, int(port)), timeout=KNOCK_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"no Ray cluster at {address}: {reason.lower()}; {ADVICE}") from None


def _try(address: str) -> None:
    """Join in a process that may hang or die."""
    command = [sys.executable, "-c", TRIAL_JOIN, address]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=JOIN_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(
            f"no Ray cluster at {address}: what answers there did not join in {JOIN_SECONDS:g} s; {ADVICE}"
        ) from None
    if done.returncode == 0:
        return
    if "Could not find any running Ray instance" in done.stderr:
        raise InputError(f"no Ray cluster runs on this machine; give --ray HOST:PORT, or {ADVICE}")
    said = done.stderr.strip().splitlines() or [f"joining it ended with status {done.returncode}"]
    raise InputError(f"cannot join the Ray cluster at {address}: {said[-1]}")


def _check_room(address: str, gpus: float, nodes: list[dict[str, Any]]) -> None:
    alive = [node["Resources"] for node in nodes if node["Alive"]]
    most = max((resources.get("GPU", 0) for resources in alive), default=0)
    if gpus > most:
        raise InputError(
            f"a trial asks for {gpus:g} GPUs, but no node at {address} has more than {most:g}; lower --gpus"
        )


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
        if isinstance(error, ray.exceptions.RayTaskError):
            return f"{type(error.cause).__name__}: {error.cause}"
        if isinstance(error, ray.exceptions.TaskCancelledError):
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
