"""A file of recorded additions of a given size, as somebody might hand in; python recorded.py MB FILE"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np

from dfst.experts import expert
from dfst.machines.compiled import record
from dfst.traces.recording import write_recording
from dfst.world.trace import Trace

DIGITS = 20


def record_additions(path: Path, megabytes: float) -> int:
    """Write traces of add10 on random numbers of up to 20 digits; how many bytes it became, unpacked."""
    agent, rng = expert("add10"), np.random.default_rng(100)
    traces: list[Trace] = []
    size = 0.0
    while size < megabytes * 1e6:
        one, two = ("".join(map(str, rng.integers(0, 10, rng.integers(1, DIGITS + 1)))) for _ in range(2))
        traces.append(record(agent, f"{one}+{two}"))
        size += 4 * len(traces[-1]) + len(json.dumps(["input", "read", "wrote", "moved", one, two]))
    write_recording(path, agent, traces)
    data = path.read_bytes()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(data, compresslevel=1))
    return len(data)


if __name__ == "__main__":
    print(f"{record_additions(Path(sys.argv[2]), float(sys.argv[1])):,} bytes")
