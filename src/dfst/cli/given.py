"""Inputs as they are given on the command line: words, or a file with one on each line."""

from __future__ import annotations

import zlib
from gzip import GzipFile
from io import BytesIO
from os.path import isfile

from dfst.errors import InputError
from dfst.files.plain import MOST_BYTES, as_text, read_plain

ADVICE = "give inputs, each on its line"


def lines_given(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The inputs themselves; where a file is named, which may be packed by gzip, each of its lines."""
    if len(inputs) != 1 or not isfile(inputs[0]):
        return inputs
    file = inputs[0]
    content = read_plain(file, ADVICE)
    if file.endswith(".gz"):
        try:
            content = GzipFile(fileobj=BytesIO(content)).read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"cannot read {file}: it is not packed by gzip, or damaged; {ADVICE}") from error
        if len(content) > MOST_BYTES:
            raise InputError(f"{file}: expected at most {MOST_BYTES:,} bytes, found more; {ADVICE}")
    text = as_text(content, file, ADVICE)
    if not text:
        raise InputError(f"{file}: expected inputs, each on its line, found none")
    return tuple(dict.fromkeys(text.splitlines()))
