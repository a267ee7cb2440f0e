"""The local pool: trials in worker processes, so that a trial that dies takes nothing with it.

Ctrl-C comes to a trial once, from here, and makes it save. If this process dies, its trials save and end.
"""

import signal
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue

from dfst.experiments.sweep.pool import Died, Event, Finished, Job
from dfst.experiments.sweep.work import work_and_report
from dfst.train.interrupts import interrupts_held
from dfst.train.workers import GRACE_SECONDS, Worker, Workers, WorkFailed


class LocalPool:
    """Trials on the cores of this machine."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._workers = Workers()
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._running: dict[str, tuple[Worker, threading.Thread]] = {}

    def start(self, job: Job) -> None:
        # An interrupt between the start and its entry here would leave a trial nobody ends.
        with interrupts_held():
            worker = self._workers.take()
            thread = threading.Thread(target=self._follow, args=(job, worker), daemon=True)
            self._running[job.name] = worker, thread
        thread.start()

    def _follow(self, job: Job, worker: Worker) -> None:
        """Pass on what a trial reports, to its end; in a thread of this process."""
        try:
            worker.set_work(work_and_report)
            worker.send(job)
            line = worker.result(self._events.put)
        except WorkFailed as error:
            self._workers.give_back(worker)
            self._events.put(Died(job.name, str(error)))
        except Exception:  # the pipe ended in the middle of anything
            self._events.put(Died(job.name, _how_it_ended(worker.process.wait())))
            worker.end()
        else:
            self._workers.give_back(worker)
            self._events.put(Finished(job.name, line))

    def wait(self, seconds: float) -> list[Event]:
        events: list[Event] = []
        with suppress(Empty):
            events.append(self._events.get(timeout=seconds))
            while True:
                events.append(self._events.get_nowait())
        for event in events:
            if isinstance(event, Finished | Died):
                del self._running[event.name]
        return events

    def stop(self) -> None:
        until = time.monotonic() + GRACE_SECONDS
        for worker, _ in self._running.values():
            worker.interrupt()
        for worker, thread in self._running.values():
            thread.join(max(0.0, until - time.monotonic()))
            worker.end()
        self._running.clear()
        self._workers.__exit__()


def _how_it_ended(status: int) -> str:
    if status < 0:
        return f"its process was ended by {signal.Signals(-status).name}"
    return f"its process ended with status {status}"
