"""Processes that help this one: each is told what the work is, and does it to one thing after another.

A helper is a new Python, not a fork: threads and a CUDA context survive no fork, and nobody's script has to
be imported again. It is out of the terminal's reach, so that Ctrl-C comes to this process alone, which ends
its helpers; if this process dies without a word, they notice. To start one takes a second or two, most of it
for imports. So `Helpers` keeps them from one piece of work to the next, and can start them before there is
any.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any

from dfst.kernels.threads import thread_count
from dfst.memory import physical_memory

MEMORY = 2_000_000_000
"""Bytes that a helper may need: four times what the largest proof so far took (div10)."""


def hands(tasks: int) -> int:
    """How many processes may work at once, this one among them."""
    return min(thread_count(None, tasks), physical_memory() // MEMORY)


class Helper:
    """One process; what goes wrong with it is an OSError, an EOFError or what pickle raises."""

    def __init__(self) -> None:
        # With -P it imports from where this process does and from nowhere else: a `queue.py` that happens to
        # lie in the working directory is not taken for Python's.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import help_out; help_out()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._say, self._hear = self.process.stdin, self.process.stdout

    def tell(self, work: Any) -> None:
        """What the work is from now on."""
        _send((True, work), self._say)

    def hand(self, thing: Any) -> None:
        """Something to do it to."""
        _send((False, thing), self._say)

    def result(self) -> Any:
        """What came of the next thing."""
        return pickle.load(self._hear)

    def dismiss(self) -> None:
        """End it, whatever it is doing."""
        self.process.kill()
        with suppress(OSError), self.process:  # one that died has not read all that it was sent
            pass


class Helpers:
    """Those that have nothing to do. They stay until this is left (`with Helpers() as helpers`)."""

    def __init__(self) -> None:
        self._free: list[Helper] = []
        self._over = False
        self._lock = threading.Lock()

    def __enter__(self) -> Helpers:
        return self

    def __exit__(self, *reason: object) -> None:
        with self._lock:
            self._over = True
            free, self._free = self._free, []
        for helper in free:
            helper.dismiss()

    def __bool__(self) -> bool:
        """Whether somebody is free."""
        return bool(self._free)

    def start(self, count: int, needed: Any) -> None:
        """Start so many, for later; meanwhile they import what is needed: the modules of these functions."""
        with suppress(OSError):
            for _ in range(count):
                helper = Helper()
                self.give_back(helper)
                helper.tell(needed)

    def take(self) -> Helper:
        """One that is free, or a new one."""
        with self._lock:
            if self._free:
                return self._free.pop()
        return Helper()

    def give_back(self, helper: Helper) -> None:
        """One that has done all that it was given."""
        with self._lock:
            if not self._over:
                self._free.append(helper)
                return
        helper.dismiss()


def _send(message: Any, pipe: IO[bytes]) -> None:
    pickle.dump(message, pipe)
    pipe.flush()


def help_out() -> None:
    """What a helper does: hear what the work is, then do it to each thing it is sent."""
    hear, say = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what the work prints is no result
    messages: SimpleQueue[tuple[bool, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(hear, messages), daemon=True).start()
    work: Callable[[Any], Any] = repr
    try:
        while True:
            is_work, something = messages.get()
            if is_work:
                work = something
            else:
                _send(work(something), say)
    finally:
        os._exit(1)


def _listen(hear: IO[bytes], messages: SimpleQueue[tuple[bool, Any]]) -> None:
    """Pass on what is sent; where nobody is left to send anything, end, whatever is being worked on."""
    try:
        while True:
            messages.put(pickle.load(hear))
    finally:
        os._exit(0)
