"""Ctrl-C between two consistent states, never inside one.

Compiled steps change arrays that belong to an iteration number; an interrupt that strikes after the arrays
and before the number would make the next checkpoint a lie.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let an interrupt that arrives inside take effect at the end (only the main thread gets any)."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    arrived: list[Any] = []
    signal.signal(signal.SIGINT, lambda number, frame: arrived.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if arrived:
        usual(*arrived[0])
