"""Inputs as they are given on the command line: words, or a file with one on each line."""

from __future__ import annotations

import gzip
import zlib
from os.path import isfile
from pathlib import Path

from dfst.errors import InputError


def lines_given(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The inputs themselves; where a file is named, which may be packed by gzip, each of its lines."""
    if len(inputs) != 1 or not isfile(inputs[0]):
        return inputs
    file = inputs[0]
    try:
        content = Path(file).read_bytes()
        text = (gzip.decompress(content) if file.endswith(".gz") else content).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"cannot read {file}: {reason}; give inputs, each on its line") from error
    if not text:
        raise InputError(f"{file}: expected inputs, each on its line, found none")
    return tuple(dict.fromkeys(text.splitlines()))
