"""Plain files, read up to a limit: a folder, a pipe or a device is refused; reading it might never end."""

import os
import stat
from io import BufferedReader
from pathlib import Path

from dfst.errors import InputError
from dfst.files.atomic import KINDS

MOST_BYTES = 1 << 26  # of a file that is read at once


def open_plain(path: str | Path, advice: str) -> BufferedReader:
    """A plain file, open; what else stands there is refused by its kind. advice: what to do then"""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would wait for somebody who writes
    found = os.fstat(file).st_mode
    if stat.S_ISREG(found):
        return open(file, "rb")
    os.close(file)
    kind = KINDS.get(stat.S_IFMT(found), "something else")
    raise InputError(f"cannot read {path}: expected a plain file, found {kind}; {advice}")


def read_plain(path: str | Path, advice: str, most_bytes: int = MOST_BYTES) -> bytes:
    """What a file holds. advice: what to do where it cannot be read"""
    try:
        with open_plain(path, advice) as file:
            if (size := os.fstat(file.fileno()).st_size) <= most_bytes:
                return file.read()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; {advice}") from error
    raise InputError(f"{path}: expected at most {most_bytes:,} bytes, found {size:,}; {advice}")


def read_text(path: str | Path, advice: str, most_bytes: int = MOST_BYTES) -> str:
    """The same, as text."""
    return as_text(read_plain(path, advice, most_bytes), path, advice)


def as_text(data: bytes, origin: str | Path, advice: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte {data[error.start]:#04x} at {error.start:,}"
        raise InputError(f"{origin}: expected UTF-8 text, found {found}; {advice}") from error
