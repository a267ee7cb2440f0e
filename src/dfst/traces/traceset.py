"""A set of traces, end to end in three flat arrays: no padding, one hash, one file.

Legend: n traces, T tokens in all; trace i is the slice start[i]:start[i+1].
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.files.sealed import Damaged
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors
from dfst.world.grid import MOTION_NAMES, MOTIONS, N
from dfst.world.trace import UNKNOWN, Trace

TENSORS = ("x", "s", "m", "start")
TRACES = TensorFormat(
    "dfst-traces/1", "trace file", TENSORS, ("subject", "alphabet", "motions", "inputs", "fingerprint"),
    "record the traces again", sealed=True, most_bytes=1 << 29,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class TraceSet:
    """Traces of one subject."""

    subject: str
    alphabet: tuple[str, ...]
    motions: tuple[str, ...]
    inputs: tuple[str, ...]
    x: NDArray[np.uint8]  # (T,) symbol read
    s: NDArray[np.uint8]  # (T,) symbol written, or UNKNOWN
    m: NDArray[np.uint8]  # (T,) motion made, or UNKNOWN
    start: NDArray[np.int64]  # (n + 1,) where each trace begins; the last entry is T

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'trace')}, {counted(self.tokens, 'step')}"
        return f"<TraceSet of {self.subject}: {size}, symbols {' '.join(self.alphabet)}>"

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

    @property
    def known(self) -> NDArray[np.bool_]:
        """(T,) whether it is known what was done in a step."""
        return np.asarray(self.m != UNKNOWN)

    @property
    def targets(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """s and m for a loss in which unknown steps have no weight: any number will do for them."""
        return self.s * self.known, self.m * self.known

    def without(self, steps: NDArray[np.bool_]) -> TraceSet:
        """The same traces, what was done in these steps (T,) unknown."""
        s, m = (np.where(steps, UNKNOWN, array).astype(np.uint8) for array in (self.s, self.m))
        return replace(self, s=s, m=m)

    def subset(self, chosen: Sequence[int]) -> TraceSet:
        """The chosen traces, in the order given."""
        return gather([self[i] for i in chosen], self.subject, self.alphabet, self.motions)


def gather(
    traces: Sequence[Trace], subject: str, alphabet: tuple[str, ...], motions: tuple[str, ...] = ()
) -> TraceSet:
    """Traces of one subject as a set. motions: by default with N where one of them makes it"""
    if not motions:
        motions = MOTION_NAMES if any((trace.m == N).any() for trace in traces) else MOTIONS
    start = np.zeros(len(traces) + 1, dtype=np.int64)
    np.cumsum([len(t) for t in traces], out=start[1:])
    empty = [np.zeros(0, dtype=np.uint8)]
    x, s, m = (np.concatenate([getattr(t, f) for t in traces] or empty) for f in ("x", "s", "m"))
    return TraceSet(subject, alphabet, motions, tuple(t.input for t in traces), x, s, m, start)


def joined(one: TraceSet, other: TraceSet) -> TraceSet:
    """The traces of both."""
    every = [*(one[i] for i in range(len(one))), *(other[i] for i in range(len(other)))]
    return gather(every, one.subject, one.alphabet, max(one.motions, other.motions, key=len))


def save_traces(traces: TraceSet, path: str | Path) -> None:
    """Write the set as one safetensors file, all or nothing."""
    metadata = {
        "subject": traces.subject,
        "alphabet": " ".join(traces.alphabet),
        "motions": " ".join(traces.motions),
        "inputs": json.dumps(traces.inputs, ensure_ascii=False),
        "fingerprint": traces.fingerprint,
    }
    if any(" " in symbol for symbol in traces.alphabet):
        metadata["symbols"] = json.dumps(traces.alphabet, ensure_ascii=False)  # spaces part them no more
    write_tensors(path, TRACES, {name: getattr(traces, name) for name in TENSORS}, metadata)


def load_traces(path: str | Path) -> TraceSet:
    """Read a set of traces, which is whole, of the right shapes and within its alphabet."""
    tensors, metadata = read_tensors(path, TRACES)
    try:
        symbols = json.loads(metadata.get("symbols", "null")) or metadata["alphabet"].split(" ")
        traces = TraceSet(
            metadata["subject"], tuple(symbols), tuple(metadata["motions"].split(" ")),
            tuple(json.loads(metadata["inputs"])), *(tensors[name] for name in TENSORS),
        )  # fmt: skip
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(f"{path}: its metadata are damaged ({error}); record the traces again") from error
    if not _is_sound(traces) or traces.fingerprint != metadata["fingerprint"]:
        raise Damaged(
            f"{path}: its content does not match its hash; the file is damaged, record the traces again"
        )
    return traces


def _is_sound(traces: TraceSet) -> bool:
    """Whether the arrays have the shapes, types and ranges that compiled code relies on."""
    x, s, m, start = (getattr(traces, name) for name in TENSORS)
    return (
        x.ndim == 1
        and all(array.dtype == np.uint8 and array.shape == x.shape for array in (x, s, m))
        and (start.dtype, start.shape) == (np.int64, (len(traces) + 1,))
        and (start[0], start[-1]) == (0, len(x))
        and bool((np.diff(start) >= 0).all())
        and max(x.max(initial=0), s[s != UNKNOWN].max(initial=0)) < len(traces.alphabet)
        and m[m != UNKNOWN].max(initial=0) < len(traces.motions)
        and all(isinstance(text, str) for text in (*traces.alphabet, *traces.inputs))
    )
