"""`map` on several processes, for work that takes long.

This process works through the things in their order; if that is not over in a moment, so do workers, one for
every further core. What a worker could not do, for want of memory or because the work failed there, is done
by this process: it fails here then, if it must, as it would have without workers.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from dfst.train.workers import Worker, Workers, worker_count

PATIENCE = 2.0  # seconds of work after which workers are started; to start one takes about as long

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def parallel_map(
    work: Callable[[Thing], Result], things: Sequence[Thing], workers: Workers | None = None
) -> Iterator[Result]:
    """work(thing) for each, in their order, whoever did it.

    Work, things and results must be such that they can be sent (pickle); otherwise this process does it all.
    Who does not want all results closes the iterator, which ends the workers that are busy. workers: whom to
    ask; those that are free begin at once.
    """
    if workers is None:
        with Workers() as workers:
            yield from parallel_map(work, things, workers)
        return
    mapped = _Map(work, things, workers)
    try:
        yield from mapped.results()
    finally:
        mapped.stop()


class _Map(Generic[Thing, Result]):
    """This process, and for each worker a thread that hands it things and waits for its results."""

    def __init__(self, work: Callable[[Thing], Result], things: Sequence[Thing], workers: Workers) -> None:
        self._work, self._things, self._workers = work, things, workers
        self._waiting = deque(range(len(things)))
        self._found: list[Future[Result]] = [Future() for _ in things]
        self._over, self._lock = threading.Event(), threading.Lock()
        self._busy: set[Worker] = set()
        for _ in range(worker_count(len(things)) - 1):
            threading.Thread(target=self._use_worker, daemon=True).start()

    def results(self) -> Iterator[Result]:
        for thing, found in zip(self._things, self._found, strict=True):
            while not found.done() and (mine := self._take()) is not None:
                self._found[mine].set_result(self._work(self._things[mine]))
            yield self._work(thing) if found.exception() else found.result()

    def stop(self) -> None:
        """End every worker that is at work here, and see to it that none begins."""
        with self._lock:
            self._over.set()
            for worker in self._busy:
                worker.process.kill()

    def _take(self) -> int | None:
        try:
            return self._waiting.popleft()
        except IndexError:
            return None

    def _use_worker(self) -> None:
        """Have one worker work until nothing is left; in a thread of this process."""
        if self._over.wait(0.0 if self._workers else PATIENCE) or not self._waiting:
            return
        try:
            worker = self._workers.take()
        except OSError:
            return
        mine: int | None = None
        try:
            worker.set_work(self._work)
            while (mine := self._next(worker)) is not None:
                worker.send(self._things[mine])
                self._found[mine].set_result(worker.result())
            self._workers.give_back(worker)
        except Exception as error:  # whatever it was: the work itself may raise anything
            worker.end()
            if mine is not None:
                self._found[mine].set_exception(error)

    def _next(self, worker: Worker) -> int | None:
        """A thing that it is at work on from now on, if there is one."""
        with self._lock:
            self._busy.discard(worker)
            mine = None if self._over.is_set() else self._take()
            if mine is not None:
                self._busy.add(worker)
            return mine
