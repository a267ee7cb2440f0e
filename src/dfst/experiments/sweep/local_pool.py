"""The local pool: each trial in a process of its own, so that a trial that dies takes nothing with it.

Processes are forked off a server that has imported everything and started nothing: a trial begins at once,
and no thread is ever forked. A process is out of the terminal's reach; Ctrl-C comes to it once, from here,
and makes it save. If this process dies without a word, its trials notice, save and end.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from dfst.experiments.sweep.pool import GRACE_SECONDS, Died, Event, Finished, Job
from dfst.experiments.sweep.work import work
from dfst.learning.interrupts import interrupts_held


@dataclass(frozen=True)
class _Running:
    job: Job
    process: BaseProcess
    pipe: Connection


class LocalPool:
    """Trials on the cores of this machine."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__])
        self._running: dict[str, _Running] = {}

    def start(self, job: Job) -> None:
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_carry_out, args=(job, theirs), name=job.name)
        # An interrupt between the fork and its entry here would leave a trial nobody ends.
        with interrupts_held():
            process.start()
            self._running[job.name] = _Running(job, process, ours)
        theirs.close()

    def wait(self, seconds: float) -> list[Event]:
        by_pipe = {running.pipe: running for running in self._running.values()}
        ready = wait(list(by_pipe), timeout=seconds)
        return [event for pipe in ready for event in self._hear(by_pipe[pipe])]  # type: ignore[index]

    def _hear(self, running: _Running) -> list[Event]:
        """Everything a process has said; the end of the pipe is the end of the process."""
        events: list[Event] = []
        gone = False
        try:
            while running.pipe.poll():
                events.append(running.pipe.recv())
        except (EOFError, OSError):
            gone = True
        told = any(isinstance(event, Finished | Died) for event in events)
        if gone or told:
            running.process.join()
            self._close(running)
        if gone and not told:
            events.append(Died(running.job.name, _how_it_ended(running.process.exitcode)))
        return events

    def _close(self, running: _Running) -> None:
        running.pipe.close()
        del self._running[running.job.name]

    def stop(self) -> None:
        until = time.monotonic() + GRACE_SECONDS
        for running in self._running.values():
            if running.process.pid is not None and running.process.is_alive():
                os.kill(running.process.pid, signal.SIGINT)
        for running in list(self._running.values()):
            running.process.join(max(0.0, until - time.monotonic()))
            if running.process.is_alive():
                running.process.kill()
                running.process.join()
            self._close(running)


def _how_it_ended(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"its process was ended by {signal.Signals(-exitcode).name}"
    return f"its process ended with status {exitcode}"


def _carry_out(job: Job, pipe: Connection) -> None:
    """What the process of a trial does."""
    try:
        os.setpgrp()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Thread(target=_end_with_parent, daemon=True).start()
        pipe.send(Finished(job.name, work(job, pipe.send)))
    except KeyboardInterrupt:
        os._exit(130)
    except Exception as error:
        pipe.send(Died(job.name, f"{type(error).__name__}: {error}"))


def _end_with_parent() -> None:
    """Once the sweep's own process is gone, save and end."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(GRACE_SECONDS)
    os._exit(1)
