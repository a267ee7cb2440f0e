"""JSON Lines files: an object on each line, so that a table can grow while others read it.

A line is on the disk before the next one begins. A crash can only leave a last line without its end: readers
pass over it, and `mend` takes it away before more is written.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.files import write_atomically
from dfst.files.plain import read_plain

Line = dict[str, Any]


def parse_lines(data: bytes, origin: str) -> list[Line]:
    """Every whole line as an object."""
    lines = []
    for number, text in enumerate(data.split(b"\n")[:-1], 1):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict):
            raise InputError(f"{origin}, line {number}: expected a JSON object; remove the line to go on")
        lines.append(line)
    return lines


class JsonLines:
    """The file; whoever writes it holds its folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def read(self) -> list[Line]:
        """Every whole line; none where there is no file yet."""
        return parse_lines(self._content(), str(self.path))

    def mend(self) -> None:
        """Take away what follows the last whole line."""
        data = self._content()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            write_atomically(self.path, whole)

    def _content(self) -> bytes:
        return read_plain(self.path, "move it away to go on") if self.path.exists() else b""

    def append(self, line: Line) -> None:
        """Add a line, and wait until it is on the disk."""
        with open(self.path, "ab") as file:
            file.write(_text(line).encode())
            file.flush()
            os.fsync(file.fileno())

    def replace(self, lines: Iterable[Line]) -> None:
        """Put these lines in the place of all others: a reader sees the old file or the new one."""
        write_atomically(self.path, "".join(map(_text, lines)))


def _text(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
