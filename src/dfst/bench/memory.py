"""Peak memory of the longest evaluation of the paper, where unrolling filled 80 GB: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass

from dfst.paper import TASKS

SUBJECT = "compiled:add2"
DIGITS = TASKS["add2"].tested_digits
BAR = 1000
"""Megabytes, at most."""


@dataclass(frozen=True)
class Row:
    """One evaluation."""

    command: str
    seconds: float
    megabytes: float
    """Largest resident size"""

    @property
    def passes(self) -> bool:
        return self.megabytes < BAR

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "bar": BAR, "passes": self.passes}


def measure(subject: str = SUBJECT, digits: int = DIGITS) -> Row:
    """Evaluate in a new process and ask the system for its largest size."""
    arguments = ["evaluate", subject, "--digits", str(digits)]
    began = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        code = "import sys; from dfst.cli import main; main(sys.argv[1:])"
        process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if process.returncode != 0:
            raise RuntimeError(f"dfst {' '.join(arguments)} failed: {said.read().decode()}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Row("dfst " + " ".join(arguments), time.perf_counter() - began, used.ru_maxrss * unit / 1e6)
