"""Where words go: answers to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dfst.errors import InputError
from dfst.files.atomic import mode_of
from dfst.train.interrupts import ignore_signals

if TYPE_CHECKING:
    from rich.console import Console

QUIET_SECONDS = 30  # without a terminal, what is being done is said this often


def answer(text: str) -> None:
    """The answer, alone on standard output."""
    # While rich shows progress it stands in for standard output and sends all to the terminal: right for one
    # that is that terminal, but a file or a pipe would get nothing.
    direct = getattr(sys.stdout, "rich_proxied_file", sys.stdout)
    output = sys.stdout if direct.isatty() else direct
    output.write(text + "\n")
    output.flush()


def say(text: str) -> None:
    """A sentence as the answer: on a terminal it is broken between words, elsewhere it stays one line."""
    if sys.stdout.isatty():
        text = "\n".join(wrapped(text))
    answer(text)


def wrapped(text: str, indent: str = "  ", width: int | None = None) -> list[str]:
    """Lines for the terminal, broken at spaces alone."""
    width = width or shutil.get_terminal_size().columns
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )  # fmt: skip


def answer_json(*values: object) -> None:
    """Objects, each on its line."""
    for value in values:
        answer(json.dumps(value, ensure_ascii=False))


def complain(problem: Exception | str) -> None:
    """One line about what went wrong, whatever stands in the names that it repeats."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(problem))
    with suppress(OSError):  # the terminal may be gone, the disk of a log full: the status tells it, too
        sys.stderr.write(f"dfst: {line}\n")
        sys.stderr.flush()


def stopped(more: str = "") -> int:
    """Say that a signal has ended it, Ctrl-C or another; the exit status. A further one changes nothing.

    Python gives signals their own effect back as it ends, and that would kill, so they are ignored from here.
    """
    number = ignore_signals()
    complain(f"stopped{more}")
    return 128 + number


def check_place(path: Path | None) -> None:
    """Refuse a file that cannot be written before the work is done, not after it."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        found = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise InputError(f"cannot write {path}: {found}; give a file in a folder that exists")
    if not os.access(path.parent, os.W_OK):
        raise InputError(
            f"cannot write {path}: permission denied in the folder {path.parent}; give another place"
        )
    mode_of(path)


def console() -> Console:
    """For tables and progress: standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


@contextmanager
def working(on: str) -> Iterator[Callable[[str], None]]:
    """Takes what is being done now: shown in place on a terminal, elsewhere a plain line now and then."""
    shown = console()
    if shown.is_terminal:
        with shown.status(on) as status:
            yield status.update
        return
    said = time.monotonic()

    def tell(what: str) -> None:
        nonlocal said
        if time.monotonic() - said >= QUIET_SECONDS:
            said = time.monotonic()
            shown.print(what, soft_wrap=True, markup=False)

    yield tell
