"""The same work on many things, beside each other: what takes long is done by other processes as well.

`beside` is `map` with helpers. This process works through the things in their order. If that is not over in a
moment it starts a helper for every further core, and whoever is free takes the next thing. Small work is done
before a helper is started, and costs nothing more than it did; results come in the order of the things.

A helper is a new Python, not a fork: threads and a CUDA context survive no fork, and nobody's script has to
be imported again. It is out of the terminal's reach, so that Ctrl-C comes to this process alone, which ends
its helpers; if this process dies without a word, they notice. A helper that dies, for want of memory or
because the work failed there, leaves its thing to the others, in the end to this process: it fails here then,
if it must, as it would have without helpers.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, Generic, TypeVar

from dfst.kernels.threads import thread_count
from dfst.memory import physical_memory

PATIENCE = 2.0
"""Seconds of work after which helpers are started; to start one takes about as long."""
MEMORY = 2_000_000_000
"""Bytes that a helper may need: four times what the largest proof so far took (div10)."""

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def beside(work: Callable[[Thing], Result], things: Sequence[Thing]) -> Iterator[Result]:
    """work(thing) for each, in their order, whoever did it.

    Work, things and results must be such that they can be sent (pickle); otherwise nobody helps. Who does not
    want all results closes the iterator, which ends the helpers.
    """
    crew = _Crew(work, things)
    try:
        yield from crew.results()
    finally:
        crew.dismiss()


class _Crew(Generic[Thing, Result]):
    """This process, and for each helper a thread that hands it things and waits for its results."""

    def __init__(self, work: Callable[[Thing], Result], things: Sequence[Thing]) -> None:
        self._work, self._things = work, things
        self._waiting = deque(range(len(things)))
        self._found: dict[int, Result] = {}
        self._news = threading.Condition()
        """A result has come, or a thing that was taken waits again."""
        self._over = threading.Event()
        self._helpers: list[subprocess.Popen[bytes]] = []
        for _ in range(hands(len(things)) - 1):
            threading.Thread(target=self._be_helped, daemon=True).start()

    def results(self) -> Iterator[Result]:
        for i in range(len(self._things)):
            while i not in self._found:
                mine = self._take()
                if mine is None:
                    self._hear_of(i)
                else:
                    self._found[mine] = self._work(self._things[mine])
            yield self._found[i]

    def _hear_of(self, i: int) -> None:
        """Wait for the result of a thing, or for something to do."""
        with self._news:
            self._news.wait_for(lambda: i in self._found or bool(self._waiting))

    def dismiss(self) -> None:
        """End every helper, and see to it that none is started."""
        self._over.set()
        for helper in list(self._helpers):
            helper.kill()

    def _take(self) -> int | None:
        try:
            return self._waiting.popleft()
        except IndexError:
            return None

    def _be_helped(self) -> None:
        """Have one helper work until nothing is left; in a thread of this process."""
        if self._over.wait(PATIENCE) or not self._waiting:
            return
        try:
            helper = new_helper()
        except OSError:
            return
        self._helpers.append(helper)
        if self._over.is_set():
            helper.kill()
        with suppress(OSError), helper:
            self._have_work(helper)
            helper.kill()

    def _have_work(self, helper: subprocess.Popen[bytes]) -> None:
        assert helper.stdin is not None
        assert helper.stdout is not None
        mine: int | None = None
        try:
            send(self._work, helper.stdin)
            while (mine := self._take()) is not None:
                send(self._things[mine], helper.stdin)
                result = pickle.load(helper.stdout)
                with self._news:
                    self._found[mine] = result
                    self._news.notify()
        except Exception:  # whatever it was: the work itself has a say here, which may raise anything
            with self._news:
                if mine is not None:
                    self._waiting.appendleft(mine)
                self._news.notify()


def hands(tasks: int) -> int:
    """How many processes may work at once, this one among them."""
    return min(thread_count(None, tasks), physical_memory() // MEMORY)


def new_helper() -> subprocess.Popen[bytes]:
    """It imports from where this process does and from nowhere else: with -P, a `queue.py` that happens to
    lie in the working directory is not taken for Python's."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"from {__name__} import help_out; help_out()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
        start_new_session=True,
    )


def send(something: Any, pipe: IO[bytes]) -> None:
    pickle.dump(something, pipe)
    pipe.flush()


def help_out() -> None:
    """What a helper does: hear what the work is, then do it to each thing it is sent."""
    hear, say = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what the work prints is no result
    things: SimpleQueue[Any] = SimpleQueue()
    try:
        work = pickle.load(hear)
        threading.Thread(target=_listen, args=(hear, things), daemon=True).start()
        while True:
            send(work(things.get()), say)
    finally:
        os._exit(1)


def _listen(hear: IO[bytes], things: SimpleQueue[Any]) -> None:
    """Pass on what is sent; where nobody is left to send anything, end, whatever is being worked on."""
    try:
        while True:
            things.put(pickle.load(hear))
    finally:
        os._exit(0)
