"""A set of traces, end to end in three flat arrays: no padding, one hash, one file.

Legend: n traces, T tokens in all; trace i is the slice start[i]:start[i+1].
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from dfst.errors import InputError
from dfst.files import write_atomically
from dfst.world.grid import MOTIONS
from dfst.world.trace import Trace

FORMAT = "dfst-traces/1"


@dataclass(frozen=True, eq=False)
class TraceSet:
    """Traces of one subject."""

    subject: str
    alphabet: tuple[str, ...]
    motions: tuple[str, ...]
    inputs: tuple[str, ...]
    x: NDArray[np.uint8]
    """(T,) symbol read"""
    s: NDArray[np.uint8]
    """(T,) symbol written"""
    m: NDArray[np.uint8]
    """(T,) motion made"""
    start: NDArray[np.int64]
    """(n + 1,) where each trace begins; the last entry is T"""

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, i: int) -> Trace:
        piece = slice(self.start[i], self.start[i + 1])
        return Trace(self.subject, self.inputs[i], self.alphabet, self.x[piece], self.s[piece], self.m[piece])

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.start)

    @property
    def tokens(self) -> int:
        return len(self.x)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything the learner sees."""
        digest = hashlib.sha256(json.dumps([self.alphabet, self.motions]).encode())
        for array in (self.x, self.s, self.m, self.start):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def subset(self, chosen: Sequence[int]) -> TraceSet:
        """The chosen traces, in the order given."""
        return gather([self[i] for i in chosen], self.subject, self.alphabet, self.motions)


def gather(
    traces: Sequence[Trace], subject: str, alphabet: tuple[str, ...], motions: tuple[str, ...] = MOTIONS
) -> TraceSet:
    """Traces of one subject as a set."""
    start = np.zeros(len(traces) + 1, dtype=np.int64)
    np.cumsum([len(t) for t in traces], out=start[1:])
    empty = [np.zeros(0, dtype=np.uint8)]
    x, s, m = (np.concatenate([getattr(t, f) for t in traces] or empty) for f in ("x", "s", "m"))
    return TraceSet(subject, alphabet, motions, tuple(t.input for t in traces), x, s, m, start)


def save_traces(traces: TraceSet, path: str | Path) -> None:
    """Write the set as one safetensors file, all or nothing."""
    metadata = {
        "format": FORMAT,
        "subject": traces.subject,
        "alphabet": " ".join(traces.alphabet),
        "motions": " ".join(traces.motions),
        "inputs": json.dumps(traces.inputs, ensure_ascii=False),
        "fingerprint": traces.fingerprint,
    }
    tensors: dict[str, NDArray[Any]] = {"x": traces.x, "s": traces.s, "m": traces.m, "start": traces.start}
    write_atomically(path, save_tensors(tensors, metadata))


def load_traces(path: str | Path) -> TraceSet:
    """Read a set of traces; its hash must be the one it was saved with."""
    try:
        data = Path(path).read_bytes()
        tensors = load_tensors(data)
        metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")]).get("__metadata__", {})
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}; give a file saved by `dfst trace`"
        ) from error
    except (SafetensorError, ValueError) as error:
        raise InputError(
            f"{path} is no trace file: expected safetensors with x, s, m, start ({error})"
        ) from error
    if metadata.get("format") != FORMAT or set(tensors) != {"x", "s", "m", "start"}:
        raise InputError(
            f"{path}: expected a trace file of format {FORMAT!r}, found {metadata.get('format')!r}"
        )
    traces = TraceSet(
        metadata["subject"],
        tuple(metadata["alphabet"].split(" ")),
        tuple(metadata["motions"].split(" ")),
        tuple(json.loads(metadata["inputs"])),
        tensors["x"],
        tensors["s"],
        tensors["m"],
        tensors["start"],
    )
    if traces.fingerprint != metadata["fingerprint"]:
        raise InputError(
            f"{path}: its content does not match its hash; the file is damaged, record the traces again"
        )
    return traces
