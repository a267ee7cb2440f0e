"""A DFST as plain arrays, and its file: all that running, extracting and proving need, without torch.

    h ← A[x] h     symbol = argmax B[x] h     motion = argmax C[x] h     (h of before the update)

Legend: Σ symbols, M motions, d hidden size. The file is safetensors with the tensors A, B, C, h0 and
string metadata (`format` = `dfst/1`, alphabet, motions, where the head starts, how it was trained).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from dfst.agents.agent import encode_plain
from dfst.agents.task import Layout, Task, find_task
from dfst.errors import InputError
from dfst.files import write_atomically
from dfst.world.grid import BLANK, MOTION_NAMES, MOTIONS

FORMAT = "dfst/1"


@dataclass(frozen=True)
class Shape:
    """The sizes of a DFST; its parameters as one flat vector are A, B, C, h0 in this order."""

    symbols: int
    motions: int
    d: int

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.symbols * self.d * (self.d + self.symbols + self.motions) + self.d

    def split(self, flat: Any) -> tuple[Any, Any, Any, Any]:
        """Views A (…,Σ,d,d), B (…,Σ,Σ,d), C (…,Σ,M,d), h0 (…,d) of a flat (…, size) array or tensor."""
        k, m, d = self.symbols, self.motions, self.d
        a, b, c = k * d * d, k * k * d, k * m * d
        lead = flat.shape[:-1]
        return (
            flat[..., :a].reshape(*lead, k, d, d),
            flat[..., a : a + b].reshape(*lead, k, k, d),
            flat[..., a + b : a + b + c].reshape(*lead, k, m, d),
            flat[..., a + b + c :],
        )


@dataclass(frozen=True, eq=False)
class Weights:
    """A DFST ready to act."""

    A: NDArray[Any] = field(repr=False)
    """(Σ, d, d)"""
    B: NDArray[Any] = field(repr=False)
    """(Σ, Σ, d)"""
    C: NDArray[Any] = field(repr=False)
    """(Σ, M, d)"""
    h0: NDArray[Any] = field(repr=False)
    """(d,)"""
    alphabet: tuple[str, ...]
    motions: tuple[str, ...] = MOTIONS
    layout: Layout = "operator"
    """Where the head starts on the input."""
    name: str = "dfst"
    task: Task | None = None
    training: Mapping[str, str] = field(default_factory=dict)
    """How the weights came about: samples, data_seed, seed, iterations, recipe."""

    def __post_init__(self) -> None:
        k, m, d = len(self.alphabet), len(self.motions), self.h0.shape[-1] if self.h0.ndim else 0
        if self.h0.dtype not in (np.float32, np.float64):
            raise InputError(f"{self.name}: tensor h0 must be float32 or float64, found {self.h0.dtype}")
        expected = {"A": (k, d, d), "B": (k, k, d), "C": (k, m, d), "h0": (d,)}
        for name, shape in expected.items():
            tensor = getattr(self, name)
            if tensor.shape != shape:
                raise InputError(
                    f"{self.name}: tensor {name} must have shape {shape} "
                    f"for {k} symbols and {m} motions, found {tensor.shape}"
                )
            if tensor.dtype != self.h0.dtype:
                raise InputError(
                    f"{self.name}: tensor {name} must be {self.h0.dtype} like h0, found {tensor.dtype}"
                )
            if not np.isfinite(tensor).all():
                raise InputError(
                    f"{self.name}: tensor {name} holds NaN or infinity; the training run diverged"
                )
        if BLANK not in self.alphabet:
            raise InputError(
                f"{self.name}: the alphabet must hold the blank {BLANK}, found {' '.join(self.alphabet)}"
            )
        if "S" not in self.motions or not set(self.motions) <= set(MOTION_NAMES):
            raise InputError(
                f"{self.name}: motions must be among U D L R S N with S, found {' '.join(self.motions)}"
            )

    @property
    def blank(self) -> int:
        return self.alphabet.index(BLANK)

    @property
    def shape(self) -> Shape:
        return Shape(len(self.alphabet), len(self.motions), len(self.h0))

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.h0.dtype

    def motion_codes(self) -> NDArray[np.uint8]:
        """(M,) the motion of `dfst.world.grid` that each row of C stands for."""
        return np.array([MOTION_NAMES.index(m) for m in self.motions], dtype=np.uint8)

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""
        if self.task is not None:
            return self.task.encode(text)
        return encode_plain(text, self.alphabet, self.blank, self.layout, self.name)

    def astype(self, dtype: Any) -> Weights:
        """The same weights in another precision."""
        A, B, C, h0 = (np.ascontiguousarray(t, dtype=dtype) for t in (self.A, self.B, self.C, self.h0))
        return replace(self, A=A, B=B, C=C, h0=h0)

    def flat(self) -> NDArray[Any]:
        """(size,) all parameters as one vector, in the order of `Shape.split`."""
        return np.concatenate([self.A.ravel(), self.B.ravel(), self.C.ravel(), self.h0])

    def fingerprint(self) -> str:
        """A hash of the numbers and of what they mean."""
        digest = hashlib.sha256(
            json.dumps([self.alphabet, self.motions, self.layout, str(self.dtype)]).encode()
        )
        for tensor in (self.A, self.B, self.C, self.h0):
            digest.update(np.ascontiguousarray(tensor).tobytes())
        return digest.hexdigest()

    def run(self, text: str = "", *args: Any, **kwargs: Any) -> Any:
        """Let the model work on an input, in closed loop."""
        from dfst.rollout.compiled import run_compiled

        return run_compiled(self, text, *args, **kwargs)


def weights_from_flat(flat: NDArray[Any], like: Weights) -> Weights:
    """Weights with other numbers and the same meaning."""
    A, B, C, h0 = (np.array(part) for part in like.shape.split(flat))
    return replace(like, A=A, B=B, C=C, h0=h0)


def to_bytes(weights: Weights) -> bytes:
    """The weights file as bytes."""
    metadata = {
        "format": FORMAT,
        "task": weights.task.name if weights.task else "",
        "name": weights.name,
        "alphabet": " ".join(weights.alphabet),
        "motions": " ".join(weights.motions),
        "start": weights.layout,
        **{key: str(value) for key, value in weights.training.items()},
    }
    tensors = {n: np.ascontiguousarray(getattr(weights, n)) for n in ("A", "B", "C", "h0")}
    return save_tensors(tensors, metadata)


def save_weights(weights: Weights, path: str | Path) -> None:
    """Write a weights file, all or nothing."""
    write_atomically(path, to_bytes(weights))


def load_weights(path: str | Path) -> Weights:
    """Read a weights file, checked."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; give a .safetensors file") from error
    return from_bytes(data, str(path))


def from_bytes(data: bytes, origin: str) -> Weights:
    """Weights out of the bytes of a file called `origin`."""
    try:
        tensors = load_tensors(data)
        length = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + length]).get("__metadata__", {})
    except (SafetensorError, ValueError, KeyError) as error:
        raise InputError(
            f"{origin} is no weights file: expected safetensors with A, B, C, h0 ({error})"
        ) from error
    if metadata.get("format") != FORMAT:
        raise InputError(
            f"{origin}: expected metadata format {FORMAT!r}, found {metadata.get('format')!r}; "
            "it was not written by dfst"
        )
    missing = [n for n in ("A", "B", "C", "h0") if n not in tensors]
    if missing:
        raise InputError(f"{origin}: the tensor {missing[0]} is missing; expected A, B, C and h0")
    lacking = [key for key in ("alphabet", "motions", "start") if key not in metadata]
    if lacking:
        raise InputError(f"{origin}: the metadata lacks {lacking[0]!r}; it was not written by dfst")
    known = {"format", "task", "name", "alphabet", "motions", "start"}
    task = find_task(metadata["task"]) if metadata.get("task") else None
    alphabet = tuple(metadata["alphabet"].split(" "))
    if task and alphabet != task.alphabet:
        raise InputError(
            f"{origin}: task {task.name} has the alphabet {' '.join(task.alphabet)}, found another"
        )
    if task and metadata["start"] != task.layout:
        raise InputError(
            f"{origin}: task {task.name} starts at {task.layout!r}, found {metadata['start']!r}; "
            "it was not written by dfst"
        )
    return Weights(
        A=tensors["A"],
        B=tensors["B"],
        C=tensors["C"],
        h0=tensors["h0"],
        alphabet=alphabet,
        motions=tuple(metadata["motions"].split(" ")),
        layout=metadata["start"],
        name=metadata.get("name") or Path(origin).stem,
        task=task,
        training={key: value for key, value in metadata.items() if key not in known},
    )
