"""Peak memory of the longest evaluation of the paper, where unrolling filled 80 GB: a process of its own.

The process itself says how large it became. What the system tells its parent (`ru_maxrss`) would be no less
than the parent's own size: a child begins as a copy of it, and on Linux that counts even after `exec`.
"""

from __future__ import annotations

import subprocess
import sys
import time

from dfst.bench.turns import Row
from dfst.paper import TASKS

DIGITS = TASKS["add2"].tested_digits
BAR = 1000
"""Megabytes, at most."""
CHILD = """
import sys
from dfst.bench.memory import peak_megabytes
from dfst.cli import execute
status = execute(sys.argv[1:])
print(peak_megabytes())
sys.exit(status)
"""


def row(command: str, seconds: float, megabytes: float) -> Row:
    """One evaluation, and the largest resident size of its process."""
    passes = megabytes < BAR
    return {"command": command, "seconds": seconds, "megabytes": megabytes, "bar": BAR, "passes": passes}


def measure(subject: str, digits: int = DIGITS) -> Row:
    """Evaluate in a new process and let it tell its largest size."""
    arguments = ["evaluate", subject, "--digits", str(digits)]
    began = time.perf_counter()
    child = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, check=False
    )
    if child.returncode != 0:
        raise RuntimeError(f"dfst {' '.join(arguments)} failed: {child.stdout}{child.stderr}")
    megabytes = float(child.stdout.splitlines()[-1])
    return row("dfst " + " ".join(arguments), time.perf_counter() - began, megabytes)


def peak_megabytes() -> float:
    """The largest resident size this process has had since its program began."""
    if sys.platform == "linux":
        with open("/proc/self/status") as status:
            sizes = [line.split()[1] for line in status if line.startswith("VmHWM:")]
        return int(sizes[0]) * 1024 / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
