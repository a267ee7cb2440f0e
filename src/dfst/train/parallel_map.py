"""`map` on several processes, for work that takes long.

This process works through the things in their order. If that is not over in a moment it asks a worker for
every further core, and whoever is free takes the next thing. Small work is done before a worker is started,
and costs nothing more than it did; results come in the order of the things.

A worker that dies, for want of memory or because the work failed there, leaves its thing to the others, in
the end to this process: it fails here then, if it must, as it would have without workers.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
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
        self._found: dict[int, Result] = {}
        self._changed = threading.Condition()
        """A result has come, or a thing that was taken waits again."""
        self._over = threading.Event()
        self._busy: set[Worker] = set()
        for _ in range(worker_count(len(things)) - 1):
            threading.Thread(target=self._use_worker, daemon=True).start()

    def results(self) -> Iterator[Result]:
        for i in range(len(self._things)):
            while i not in self._found:
                mine = self._take()
                if mine is None:
                    self._wait_for(i)
                else:
                    self._found[mine] = self._work(self._things[mine])
            yield self._found[i]

    def _wait_for(self, i: int) -> None:
        """Wait for the result of a thing, or for something to do."""
        with self._changed:
            self._changed.wait_for(lambda: i in self._found or bool(self._waiting))

    def stop(self) -> None:
        """End every worker that is at work here, and see to it that none begins."""
        with self._changed:
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
        if self._did_all(worker):
            self._workers.give_back(worker)
        else:
            worker.end()

    def _did_all(self, worker: Worker) -> bool:
        """Whether it did all that it was given."""
        mine: int | None = None
        try:
            worker.set_work(self._work)
            while (mine := self._begin(worker)) is not None:
                worker.send(self._things[mine])
                self._end(worker, mine, worker.result())
        except Exception:  # whatever it was: the work itself has a say here, which may raise anything
            with self._changed:
                self._busy.discard(worker)
                if mine is not None:
                    self._waiting.appendleft(mine)
                self._changed.notify()
            return False
        return True

    def _begin(self, worker: Worker) -> int | None:
        """A thing that it is at work on from now on, if there is one."""
        with self._changed:
            mine = None if self._over.is_set() else self._take()
            if mine is not None:
                self._busy.add(worker)
            return mine

    def _end(self, worker: Worker, thing: int, result: Result) -> None:
        with self._changed:
            self._found[thing] = result
            self._busy.discard(worker)
            self._changed.notify()
