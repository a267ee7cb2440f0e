"""The table a sweep fills: `results.jsonl`, one JSON object a trial, in the order in which they finish.

    pandas.read_json("DIR/results.jsonl", lines=True)

Every line is on the disk before the next trial is told of it. A line that a crash cut off is taken away
when the sweep goes on; its trial left its own record in its folder, so it is written again, not run again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.files import write_atomically

Record = dict[str, Any]
"""One trial: what it was, and what came out. Flat, so that every key is a column."""
FILE = "results.jsonl"


class Results:
    """The lines of one sweep; whoever writes them holds the sweep's lock."""

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / FILE

    def read(self) -> list[Record]:
        """Every whole line. Only the last may be broken: it was being written when the machine stopped."""
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        records: list[Record] = []
        for number, line in enumerate(lines[:-1], 1):
            try:
                record = json.loads(line)
                record["trial"]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{self.path}, line {number}: expected a trial as a JSON object; "
                    "remove the line to run its trial again"
                ) from error
            records.append(record)
        return records

    def mend(self) -> None:
        """Take away what follows the last whole line."""
        if self.path.exists():
            data = self.path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if whole != data:
                write_atomically(self.path, whole)

    def append(self, record: Record) -> None:
        """Add a line, and wait until it is on the disk."""
        with open(self.path, "ab") as file:
            file.write(json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def forget_failed(self) -> list[str]:
        """Take the trials that failed out of the table, so that they run again; their names."""
        records = self.read()
        failed = [record["trial"] for record in records if record["status"] == "failed"]
        if failed:
            kept = [record for record in records if record["status"] != "failed"]
            lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in kept]
            write_atomically(self.path, "".join(lines))
        return failed
