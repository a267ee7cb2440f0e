"""Tensor files: safetensors with string metadata, of a format that says what must stand in them.

Whoever reads one gets arrays and metadata that are all there, or one line that says what is wrong. Equal
content makes equal files, and a checksum in the metadata tells that nothing of it was changed.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from dfst.errors import InputError
from dfst.files.atomic import write_atomically
from dfst.files.plain import read_plain
from dfst.files.sealed import CHECKSUM, Damaged, check_format, checksum

Tensors = dict[str, NDArray[Any]]

HEAD = 8  # bytes before the header, which say how long it is
LONGEST_HEADER = 1 << 25  # a first word that says more is none
DTYPES = {
    "bool": "BOOL", "uint8": "U8", "int32": "I32", "int64": "I64",
    "float16": "F16", "float32": "F32", "float64": "F64",
}  # fmt: skip
"""numpy's name → that in a file"""


@dataclass(frozen=True)
class TensorFormat:
    """One kind of tensor file."""

    name: str  # stands in the metadata as `format`
    what: str  # what people call such a file: a weights file
    tensors: tuple[str, ...] = ()  # tensors it holds at least
    metadata: tuple[str, ...] = ()  # keys its metadata hold at least
    advice: str = "it was not written by dfst"  # what is said of a file that is not of this format
    sealed: bool = False
    """Whether there must be a checksum; others may have written the file, and left it out"""
    most_bytes: int = 1 << 28  # a larger file is refused before it is read


def write_tensors(
    path: str | Path, kind: TensorFormat, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str],
    older: Path | None = None,
) -> None:  # fmt: skip
    """Write a tensor file, all or nothing. older: where the one goes that stands there"""
    write_atomically(path, tensors_to_bytes(kind, tensors, metadata), older)


def read_tensors(path: str | Path, kind: TensorFormat) -> tuple[Tensors, dict[str, str]]:
    """Arrays and metadata of a file, which are all there."""
    data = read_plain(path, "give a .safetensors file", kind.most_bytes)
    return tensors_from_bytes(data, kind, str(path))


def tensors_to_bytes(
    kind: TensorFormat, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> bytes:
    """The file: its header, then the tensors, widest numbers first, which keeps every one aligned."""
    header: dict[str, Any] = {"__metadata__": {"format": kind.name, **metadata}}
    parts, end = [], 0
    for name, array in sorted(tensors.items(), key=lambda named: (-named[1].dtype.itemsize, named[0])):
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        begin, end = end, end + little.nbytes
        shape = list(array.shape)
        header[name] = {"dtype": DTYPES[array.dtype.name], "shape": shape, "data_offsets": [begin, end]}
        parts.append(little.reshape(-1).view(np.uint8).data)
    header["__metadata__"][CHECKSUM] = _checksum(header, *parts)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % HEAD)
    return b"".join([len(text).to_bytes(HEAD, "little"), text, *parts])  # the only copy, which may be large


def _checksum(header: Mapping[str, Any], *content: bytes | memoryview) -> str:
    """Of everything in a file but the checksum itself."""
    found = hashlib.sha256(checksum(header).encode())
    for part in content:
        found.update(part)
    return found.hexdigest()


def tensors_from_bytes(data: bytes, kind: TensorFormat, origin: str) -> tuple[Tensors, dict[str, str]]:
    """Arrays and metadata out of the bytes of a file called `origin`."""
    length = int.from_bytes(data[:HEAD], "little")
    try:
        if len(data) >= length > LONGEST_HEADER:
            raise ValueError("its header is too long")
        tensors = load(data)
        header = json.loads(data[HEAD : HEAD + length], object_pairs_hook=_once)
        metadata = header.get("__metadata__", {})
    except (SafetensorError, ValueError, KeyError, RecursionError) as error:
        if (whole := _whole_length(data)) is not None and len(data) < whole:
            told = f"{origin} is cut off: expected {whole:,} bytes, found {len(data):,}"
            raise Damaged(f"{told}; fetch or copy it again") from error
        expected = f": expected safetensors with {', '.join(kind.tensors)}" if kind.tensors else ""
        raise InputError(f"{origin} is not a {kind.what}{expected} ({error}); {kind.advice}") from error
    check_format(metadata.get("format"), kind.name, origin, kind.advice)
    if kind.sealed or CHECKSUM in metadata:
        found = metadata.pop(CHECKSUM, "")
        if found != _checksum(header, data[HEAD + length :]):
            raise Damaged(f"{origin} is damaged: its checksum does not fit; {kind.advice}")
    if name := next((name for name in kind.tensors if name not in tensors), None):
        expected = f"expected {', '.join(kind.tensors)}"
        raise InputError(f"{origin}: the tensor {name} is missing; {expected}; {kind.advice}")
    if key := next((key for key in kind.metadata if key not in metadata), None):
        raise InputError(f"{origin}: the metadata lack {key!r}; {kind.advice}")
    return tensors, metadata


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two entries with one name, another reader might take the other."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice in its header")
    return dict(pairs)


def _whole_length(data: bytes) -> int | None:
    """How long the file is by what it says of itself: its header, and where its last tensor ends. Of a file
    that ends within its header, as far as the header goes; None where there is none."""
    end = HEAD + int.from_bytes(data[:HEAD], "little")
    if data[HEAD : HEAD + 1] != b"{" or end > LONGEST_HEADER:
        return None
    if len(data) < end:
        return end
    try:
        tensors = json.loads(data[HEAD:end]).values()
        return end + max([0, *(tensor["data_offsets"][1] for tensor in tensors if "data_offsets" in tensor)])
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, RecursionError):
        return None
