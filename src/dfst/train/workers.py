"""Worker processes: each is told what the work is, and does it to one thing after another.

A worker is a new Python, not a fork: threads and a CUDA context survive no fork, and nobody's script has to
be imported again. It is out of the terminal's reach, so that Ctrl-C comes to this process alone, which ends
its workers. If this process dies, they are interrupted as by Ctrl-C, so that a training saves, and end. To
start one takes a second or two, so `Workers` keeps them, and can start them before there is work.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, TypeVar

from dfst.kernels.cpu.threads import thread_count
from dfst.memory import physical_memory
from dfst.train.interrupts import obey_signals

MEMORY = 2_000_000_000  # bytes that a worker may need: four times what the largest proof so far took (div10)
GRACE_SECONDS = 30.0  # how long work that is interrupted may take to save before it is killed
PATIENCE = 2.0  # seconds of work after which workers are started; to start one takes about as long

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def worker_count(tasks: int) -> int:
    """How many processes may work at once, this one among them."""
    return min(thread_count(None, tasks), physical_memory() // MEMORY)


class WorkFailed(Exception):
    """The work raised an exception in its worker; the message names it."""


class Worker:
    """One process; what goes wrong with it is an OSError, an EOFError or what pickle raises."""

    def __init__(self) -> None:
        # With -P it imports from where this process does and from nowhere else: a `queue.py` that happens to
        # lie in the working directory is not taken for Python's.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._to, self._from = self.process.stdin, self.process.stdout
        self.work: Any = None

    def set_work(self, work: Any) -> None:
        """What is done to things from now on; its module is imported at once."""
        _send(("work", work), self._to)
        self.work = work

    def send(self, thing: Any) -> None:
        """Something to do it to."""
        _send(("thing", thing), self._to)

    def result(self) -> Any:
        """The result of the next thing."""
        kind, value = pickle.load(self._from)
        if kind == "failed":
            raise WorkFailed(value)
        return value

    def interrupt(self) -> None:
        """Let the work save and end, as by Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """End it, whatever it is doing; its exit status."""
        self.process.kill()
        with suppress(OSError), self.process:  # one that died has not read all that it was sent
            pass
        return self.process.returncode


class Workers:
    """Processes for whoever has work; those that are free are kept until this is left (`with Workers()`)."""

    def __init__(self) -> None:
        self._free: list[Worker] = []
        self._busy: set[Worker] = set()
        self._over = False
        self._lock = threading.Lock()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *reason: object) -> None:
        with self._lock:
            self._over = True
            for worker in self._free:
                worker.end()
            self._free.clear()
        self.leave()

    def __len__(self) -> int:
        """How many are free."""
        return len(self._free)

    def start(self, count: int, needed: Any) -> None:
        """Start so many, for later; meanwhile they import what is needed: the modules of these functions."""
        with suppress(OSError):
            for _ in range(count):
                worker = Worker()
                self._keep(worker)
                worker.set_work(needed)

    def call(self, work: Callable[[Thing], Result], thing: Thing) -> Result:
        """work(thing), by one that is free or a new one; ChildProcessError where its process has died."""
        with self._lock:
            free = self._free.pop() if self._free else None
        worker = free or Worker()
        with self._lock:
            self._busy.add(worker)
            late = self._over
        if late:
            worker.interrupt()
        try:
            if worker.work is not work:
                worker.set_work(work)
            worker.send(thing)
            result: Result = worker.result()
            return result
        except WorkFailed:
            raise
        except (EOFError, OSError, pickle.UnpicklingError):  # the pipe ended in the middle of anything
            status = worker.process.wait()
            ended = f"was ended by {signal.Signals(-status).name}" if status < 0 else None
            raise ChildProcessError(f"its process {ended or f'ended with status {status}'}") from None
        except BaseException:  # what cannot be sent was sent in part
            worker.end()
            raise
        finally:
            self._keep(worker)

    def _keep(self, worker: Worker) -> None:
        """One that has nothing to do any more; it is ended where nobody will want it."""
        with self._lock:
            self._busy.discard(worker)
            wanted = not self._over and worker.process.returncode is None
            if wanted:
                self._free.append(worker)
        if not wanted:
            worker.end()

    def interrupt(self) -> None:
        """Let all that is being done be saved and end; whatever begins after this as well."""
        with self._lock:
            self._over = True
            for worker in self._busy:
                worker.interrupt()

    def leave(self) -> None:
        """End those that are at work: nobody wants their results."""
        with self._lock:
            for worker in self._busy:
                worker.process.kill()


def parallel_map(
    work: Callable[[Thing], Result], things: Sequence[Thing], workers: Workers | None = None
) -> Iterator[Result]:
    """work(thing) for each, in their order, whoever did it.

    This process works through the things; if that is not over in a moment, so do workers, one for every
    further core (those of `workers` that are free begin at once). What a worker could not do, for want of
    memory, because it cannot be sent (pickle) or because the work failed there, is done by this process: it
    fails here then, if it must, as it would have without workers. Who does not want all results closes the
    iterator, which ends the workers that are busy.
    """
    if workers is None:
        with Workers() as workers:
            yield from parallel_map(work, things, workers)
        return
    crew, over, waiting = workers, threading.Event(), deque(range(len(things)))
    found: list[Future[Result]] = [Future() for _ in things]

    def take() -> int | None:
        with suppress(IndexError):
            return waiting.popleft()
        return None

    def use_worker() -> None:
        """Have one worker work until nothing is left; in a thread of this process."""
        over.wait(0.0 if crew else PATIENCE)
        while not over.is_set() and (mine := take()) is not None:
            try:
                found[mine].set_result(crew.call(work, things[mine]))
            except Exception as error:  # whatever it was: the work itself may raise anything
                found[mine].set_exception(error)
                return

    for _ in range(worker_count(len(things)) - 1):
        threading.Thread(target=use_worker, daemon=True).start()
    try:
        for thing, result in zip(things, found, strict=True):
            while not result.done() and (mine := take()) is not None:
                found[mine].set_result(work(things[mine]))
            yield work(thing) if result.exception() else result.result()
    finally:
        over.set()
        crew.leave()


def _send(message: tuple[str, Any], pipe: IO[bytes]) -> None:
    pickle.dump(message, pipe)
    pipe.flush()


def serve() -> None:
    """What a worker does: take the work, then do it to each thing it is sent."""
    obey_signals(only_first=True)
    parent, sys.stdout = sys.stdout.buffer, sys.stderr  # what the work prints is no result
    messages: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, messages), daemon=True).start()
    work: Callable[[Any], Any] = repr
    try:
        while True:
            kind, something = messages.get()
            if kind == "work":
                work = something
                continue
            try:
                result = "result", work(something)
            except Exception as error:
                result = "failed", f"{type(error).__name__}: {error}"
            _send(result, parent)
    finally:
        os._exit(1)


def _listen(pipe: IO[bytes], messages: SimpleQueue[tuple[str, Any]]) -> None:
    """Pass on what is sent; where nobody is left to send anything, interrupt the work and end."""
    try:
        while True:
            messages.put(pickle.load(pipe))
    finally:
        if ident := threading.main_thread().ident:  # which may sleep, and wakes up if the signal is its own
            signal.pthread_kill(ident, signal.SIGINT)
        time.sleep(GRACE_SECONDS)
        os._exit(1)
