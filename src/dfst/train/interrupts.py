"""Signals that end a run, Ctrl-C among them: they strike between two consistent states, never inside one.

Compiled steps change arrays that belong to an iteration number; an interrupt that strikes after the arrays
and before the number would make the next checkpoint a lie. Clusters send SIGTERM, a terminal that is closed
SIGHUP: commands and workers take both for Ctrl-C. A command that gets a second one ends at once.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_noted: list[int] = []  # those that this process was sent since it obeys them
_held = False


def obey_signals(only_first: bool = False) -> None:
    """Each raises KeyboardInterrupt, a second one ends the process; those that nohup ignores stay so.

    only_first: in a worker, whose parent or cluster may send more of them
    """
    if only_first:
        signal.signal(signal.SIGINT, _obey_first)  # it comes from the parent alone
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _obey_first if only_first else _obey)


def ignore_signals() -> int:
    """Let nothing more interrupt; which signal did, Ctrl-C where none is known."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    return _noted[0] if _noted else signal.SIGINT


def was_interrupted() -> bool:
    """Whether a signal came since this process obeys them."""
    return bool(_noted)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let an interrupt that arrives inside take effect at the end (only the main thread gets any)."""
    global _held
    usual: dict[int, Any] = {n: h for n in SIGNALS if callable(h := signal.getsignal(n))}
    if _held or threading.current_thread() is not threading.main_thread() or not usual:
        yield
        return
    arrived: list[Any] = []

    def hold(number: int, frame: Any) -> None:
        if usual[number] is _obey:
            _note(number)
        arrived.append((number, frame))

    _held = True
    for number in usual:
        signal.signal(number, hold)
    try:
        yield
    finally:
        _held = False
        for number, handler in usual.items():
            signal.signal(number, handler)
    if arrived:
        number, frame = arrived[0]
        if usual[number] is _obey:
            raise KeyboardInterrupt
        usual[number](number, frame)


def _obey(number: int, frame: Any) -> None:
    _note(number)
    raise KeyboardInterrupt


def _note(number: int) -> None:
    _noted.append(number)
    if len(_noted) > 1:
        os._exit(128 + number)


def _obey_first(number: int, frame: Any) -> None:
    if not _noted:
        _noted.append(number)
        raise KeyboardInterrupt
