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
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any

from dfst.kernels.cpu.threads import thread_count
from dfst.memory import physical_memory
from dfst.train.interrupts import obey_signals

MEMORY = 2_000_000_000  # bytes that a worker may need: four times what the largest proof so far took (div10)
GRACE_SECONDS = 30.0  # how long work that is interrupted may take to save before it is killed


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

    def set_work(self, work: Any) -> None:
        """What is done to things from now on; its module is imported at once."""
        _send(("work", work), self._to)

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
    """Those that have nothing to do. They stay until this is left (`with Workers() as workers`)."""

    def __init__(self) -> None:
        self._free: list[Worker] = []
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

    def __len__(self) -> int:
        """How many are free."""
        return len(self._free)

    def start(self, count: int, needed: Any) -> None:
        """Start so many, for later; meanwhile they import what is needed: the modules of these functions."""
        with suppress(OSError):
            for _ in range(count):
                worker = Worker()
                self.give_back(worker)
                worker.set_work(needed)

    def take(self) -> Worker:
        """One that is free, or a new one."""
        with self._lock:
            if self._free:
                return self._free.pop()
        return Worker()

    def give_back(self, worker: Worker) -> None:
        """One that has done all that it was given."""
        with self._lock:
            if not self._over:
                self._free.append(worker)
                return
        worker.end()


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
