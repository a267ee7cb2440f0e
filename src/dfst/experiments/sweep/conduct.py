"""The sweep itself: keep the engine busy, put every trial's end into the table once, and lose nothing.

A trial whose process or node dies goes back to the end of the queue, and on from its last checkpoint, a
bounded number of times. Interrupted anywhere, the same call goes on: what is in the table is over.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import Protocol

from dfst.experiments.sweep.engine import Advanced, Died, Engine, Finished, Job
from dfst.experiments.sweep.results import Record, Results
from dfst.experiments.sweep.work import failure, finished_record

TRIALS = "trials"
"""Where in a sweep's folder the run folders are."""
WAIT_SECONDS = 0.5


class Watcher(Protocol):
    """Told what happens; the command line draws it."""

    def begin(self, total: int, done: int) -> None:
        """So many trials there are, so many of them were over before."""

    def started(self, name: str, attempt: int) -> None: ...

    def advanced(self, event: Advanced) -> None: ...

    def retried(self, event: Died, left: int) -> None: ...

    def finished(self, record: Record) -> None: ...

    def idle(self) -> None:
        """Nothing happened for a while."""


def conduct(jobs: Iterable[Job], engine: Engine, results: Results, watcher: Watcher, retries: int) -> None:
    """Carry out every job that is not in the table yet. On Ctrl-C trials are saved, and it is passed on."""
    jobs = list(jobs)
    over = {record["trial"] for record in results.read()}
    waiting = deque(job for job in jobs if job.name not in over)
    running: dict[str, Job] = {}
    attempts: Counter[str] = Counter()

    def finish(record: Record, attempts: int) -> None:
        line = {**record, "attempts": attempts, "folder": f"{TRIALS}/{record['trial']}"}
        results.append(line)
        watcher.finished(line)

    watcher.begin(len(jobs), len(jobs) - len(waiting))
    try:
        while waiting or running:
            while waiting and len(running) < engine.slots:
                job = waiting.popleft()
                done = finished_record(job.folder)
                if done is not None:
                    finish(done, attempts[job.name])
                    continue
                attempts[job.name] += 1
                running[job.name] = job
                engine.start(job)
                watcher.started(job.name, attempts[job.name])
            events = engine.wait(WAIT_SECONDS) if running else []
            for event in events:
                if isinstance(event, Advanced):
                    watcher.advanced(event)
                    continue
                job = running.pop(event.name)
                if isinstance(event, Finished):
                    finish(event.record, attempts[job.name])
                elif attempts[job.name] > retries:
                    reason = f"gave up after {attempts[job.name]} attempts: {event.reason}"
                    finish(failure(job.trial, reason), attempts[job.name])
                else:
                    waiting.append(job)
                    watcher.retried(event, retries - attempts[job.name] + 1)
            if not events:
                watcher.idle()
    finally:
        engine.stop()
