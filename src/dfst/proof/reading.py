"""The trusted part that reads files: JSON without surprises, packed arrays, tables of rules."""

import base64
import hashlib
import json
import math
import os
import zlib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

FORMAT = "dfst-proof/4"
HALT, MISSING = -1, -2
OFFSETS = ((0, 1), (0, -1), (-1, 0), (1, 0), (0, 0))
"""(dx, dy) of the motions of a table: up, down, left, right, stay"""
DTYPES = {"int32": "<i4", "float64": "<f8"}
MOST_BYTES, MOST_WORK, LARGEST = 1 << 24, 2_000_000, 1 << 30
"""Bytes of a proof file; what may be done for one, about 5 s and within 1 GB; the largest of its numbers"""
PATIENT = 1 << 60  # work for a proof that its reader trusts not to be hostile
Array = NDArray[Any]
Table = tuple[Array, Array, Array]  # write, motion, next: (states, symbols) each
Column = tuple[int, ...]  # a set of symbols (bits) for each row


class Rejected(Exception):
    """The proof does not hold; the message says where."""


class Unreadable(Rejected):
    """It is no proof of this subject at all: damaged, of another format, or about something else."""


def demand(condition: Any, message: str, kind: type[Rejected] = Rejected) -> None:
    if not condition:
        raise kind(message)


class Work:
    """How much may still be done for a proof, counted before it is done; a step takes about 2 μs."""

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left

    def spend(self, steps: int) -> None:
        self.left -= steps
        demand(self.left >= 0, "to check it takes more than some seconds (--patient allows it)", Unreadable)


def no_repeated_key(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    demand(len({key for key, _ in pairs}) == len(pairs), "a key is given twice", Unreadable)
    return dict(pairs)


def at_most(path: str | Path, size: int = MOST_BYTES) -> bytes:
    """The bytes of a file, or one too many."""
    # a pipe would wait for somebody who writes
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        return file.read(size + 1) or b""


def read(data: bytes, work: Work) -> dict[str, Any]:
    """The proof as JSON without repeated keys or fractions, its format and its digest checked."""

    def refuse(text: str) -> NoReturn:
        raise Unreadable(f"{text[:20]} is no whole number")

    demand(len(data) <= MOST_BYTES, f"a proof has at most {MOST_BYTES:,} bytes", Unreadable)
    work.spend(sum(map(data.count, (b"[", b"{", b":", b","))))
    proof = json.loads(data, object_pairs_hook=no_repeated_key, parse_float=refuse, parse_constant=refuse)
    found = proof.get("format") if isinstance(proof, dict) else None
    if isinstance(found, str) and found.startswith("dfst-") and found != FORMAT:
        raise Unreadable(f"it has the format {found!r:.30}, this checker reads {FORMAT}; prove it again")
    demand(found == FORMAT, "it is no proof file", Unreadable)
    demand(digest(proof) == proof["digest"], "it is damaged: its digest does not fit", Unreadable)
    return proof


def digest(proof: dict[str, Any]) -> str:
    """A hash of all of the proof but the hash itself: against damage, not against forgery."""
    rest = {key: value for key, value in proof.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def whole(value: Any, low: int = 0, high: int = LARGEST) -> int:
    demand(type(value) is int and low <= value <= high, f"{value!r:.40} is no whole number {low} to {high}")
    return int(value)


def array(packed: dict[str, Any], dtype: str, work: Work) -> Array:
    """An array of two dimensions."""
    demand(packed["dtype"] == dtype and len(packed["shape"]) == 2, f"an array is not {dtype} in rows")
    shape = [whole(size) for size in packed["shape"]]
    work.spend(math.prod(shape))
    size = math.prod(shape) * np.dtype(DTYPES[dtype]).itemsize
    data = zlib.decompressobj().decompress(base64.b64decode(packed["data"], validate=True), size + 1)
    demand(len(data) == size, "an array has another size than it says")
    return np.frombuffer(data, dtype=DTYPES[dtype]).reshape(shape)


def rows(packed: dict[str, Any], width: int, work: Work) -> list[list[int]]:
    found = array(packed, "int32", work)
    demand(found.shape[1] == width, f"an array has not {width} numbers in a row")
    listed = found.tolist()
    demand(len(set(map(tuple, listed))) == len(listed), "an array says something twice")
    return listed


def covers(large: Column, small: Column) -> bool:
    return all(a & b == b for a, b in zip(large, small, strict=True))


def replaced(column: Column, row: int, cell: int) -> Column:
    return (*column[:row], cell, *column[row + 1 :])


def read_table(packed: dict[str, Any], symbols: int, work: Work) -> Table:
    write, motion, following = (array(packed[part], "int32", work) for part in ("write", "motion", "next"))
    shape, given = (max(len(write), 1), symbols), following != MISSING
    demand(write.shape == motion.shape == following.shape == shape, "a table has a wrong shape")
    demand(((following >= MISSING) & (following < len(following))).all(), "a rule leads nowhere")
    demand(((write[given] >= 0) & (write[given] < symbols)).all(), "a rule writes no symbol")
    demand(((motion[given] >= 0) & (motion[given] < len(OFFSETS))).all(), "a rule makes no motion")
    return write, motion, following


def table_hash(table: Table, alphabet: list[str], blank: int) -> str:
    """The name of a machine: its rules, its alphabet, its blank."""
    given = table[2] != MISSING
    rules = [np.where(given, part, 0).tolist() for part in table[:2]] + [table[2].tolist()]
    return hashlib.sha256(json.dumps([rules, alphabet, blank], ensure_ascii=False).encode()).hexdigest()
