"""The sweep itself: keep the pool busy, put every trial's end into the table once, and lose nothing.

A trial whose process or node dies goes back to the end of the queue, and on from its last checkpoint, a
bounded number of times. Interrupted anywhere, the same call goes on: what is in the table is over.
"""

from collections import Counter, deque
from pathlib import Path

from dfst.errors import InputError
from dfst.experiments.lines import JsonLines, Line
from dfst.experiments.sweep.description import keep
from dfst.experiments.sweep.pool import Advanced, Conditions, Finished, Job, Pool
from dfst.experiments.sweep.screen import Screen
from dfst.experiments.sweep.trials import OWN, Sweep, trials_of
from dfst.experiments.sweep.work import failure, finished_line
from dfst.train.runfolder import RunFolder

TRIALS = "trials"  # where in a sweep's folder the run folders are
RESULTS = "results.jsonl"  # the table, a line for each trial, in the order in which they finish
WAIT_SECONDS = 0.5
RETRIES = 3  # how often a trial may go on after whatever carried it has died


def run_sweep(sweep: Sweep, folder: Path, pool: Pool, screen: Screen, conditions: Conditions) -> list[Line]:
    """Carry out, or go on with, the sweep in a folder; every line of its table."""
    table = JsonLines(folder / RESULTS)
    with RunFolder(folder).locked():
        keep(sweep, folder)
        table.mend()
        if conditions.retry_failed:
            table.replace([line for line in results_of(folder) if line["status"] != "failed"])
        conduct(jobs_of(sweep, folder.resolve() / TRIALS, conditions, folder.name), pool, table, screen)
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


def jobs_of(sweep: Sweep, folder: Path, conditions: Conditions, group: str = "") -> list[Job]:
    """Every trial with its place in a folder; a DFST's with its plan, so that no node needs its files."""
    jobs = []
    for trial in trials_of(sweep):
        plan = trial.plan() if trial.learner == OWN else None
        jobs.append(Job(trial, folder / trial.name, plan, conditions, group))
    return jobs


def conduct(jobs: list[Job], pool: Pool, table: JsonLines, screen: Screen, retries: int = RETRIES) -> None:
    """Carry out every job that is not in the table yet. On Ctrl-C trials are saved, and it is passed on."""
    over = {line["trial"] for line in results_of(table.path.parent)}
    waiting = deque(job for job in jobs if job.name not in over)
    running: dict[str, Job] = {}
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
                done = finished_line(job.folder)
                if done is not None:
                    finish(done)
                    continue
                attempts[job.name] += 1
                running[job.name] = job
                pool.start(job)
                screen.started(job.name)
            events = pool.wait(WAIT_SECONDS) if running else []
            for event in events:
                if isinstance(event, Advanced):
                    screen.advanced(event)
                    continue
                job, tries = running.pop(event.name), attempts[event.name]
                if isinstance(event, Finished):
                    finish(event.line)
                elif tries > retries:
                    finish(failure(job.trial, f"gave up after {tries} attempts: {event.reason}"))
                else:
                    waiting.append(job)
                    screen.retried(event, retries - tries + 1)
            if not events:
                screen.idle()
    finally:
        pool.stop()
