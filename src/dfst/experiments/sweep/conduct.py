"""The sweep itself: keep the pool busy, put every trial's end into the table once, and lose nothing.

A trial whose process or node dies goes back to the end of the queue, and on from its last checkpoint, a
bounded number of times. Interrupted anywhere, the same call goes on: what is in the table is over.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dfst.errors import InputError
from dfst.experiments.lines import JsonLines, Line
from dfst.experiments.sweep.description import keep
from dfst.experiments.sweep.pool import Advanced, Died, Finished, Job, Pool
from dfst.experiments.sweep.settings import OWN
from dfst.experiments.sweep.trials import Sweep, plan_of, trials_of
from dfst.experiments.sweep.work import failure, finished_line
from dfst.learning.engines import Device
from dfst.learning.runfolder import RunFolder
from dfst.subjects import resolve_agent

TRIALS = "trials"
"""Where in a sweep's folder the run folders are."""
RESULTS = "results.jsonl"
"""The table, a line for each trial, in the order in which they finish."""
WAIT_SECONDS = 0.5


class Reporter(Protocol):
    """Told what happens; the command line draws it."""

    def begin(self, total: int, done: int) -> None:
        """So many trials there are, so many of them were over before."""

    def started(self, name: str, attempt: int) -> None: ...

    def advanced(self, event: Advanced) -> None: ...

    def retried(self, event: Died, left: int) -> None: ...

    def finished(self, line: Line) -> None: ...

    def idle(self) -> None:
        """Nothing happened for a while."""


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
    sweep: Sweep, folder: Path, pool: Pool, reporter: Reporter, conditions: Conditions
) -> list[Line]:
    """Carry out, or go on with, the sweep in a folder; every line of its table."""
    table = JsonLines(folder / RESULTS)
    with RunFolder(folder).locked():
        keep(sweep, folder)
        table.mend()
        if conditions.retry_failed:
            table.replace([line for line in results_of(folder) if line["status"] != "failed"])
        conduct(jobs_of(sweep, folder.resolve(), conditions), pool, table, reporter, conditions.retries)
        return table.read()


def results_of(folder: str | Path) -> list[Line]:
    """The lines of a sweep's table."""
    lines = JsonLines(Path(folder) / RESULTS).read()
    for number, line in enumerate(lines, 1):
        if not {"trial", "status"} <= set(line):
            raise InputError(
                f"{Path(folder) / RESULTS}, line {number}: expected a trial and its status; "
                "remove the line to run its trial again"
            )
    return lines


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


def conduct(jobs: Iterable[Job], pool: Pool, table: JsonLines, reporter: Reporter, retries: int) -> None:
    """Carry out every job that is not in the table yet. On Ctrl-C trials are saved, and it is passed on."""
    jobs = list(jobs)
    over = {line["trial"] for line in results_of(table.path.parent)}
    waiting = deque(job for job in jobs if job.name not in over)
    running: dict[str, Job] = {}
    attempts: Counter[str] = Counter()

    def finish(outcome: Line, attempts: int) -> None:
        line = {**outcome, "attempts": attempts, "folder": f"{TRIALS}/{outcome['trial']}"}
        table.append(line)
        reporter.finished(line)

    reporter.begin(len(jobs), len(jobs) - len(waiting))
    try:
        while waiting or running:
            while waiting and len(running) < pool.slots:
                job = waiting.popleft()
                done = finished_line(job.folder)
                if done is not None:
                    finish(done, attempts[job.name])
                    continue
                attempts[job.name] += 1
                running[job.name] = job
                pool.start(job)
                reporter.started(job.name, attempts[job.name])
            events = pool.wait(WAIT_SECONDS) if running else []
            for event in events:
                if isinstance(event, Advanced):
                    reporter.advanced(event)
                    continue
                job = running.pop(event.name)
                if isinstance(event, Finished):
                    finish(event.line, attempts[job.name])
                elif attempts[job.name] > retries:
                    reason = f"gave up after {attempts[job.name]} attempts: {event.reason}"
                    finish(failure(job.trial, reason), attempts[job.name])
                else:
                    waiting.append(job)
                    reporter.retried(event, retries - attempts[job.name] + 1)
            if not events:
                reporter.idle()
    finally:
        pool.stop()
