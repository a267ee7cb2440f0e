"""Joining a Ray cluster that runs already, or saying in one line and within seconds why that cannot be.

`ray.init` waits for minutes for a cluster that is not there, and may end the process it is called in. So the
address is tried first by a plain connection, then by a process of its own, and only then joined.
"""

import os
import socket
import subprocess
import sys
from typing import Any

from dfst.errors import InputError, MissingExtra

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


def join(address: str, gpus: float) -> None:
    """Join the cluster at an address; refuse if there is none, or none on which a trial could ever run."""
    if gpus < 0 or (gpus > 1 and gpus != int(gpus)):
        raise InputError(f"gpus must be a fraction of one or a whole number, found {gpus:g}; try --gpus 0.25")
    try:
        import ray
    except ImportError:
        raise MissingExtra("--ray", "ray", "ray") from None
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
