"""Work for the tests of workers, in a module that is imported in no time."""

from __future__ import annotations

import os
import time
from pathlib import Path

MOMENT = 0.05


def slowly(thing: int) -> tuple[int, int]:
    """The thing, and which process worked on it."""
    time.sleep(MOMENT)
    return thing, os.getpid()


def only_in(process: int, thing: int) -> int:
    """The thing; any other process dies of it."""
    if os.getpid() != process:
        os._exit(3)
    time.sleep(MOMENT)
    return thing


def divide_by(thing: int) -> float:
    time.sleep(MOMENT)
    return 1 / thing


def touch_then_sleep(file: Path) -> None:
    file.touch()
    time.sleep(600)
