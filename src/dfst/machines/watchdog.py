"""A time limit for code of somebody else that runs in this process: it must show a sign of life now and then.

A thread watches. Where the limit has passed, it has `Stalled` raised in the thread that is watched, between
two instructions of Python; a call into C that never returns is beyond its reach.
"""

from __future__ import annotations

import ctypes
import threading
import time
from types import TracebackType


class Stalled(BaseException):
    """Nothing was heard of the watched code for too long. No `except Exception` holds it up."""


class Watchdog:
    """Watches the code inside `with`; `alive()` sets its clock back."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._watched: int | None = None
        self._deadline = 0.0
        self._wake = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Watchdog:
        with self._lock:
            self._watched = threading.get_ident()
            self.alive()
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True, name="watchdog")
                self._thread.start()
            else:
                self._wake.notify()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._watched is not None:
                _raise_in(self._watched, None)  # one that has not arrived yet must not arrive elsewhere
            self._watched = None

    def alive(self) -> None:
        """The watched code has done something."""
        self._deadline = time.monotonic() + self._seconds

    def _watch(self) -> None:
        with self._lock:
            while True:
                if self._watched is None:
                    self._wake.wait()
                elif (left := self._deadline - time.monotonic()) > 0:
                    self._wake.wait(left)
                else:
                    _raise_in(self._watched, Stalled)
                    self._deadline = time.monotonic() + self._seconds


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error)
    )
