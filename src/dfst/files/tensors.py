"""Tensor files: safetensors with string metadata, of a format that says what must stand in them.

Whoever reads one gets arrays and metadata that are all there, or one line that says what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from dfst.errors import InputError
from dfst.files.atomic import write_atomically

Tensors = dict[str, NDArray[Any]]

HEAD = 8
"""Bytes before the header, which say how long it is."""
LONGEST_HEADER = 100_000_000
"""As safetensors has it; a first word that says more is none."""


@dataclass(frozen=True)
class TensorFormat:
    """One kind of tensor file."""

    name: str
    """Stands in the metadata as `format`."""
    what: str
    """What people call such a file: a weights file."""
    tensors: tuple[str, ...] = ()
    """Tensors it holds at least."""
    metadata: tuple[str, ...] = ()
    """Keys its metadata hold at least."""
    advice: str = "it was not written by dfst"
    """What is said of a file that is not of this format."""


def write_tensors(
    path: str | Path, kind: TensorFormat, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    """Write a tensor file, all or nothing."""
    write_atomically(path, tensors_to_bytes(kind, tensors, metadata))


def read_tensors(path: str | Path, kind: TensorFormat) -> tuple[Tensors, dict[str, str]]:
    """Arrays and metadata of a file, which are all there."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; give a .safetensors file") from error
    return tensors_from_bytes(data, kind, str(path))


def tensors_to_bytes(
    kind: TensorFormat, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> bytes:
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    return save(arrays, {"format": kind.name, **metadata})


def tensors_from_bytes(data: bytes, kind: TensorFormat, origin: str) -> tuple[Tensors, dict[str, str]]:
    """Arrays and metadata out of the bytes of a file called `origin`."""
    if (whole := _whole_length(data)) is not None and len(data) < whole:
        raise InputError(
            f"{origin} is cut off: expected {whole:,} bytes, found {len(data):,}; fetch or copy it again"
        )
    try:
        tensors = load(data)
        length = int.from_bytes(data[:HEAD], "little")
        metadata = json.loads(data[HEAD : HEAD + length]).get("__metadata__", {})
    except (SafetensorError, ValueError, KeyError) as error:
        expected = f": expected safetensors with {', '.join(kind.tensors)}" if kind.tensors else ""
        raise InputError(f"{origin} is not a {kind.what}{expected} ({error}); {kind.advice}") from error
    if metadata.get("format") != kind.name:
        raise InputError(
            f"{origin}: expected metadata format {kind.name!r}, found {metadata.get('format')!r}; "
            f"{kind.advice}"
        )
    for name in kind.tensors:
        if name not in tensors:
            raise InputError(
                f"{origin}: the tensor {name} is missing; expected {', '.join(kind.tensors)}; {kind.advice}"
            )
    for key in kind.metadata:
        if key not in metadata:
            raise InputError(f"{origin}: the metadata lack {key!r}; {kind.advice}")
    return tensors, metadata


def _whole_length(data: bytes) -> int | None:
    """How long the file is by what it says of itself: its header, and where its last tensor ends.

    Of a file that ends within its header, as far as the header goes; None where there is none.
    """
    end = HEAD + int.from_bytes(data[:HEAD], "little")
    if data[HEAD : HEAD + 1] != b"{" or end > LONGEST_HEADER:
        return None
    if len(data) < end:
        return end
    try:
        tensors = json.loads(data[HEAD:end]).values()
        return end + max(
            (tensor["data_offsets"][1] for tensor in tensors if "data_offsets" in tensor), default=0
        )
    except (ValueError, TypeError, IndexError):
        return None
