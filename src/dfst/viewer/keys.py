"""Single keys from a terminal, without waiting for Enter."""

from __future__ import annotations

import os
import select
import sys
from types import TracebackType
from typing import Any


class Keys:
    """While entered, `pressed(seconds)` waits at most that long for a key; "" if none came.

    Where there is no terminal to read keys from, it only waits.
    """

    def __init__(self) -> None:
        self._saved: list[Any] | None = None
        self._handle = -1

    def __enter__(self) -> Keys:
        try:
            import termios
            import tty

            if sys.stdin.isatty():
                self._handle = sys.stdin.fileno()
                self._saved = termios.tcgetattr(self._handle)
                tty.setcbreak(self._handle)
        except (ImportError, OSError, ValueError):
            self._saved = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._saved is not None:
            import termios

            termios.tcsetattr(self._handle, termios.TCSADRAIN, self._saved)

    def pressed(self, seconds: float) -> str:
        """One key as a character, or "left", "right", "up", "down"."""
        if self._saved is None:
            select.select([], [], [], max(0.0, seconds))
            return ""
        if not select.select([self._handle], [], [], max(0.0, seconds))[0]:
            return ""
        text = os.read(self._handle, 8).decode("utf-8", "replace")
        arrows = {"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left"}
        return arrows.get(text, text[:1])
