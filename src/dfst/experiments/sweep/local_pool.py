"""The local pool: trials in worker processes, so that a trial that dies takes nothing with it.

Ctrl-C comes to a trial once, from here, and makes it save. If this process dies, its trials save and end.
"""

import signal
from concurrent.futures import Future, ThreadPoolExecutor, wait

from dfst.experiments.lines import Line
from dfst.experiments.sweep.work import Job, work
from dfst.train.workers import GRACE_SECONDS, Worker, Workers, WorkFailed


class LocalPool:
    """Trials on the cores of this machine; a thread follows each."""

    def __init__(self, slots: int) -> None:
        self.slots, self._over = slots, False
        self._workers, self._threads = Workers(), ThreadPoolExecutor(slots)
        self._futures: list[Future[Line]] = []
        self._busy: set[Worker] = set()

    def start(self, job: Job) -> Future[Line]:
        self._futures.append(self._threads.submit(self._carry_out, job))
        return self._futures[-1]

    def _carry_out(self, job: Job) -> Line:
        worker = self._workers.take()
        self._busy.add(worker)
        if self._over:
            worker.interrupt()
        try:
            worker.set_work(work)
            worker.send(job)
            line: Line = worker.result()
        except WorkFailed:
            self._workers.give_back(worker)
            raise
        except Exception:  # the pipe ended in the middle of anything
            status = worker.process.wait()
            worker.end()
            ended = f"was ended by {signal.Signals(-status).name}" if status < 0 else None
            raise ChildProcessError(f"its process {ended or f'ended with status {status}'}") from None
        else:
            self._workers.give_back(worker)
            return line
        finally:
            self._busy.discard(worker)

    def reason(self, error: BaseException) -> str:
        return str(error)

    def stop(self) -> None:
        self._over = True
        for worker in tuple(self._busy):
            worker.interrupt()
        wait(self._futures, GRACE_SECONDS)
        for worker in tuple(self._busy):
            worker.end()
        self._threads.shutdown()
        self._workers.__exit__()
