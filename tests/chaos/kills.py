"""Killed, out of room or sent a signal, at every place where it matters: the run goes on to the same end."""

from __future__ import annotations

import errno
import mmap
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from functools import cache

from ground import LEARN, PATIENCE, SECONDS, Ground, Try, begin, busy, command, finish, limit

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
SENT = 30
SIZES = (0, 100, 500, 1_000, 2_000, 5_000, 20_000, 100_000)


def _at(number: int, what: Callable[[], object], count: mmap.mmap | None = None) -> None:
    """Do something right before the rename or fsync of that number. count: memory shared with the parent"""
    count = count or mmap.mmap(-1, 4)

    def counting(usual: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object) -> object:
            now = int.from_bytes(count[:4], "little") + 1
            count[:4] = now.to_bytes(4, "little")
            if now == number:
                what()
            return usual(*arguments)

        return counted

    os.replace, os.fsync = counting(os.replace), counting(os.fsync)


@cache
def _places(ground: Ground) -> int:
    """How many renames and fsyncs a run has."""
    count = mmap.mmap(-1, 4)
    command(*LEARN, "--out", ground.folder(), before=lambda: _at(0, lambda: None, count))
    return int.from_bytes(count[:4], "little")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _refuse() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def kills(ground: Ground) -> Iterator[Try]:
    """SIGKILL before every rename and every fsync."""
    for number in range(1, _places(ground) + 1):

        def attempt(number: int = number) -> str:
            folder = ground.folder()
            done = command(*LEARN, "--out", folder, before=lambda: _at(number, _die))
            return ground.went_on(folder) if done.status == -signal.SIGKILL else f"was not killed: {done}"

        yield f"killed at write {number}", attempt


def full_disks(ground: Ground) -> Iterator[Try]:
    """No room at every other rename or fsync; files that may not grow beyond some size."""
    troubles: list[tuple[str, Callable[[], object]]] = [
        (f"no room at write {n}", lambda n=n: _at(n, _refuse)) for n in range(1, _places(ground), 2)
    ]
    troubles += [(f"files of {n:,} bytes at most", limit(resource.RLIMIT_FSIZE, n)) for n in SIZES]
    for name, before in troubles:

        def attempt(before: Callable[[], object] = before) -> str:
            folder = ground.folder()
            done = command(*LEARN, "--out", folder, before=before)
            if not done.told and done.status not in (0, 1):
                return str(done)
            return ground.went_on(folder)

        yield name, attempt


def signals(ground: Ground) -> Iterator[Try]:
    """SIGTERM, SIGHUP and Ctrl-C some time after the start: saved within five seconds, and gone on with."""
    for number in range(SENT):

        def attempt(number: int = number) -> str:
            how, folder = SIGNALS[number % 3], ground.folder()
            begun = begin(*LEARN, "--out", folder)
            time.sleep(0.02 + 0.05 * number)
            sent = time.monotonic()
            os.kill(begun.process, how)
            done = finish(begun, PATIENCE)
            if "Traceback" in done.err or done.status not in (0, 1, 128 + how):
                return str(done)
            if done.status == 128 + how:
                if "dfst: stopped" not in done.err:
                    return f"said nothing: {done}"
                if time.monotonic() - sent > SECONDS * busy():
                    return f"took too long to stop: {done}"
            return ground.went_on(folder)

        yield f"signal {number}", attempt
