"""The sweep itself: keep the pool busy, put every trial's end into the table once, and lose nothing.

A trial whose process or node dies goes back to the end of the queue, and on from its last checkpoint, a
bounded number of times. Interrupted anywhere, the same call goes on: what is in the table is over.
"""

from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol

from dfst.errors import InputError
from dfst.experiments.lines import JsonLines, Line
from dfst.experiments.sweep.screen import Screen
from dfst.experiments.sweep.trials import Sweep, keep, trials_of
from dfst.experiments.sweep.work import Job, failure, finished_line, work
from dfst.train.runfolder import RunFolder
from dfst.train.workers import GRACE_SECONDS, Workers

TRIALS = "trials"  # where in a sweep's folder the run folders are
RESULTS = "results.jsonl"  # the table, a line for each trial, in the order in which they finish
WAIT_SECONDS = 0.5
RETRIES = 3  # how often a trial may go on after whatever carried it has died


class Pool(Protocol):
    """Carries out jobs, in processes of this machine or on a cluster."""

    @property
    def slots(self) -> int:
        """How many jobs to hand over at a time."""

    def start(self, job: Job) -> Future[Line]:
        """Hand a job over; its line, or an exception where whatever carried it is gone or broke."""

    def reason(self, error: BaseException) -> str:
        """What became of it, in a few words."""

    def stop(self) -> None:
        """Let every trial save what it has, and end it."""


class LocalPool:
    """Trials in processes of this machine: one that dies takes nothing with it. A thread follows each.

    Ctrl-C comes to a trial once, from here, and makes it save. If this process dies, its trials save and end.
    """

    def __init__(self, slots: int) -> None:
        self.slots, self._workers, self._threads = slots, Workers(), ThreadPoolExecutor(slots)
        self._futures: list[Future[Line]] = []

    def start(self, job: Job) -> Future[Line]:
        self._futures.append(self._threads.submit(self._workers.call, work, job))
        return self._futures[-1]

    def reason(self, error: BaseException) -> str:
        return str(error)

    def stop(self) -> None:
        self._workers.interrupt()
        wait(self._futures, GRACE_SECONDS)
        self._workers.__exit__()
        self._threads.shutdown()


def run_sweep(
    sweep: Sweep, folder: Path, pool: Pool, screen: Screen, retry_failed: bool = False, **how: Any
) -> list[Line]:
    """Carry out, or go on with, the sweep in a folder; every line of its table. how: of each `Job`"""
    table = JsonLines(folder / RESULTS)
    with RunFolder(folder).locked():
        keep(sweep, folder)
        table.mend()
        if retry_failed:
            table.replace([line for line in results_of(folder) if line["status"] != "failed"])
        conduct(jobs_of(sweep, folder.resolve() / TRIALS, group=folder.name, **how), pool, table, screen)
        return table.read()


def results_of(folder: str | Path) -> list[Line]:
    """The lines of a sweep's table."""
    file = Path(folder) / RESULTS
    lines = JsonLines(file).read()
    for number, line in enumerate(lines, 1):
        if not {"trial", "status"} <= set(line):
            raise InputError(
                f"{file}, line {number}: expected a trial and its status; "
                "remove the line to run its trial again"
            )
    return lines


def jobs_of(sweep: Sweep, folder: Path, **how: Any) -> list[Job]:
    """Every trial with its place in a folder and its plan, so that no node needs the files of a problem."""
    return [Job(trial, folder / trial.name, trial.plan(), **how) for trial in trials_of(sweep)]


def conduct(jobs: list[Job], pool: Pool, table: JsonLines, screen: Screen, retries: int = RETRIES) -> None:
    """Carry out every job that is not in the table yet. On Ctrl-C trials are saved, and it is passed on."""
    over = {line["trial"] for line in results_of(table.path.parent)}
    waiting = deque(job for job in jobs if job.name not in over)
    running: dict[Future[Line], Job] = {}
    attempts: Counter[str] = Counter()

    def finish(outcome: Line) -> None:
        name = outcome["trial"]
        line = {**outcome, "attempts": attempts[name], "folder": f"{TRIALS}/{name}"}
        table.append(line)
        screen.finished(line)

    screen.begin(len(jobs), len(jobs) - len(waiting))
    try:
        while waiting or running:
            while waiting and len(running) < pool.slots:
                job = waiting.popleft()
                if done := finished_line(job.folder):
                    finish(done)
                    continue
                attempts[job.name] += 1
                running[pool.start(job)] = job
                screen.started(job.name, job.folder)
            for future in wait(running, WAIT_SECONDS, FIRST_COMPLETED).done:
                job, error = running.pop(future), future.exception()
                tries = attempts[job.name]
                if error is None:
                    finish(future.result())
                elif tries > retries:
                    reason = pool.reason(error)
                    finish(failure(job.trial, f"gave up after {tries} attempts: {reason}"))
                else:
                    waiting.append(job)
                    screen.retried(job.name, pool.reason(error), retries - tries + 1)
            screen.idle()
    finally:
        pool.stop()
