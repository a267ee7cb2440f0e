"""From a sweep to a finished table: check everything, hold the folder, make the jobs, conduct them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dfst.experiments.sweep.conduct import TRIALS, Watcher, conduct
from dfst.experiments.sweep.description import keep
from dfst.experiments.sweep.engine import Engine, Job
from dfst.experiments.sweep.results import Record, Results
from dfst.experiments.sweep.settings import OWN
from dfst.experiments.sweep.trials import Sweep, plan_of, trials_of
from dfst.learning.engines import Device
from dfst.learning.runfolder import RunFolder
from dfst.subjects import resolve_agent


@dataclass(frozen=True)
class Conditions:
    """How a sweep is carried out; none of it decides which trials there are."""

    device: Device = "auto"
    threads: int = 1
    """Cores of one trial"""
    loggers: tuple[str, ...] = ()
    retries: int = 3
    """How often a trial may go on after whatever carried it has died"""
    retry_failed: bool = False
    """Run trials again that failed in an earlier call"""


def run_sweep(
    sweep: Sweep,
    folder: Path,
    engine: Engine,
    watcher: Watcher,
    conditions: Conditions,
) -> list[Record]:
    """Carry out, or go on with, the sweep in a folder; every line of its table."""
    results = Results(folder)
    with RunFolder(folder).locked():
        keep(sweep, folder)
        results.mend()
        if conditions.retry_failed:
            results.forget_failed()
        conduct(jobs_of(sweep, folder.resolve(), conditions), engine, results, watcher, conditions.retries)
        return results.read()


def jobs_of(sweep: Sweep, folder: Path, conditions: Conditions) -> list[Job]:
    """Every trial with its folder and plan."""
    agents = {task: resolve_agent(task) for task in sweep.tasks}
    return [
        Job(
            trial=trial,
            folder=folder / TRIALS / trial.name,
            plan=plan_of(trial, agents[trial.task]) if trial.learner == OWN else None,
            device=conditions.device,
            threads=conditions.threads,
            loggers=conditions.loggers,
            group=folder.name,
        )
        for trial in trials_of(sweep)
    ]
