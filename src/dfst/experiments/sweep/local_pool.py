"""The local pool: trials in worker processes, so that a trial that dies takes nothing with it.

Ctrl-C comes to a trial once, from here, and makes it save. If this process dies, its trials save and end.
"""

from concurrent.futures import Future, ThreadPoolExecutor, wait

from dfst.experiments.lines import Line
from dfst.experiments.sweep.work import Job, work
from dfst.train.workers import GRACE_SECONDS, Workers


class LocalPool:
    """Trials on the cores of this machine; a thread follows each."""

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
