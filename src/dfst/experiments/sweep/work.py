"""One trial from its beginning, or from wherever it was cut off, to its line of the results.

The folder of a DFST is that of `dfst learn`; those of other learners hold metrics.jsonl. Besides there are

    assignment.json   what was asked; another assignment is refused
    trial.json        the trial's line of the results, and its ladder: once it is there, the trial is over

so a trial that is asked for twice, by `dfst sweep` or `dfst compare`, is carried out once.
"""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

import numba

from dfst.errors import DfstError, InputError
from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.experiments.baselines.registry import Learner, find_learner
from dfst.experiments.comparison.measure import measure, merged_machine, merged_verdict
from dfst.experiments.comparison.results import Result, read_result
from dfst.experiments.lines import Line
from dfst.experiments.loggers import LoggingNarrator
from dfst.experiments.sweep.trials import OWN, Trial
from dfst.files.sealed import read_sealed, write_sealed
from dfst.train.config import RunConfig
from dfst.train.engines import Device, pick_device
from dfst.train.progress import Narrator
from dfst.train.runfolder import RunFolder

LOCK_SECONDS = 60.0  # how long to wait for a process that was cut off and is still saving
FILE, ASKED = "trial.json", "assignment.json"
COLUMNS = (
    "plg", "rlg", "longest", "stopped_by", "loss", "iterations", "samples", "parameters", "seconds", "device",
)  # fmt: skip
"""What a line of the results takes over from a `Result` as it is."""


@dataclass(frozen=True)
class Job:
    """A trial, ready to be carried out anywhere."""

    trial: Trial
    folder: Path  # its run folder, by its whole path
    plan: RunConfig
    device: Device = "auto"
    threads: int = 1  # cores that it takes; 0: all of them
    loggers: tuple[str, ...] = ()
    group: str = ""  # the sweep's name, under which loggers gather its trials

    @property
    def name(self) -> str:
        return self.trial.name


def work(job: Job, narrator: Narrator | None = None) -> Line:
    """Carry a job out. A trial that cannot succeed ends in a line too; whatever else is raised may pass."""
    done = finished_line(job.folder)
    if done is not None:
        return done
    limit_threads(job.threads)
    try:
        outcome, result = _carried_out(job, narrator or Narrator())
    except DfstError as error:
        return failure(job.trial, str(error))
    line = {**job.trial.columns(), "status": "done", **outcome, "host": platform.node(), "error": None}
    write_sealed(job.folder / FILE, {**line, "result": result.as_json() if result else None})
    return line


def finished_line(folder: Path) -> Line | None:
    """The line of a trial that is over."""
    try:
        line = _read(folder)
    except InputError:
        return None
    line.pop("result", None)
    return line


def finished_result(folder: Path) -> Result:
    """What was measured of a trial that is over."""
    return read_result(_read(folder).get("result") or {}, str(folder / FILE))


def _read(folder: Path) -> Line:
    return read_sealed(folder / FILE, {"trial": str, "status": str}, "the trial is carried out again")


def failure(trial: Trial, reason: str) -> Line:
    """The line of a trial that gave nothing to measure."""
    return {**trial.columns(), "status": "failed", "error": " ".join(reason.split())}


def limit_threads(count: int) -> None:
    """Trials stand side by side: each keeps to its share of the cores; 0: to all of them."""
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS") if count else ():
        os.environ[name] = str(count)
    numba.config.reload_config()


def _carried_out(job: Job, narrator: Narrator) -> tuple[Line, Result | None]:
    """The columns of a trial, trained and measured; and its result, where there are lengths to measure at."""
    trial, plan, folder = job.trial, job.plan, RunFolder(job.folder)
    learner, where = find_learner(trial.learner), pick_device(job.device)
    with folder.locked(LOCK_SECONDS):
        _claim(folder.path / ASKED, trial.columns())
    narrator = LoggingNarrator(narrator, job.loggers, job.folder, job.group, trial.columns())
    assignment = Assignment(plan, trial.seed, job.folder, where, narrator)
    trained = _trained(learner, assignment, folder)
    learnt = trained.learnt
    if learnt and not plan.problem.sizes:
        measured = {name: getattr(trained, name, None) for name in COLUMNS}
        measured |= {"loss": trained.finite_loss, "device": learnt.device}
        known = {"exact": learnt.exact, "strength": learnt.strength, "merged": None, "hard_failures": 0}
        return {**known, **measured}, None
    merged: dict[str, object] = {}
    if trial.learner != OWN or not learnt:
        merged = merged_verdict(merged_machine(trained, assignment), plan.problem.agent)
    elif plan.recipe.polish:
        verdict = learnt.strength if learnt.chosen.polished else "none"
        merged = {"states": learnt.chosen.states, "verdict": verdict}
    device = learnt.device if learnt else where
    result = measure(learner.name, plan.problem, trial.seed, device, trained, trial.digits, merged)
    return {
        "exact": result.exact,
        "strength": trained.settings.get("strength", "tested") if result.exact else "refuted",
        "merged": result.merged.get("verdict"),
        "hard_failures": sum(rung.hard_failures for rung in result.ladder),
        **{name: getattr(result, name) for name in COLUMNS},
    }, result


def _trained(learner: Learner, assignment: Assignment, folder: RunFolder) -> Trained:
    if learner.own:
        return learner.load()(assignment)
    with folder.locked():
        folder.drop_metrics_after(0)
        assignment.narrator.training_begins(assignment.plan.problem, assignment.plan.recipe)
        try:
            return learner.load()(assignment)
        finally:
            assignment.narrator.training_ends()


def _claim(note: Path, asked: Line) -> None:
    """Make the folder this trial's, or refuse if it is another's."""
    held = read_sealed(note, {}, "give another folder") if note.exists() else asked
    for name, value in asked.items():
        if held.get(name) != value:
            raise InputError(
                f"{note.parent} holds a training with {name} {held.get(name)}, asked for {value}; "
                "give another folder"
            )
    write_sealed(note, asked)
