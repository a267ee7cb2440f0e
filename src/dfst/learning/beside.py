"""The same work on many things, beside each other: what takes long is done by other processes as well.

`beside` is `map` with helpers. This process works through the things in their order. If that is not over in a
moment it asks a helper for every further core, and whoever is free takes the next thing. Small work is done
before a helper is started, and costs nothing more than it did; results come in the order of the things.

A helper that dies, for want of memory or because the work failed there, leaves its thing to the others, in
the end to this process: it fails here then, if it must, as it would have without helpers.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from dfst.learning.processes import Helper, Helpers, hands

PATIENCE = 2.0
"""Seconds of work after which helpers are started; to start one takes about as long."""

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def beside(
    work: Callable[[Thing], Result], things: Sequence[Thing], helpers: Helpers | None = None
) -> Iterator[Result]:
    """work(thing) for each, in their order, whoever did it.

    Work, things and results must be such that they can be sent (pickle); otherwise nobody helps. Who does not
    want all results closes the iterator, which ends those who are still at work. helpers: whom to ask; those
    who are free begin at once.
    """
    if helpers is None:
        with Helpers() as helpers:
            yield from beside(work, things, helpers)
        return
    crew = _Crew(work, things, helpers)
    try:
        yield from crew.results()
    finally:
        crew.dismiss()


class _Crew(Generic[Thing, Result]):
    """This process, and for each helper a thread that hands it things and waits for its results."""

    def __init__(self, work: Callable[[Thing], Result], things: Sequence[Thing], helpers: Helpers) -> None:
        self._work, self._things, self._helpers = work, things, helpers
        self._waiting = deque(range(len(things)))
        self._found: dict[int, Result] = {}
        self._news = threading.Condition()
        """A result has come, or a thing that was taken waits again."""
        self._over = threading.Event()
        self._busy: set[Helper] = set()
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
        """End every helper that is at work here, and see to it that none begins."""
        with self._news:
            self._over.set()
            for helper in self._busy:
                helper.process.kill()

    def _take(self) -> int | None:
        try:
            return self._waiting.popleft()
        except IndexError:
            return None

    def _be_helped(self) -> None:
        """Have one helper work until nothing is left; in a thread of this process."""
        if self._over.wait(0.0 if self._helpers else PATIENCE) or not self._waiting:
            return
        try:
            helper = self._helpers.take()
        except OSError:
            return
        if self._have_work(helper):
            self._helpers.give_back(helper)
        else:
            helper.dismiss()

    def _have_work(self, helper: Helper) -> bool:
        """Whether it did all that it was given."""
        mine: int | None = None
        try:
            helper.tell(self._work)
            while (mine := self._begin(helper)) is not None:
                helper.hand(self._things[mine])
                self._end(helper, mine, helper.result())
        except Exception:  # whatever it was: the work itself has a say here, which may raise anything
            with self._news:
                self._busy.discard(helper)
                if mine is not None:
                    self._waiting.appendleft(mine)
                self._news.notify()
            return False
        return True

    def _begin(self, helper: Helper) -> int | None:
        """A thing that it is at work on from now on, if there is one."""
        with self._news:
            mine = None if self._over.is_set() else self._take()
            if mine is not None:
                self._busy.add(helper)
            return mine

    def _end(self, helper: Helper, thing: int, result: Result) -> None:
        with self._news:
            self._found[thing] = result
            self._busy.discard(helper)
            self._news.notify()
