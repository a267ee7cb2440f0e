"""One trial from its beginning, or from wherever it was cut off, to its line of the results.

The run folder is that of `dfst learn` (learner dfst) or of `dfst compare` (all others), and holds besides

    trial.json    the trial's line of the results: once it is there, the trial is over

so a trial that is asked for twice is carried out once.
"""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numba

from dfst.errors import DfstError, InputError
from dfst.experiments.baselines.dfst import trained_of
from dfst.experiments.comparison.measure import measure
from dfst.experiments.comparison.protocol import run_learner
from dfst.experiments.comparison.result import Result
from dfst.experiments.lines import Line
from dfst.experiments.loggers import LoggedRun, Loggers, LoggingNarrator
from dfst.experiments.settings import OWN
from dfst.experiments.sweep.pool import Advanced, Job
from dfst.experiments.sweep.trials import Trial
from dfst.files.sealed import read_sealed, write_sealed
from dfst.learning import learn
from dfst.train.config import read_config
from dfst.train.learnt import Learnt
from dfst.train.progress import Narrator, Progress
from dfst.train.runfolder import RunFolder
from dfst.train.workers import report
from dfst.viewer.learnt import write_learning_report

Tell = Callable[[Advanced], None]
TELL_SECONDS = 0.5
LOCK_SECONDS = 60.0
"""How long to wait for a process that was cut off and is still saving."""
FILE = "trial.json"
COLUMNS = (
    "plg", "rlg", "longest", "stopped_by", "loss", "iterations", "samples", "parameters", "seconds", "device",
)  # fmt: skip
"""What a line of the results takes over from a `Result` as it is."""


def work(job: Job, tell: Tell) -> Line:
    """Carry a job out. A trial that cannot succeed ends in a line too; whatever else is raised may pass."""
    done = finished_line(job.folder)
    if done is not None:
        return done
    limit_threads(job.conditions.threads)
    with RunFolder(job.folder).locked(LOCK_SECONDS):
        pass
    carry_out = _learn if job.trial.learner == OWN else _compare
    try:
        outcome = carry_out(job, _now_and_then(tell))
    except DfstError as error:
        return failure(job.trial, str(error))
    line = {**job.trial.columns(), "status": "done", **outcome, "host": platform.node(), "error": None}
    write_sealed(job.folder / FILE, line)
    return line


def work_and_report(job: Job) -> Line:
    """Carry a job out in a worker of this machine."""
    return work(job, report)


def finished_line(folder: Path) -> Line | None:
    """The line of a trial that is over."""
    try:
        return read_sealed(folder / FILE, {"trial": str, "status": str}, "the trial is carried out again")
    except InputError:
        return None


def failure(trial: Trial, reason: str) -> Line:
    """The line of a trial that gave nothing to measure."""
    return {**trial.columns(), "status": "failed", "error": " ".join(reason.split())}


def limit_threads(count: int) -> None:
    """Trials stand side by side: each keeps to its share of the cores."""
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = str(count)
    numba.config.reload_config()


def _now_and_then(tell: Tell) -> Tell:
    """Not every step is worth a message; stages and the last step are."""
    said = -math.inf

    def sometimes(event: Advanced) -> None:
        nonlocal said
        if event.stage or event.iteration == event.iterations or time.monotonic() - said > TELL_SECONDS:
            said = time.monotonic()
            tell(event)

    return sometimes


def _logged(job: Job) -> LoggedRun:
    return LoggedRun(job.folder, job.name, job.group, job.trial.columns())


class _Teller(Narrator):
    """Passes on how far a DFST's training is, and what is done after it."""

    def __init__(self, name: str, tell: Tell) -> None:
        self._last, self._tell = Advanced(name, 0, 0, None), tell

    def stage(self, text: str) -> None:
        self._tell(replace(self._last, stage=text))

    def progress(self, progress: Progress) -> None:
        loss = _finite(float(progress.losses[0]))
        self._last = Advanced(self._last.name, progress.iteration, progress.iterations, loss)
        self._tell(self._last)


def _learn(job: Job, tell: Tell) -> Line:
    """A DFST, learnt as `dfst learn` does."""
    resume = RunFolder(job.folder).exists()
    plan = read_config(job.folder) if resume else job.plan
    assert plan is not None
    narrator = LoggingNarrator(_Teller(job.name, tell), job.conditions.loggers, _logged(job))
    learnt = learn(
        plan.problem, plan.recipe, job.folder, job.conditions.device, job.trial.digits, narrator,
        resume=resume,
    )  # fmt: skip
    write_learning_report(learnt)
    return _measured(job.trial, learnt)


def _measured(trial: Trial, learnt: Learnt) -> Line:
    """A DFST's figures, measured as those of every other learner; a machine without digits has no lengths."""
    trained = trained_of(learnt)
    if learnt.problem.sizes:
        result = measure(OWN, learnt.problem, trial.seed, learnt.device, trained, trial.digits)
        return _outcome(result, learnt.strength)
    return {
        "exact": learnt.exact,
        "strength": learnt.strength,
        "hard_failures": 0,
        **{name: getattr(trained, name, None) for name in COLUMNS},
        "loss": _finite(trained.loss),
        "device": learnt.device,
    }


def _outcome(result: Result, strength: str = "tested") -> Line:
    """A result as columns. strength: what is known of a model that met no failure."""
    return {
        "exact": result.exact,
        "strength": strength if result.exact else "refuted",
        "merged": result.merged.get("verdict"),
        "hard_failures": sum(rung.hard_failures for rung in result.ladder),
        **{name: getattr(result, name) for name in COLUMNS},
    }


def _compare(job: Job, tell: Tell) -> Line:
    """Any other learner, trained as `dfst compare` does."""
    trial, folder = job.trial, RunFolder(job.folder)
    loggers = Loggers(job.conditions.loggers, _logged(job))
    first = True

    def progress(iteration: int, iterations: int, loss: float) -> None:
        nonlocal first
        if first:
            folder.drop_metrics_after(iteration - 1)
        first = False
        folder.append_metrics({"iteration": iteration, "loss": [_finite(loss)]})
        loggers.log(iteration, {"loss": loss})
        tell(Advanced(job.name, iteration, iterations, _finite(loss)))

    try:
        result = run_learner(
            trial.learner, trial.task, trial.seed, job.folder,
            device=job.conditions.device, digits=trial.digits, progress=progress, **trial.changes,
        )  # fmt: skip
    finally:
        loggers.close()
    return _outcome(result)


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
