"""What every pool of workers does: start jobs somewhere, and tell what becomes of them.

A pool knows nothing of retries, results or screens; `conduct` knows nothing of processes or clusters.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dfst.experiments.lines import Line
from dfst.experiments.sweep.trials import Trial
from dfst.train.config import RunConfig
from dfst.train.engines import Device


@dataclass(frozen=True)
class Conditions:
    """How a sweep is carried out; none of it decides which trials there are."""

    device: Device = "auto"
    threads: int = 1  # cores of one trial; 0: all of them
    loggers: tuple[str, ...] = ()
    retry_failed: bool = False  # run trials again that failed in an earlier call


@dataclass(frozen=True)
class Job:
    """A trial, ready to be carried out anywhere."""

    trial: Trial
    folder: Path  # its run folder, by its whole path
    plan: RunConfig | None  # what is carried out; None: what the trial says
    conditions: Conditions = Conditions()
    group: str = ""  # the sweep's name, under which loggers gather its trials

    @property
    def name(self) -> str:
        return self.trial.name


@dataclass(frozen=True)
class Advanced:
    """A trial is under way."""

    name: str
    iteration: int
    iterations: int
    loss: float | None
    stage: str = ""  # what it does besides training, in a few words


@dataclass(frozen=True)
class Finished:
    """A trial came to its end, good or bad, and would come to the same end again."""

    name: str
    line: Line  # its line of the results


@dataclass(frozen=True)
class Died:
    """Whatever carried the trial is gone, or broke; it can go on from its last checkpoint."""

    name: str
    reason: str


Event = Advanced | Finished | Died


class Pool(Protocol):
    """Carries out jobs."""

    @property
    def slots(self) -> int:
        """How many jobs to hand over at a time."""

    def start(self, job: Job) -> None:
        """Hand a job over."""

    def wait(self, seconds: float) -> list[Event]:
        """What happened, as soon as something did, or nothing after some seconds."""

    def stop(self) -> None:
        """Let every trial save what it has, and end it."""
