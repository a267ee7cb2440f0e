"""The trusted part that reads a model's weights: what they decide at learnt states, to the bit.

At every learnt state, the sums over the hidden units, taken in order and rounded after each operation as the
rollouts do, give decisions that lead strictly, and the very bits of the next learnt state. So the run never
leaves the learnt states. Where all numbers are whole and small no sum is ever rounded, and the same holds in
float32 and in float64, in any order. Where hidden states do not repeat, see drift.py. Standard library and
numpy only.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dfst.proof.reading import HALT, MISSING, Array, Table, Unreadable, demand, no_repeated_key

MOTIONS = "UDLRN"  # what the motions 0 to 4 of a table are called by a model that goes on; it halts by S
ANY_ORDER, IN_ORDER = "whatever the order of the sums", "sums taken in order, each operation rounded once"
FLOATS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}
MOST_UNITS, MOST_BYTES, MOST_HEADER = 2_048, 1 << 27, 1 << 20


class Model(NamedTuple):
    """A weights file as the checker reads it."""

    stacked: Array
    """(symbols, hidden size + symbols + motions, hidden size) A, B and C of each symbol, little-endian"""
    h0: Array
    alphabet: list[str]
    motions: list[str]
    start: str
    sha256: str  # of the numbers, whichever format holds them, and of what they mean


def read_weights(data: bytes) -> Model:
    """A safetensors file of A, B, C and h0, one float format, nothing between or after them."""
    size = 8 + int.from_bytes(data[:8], "little")
    demand(len(data) <= MOST_BYTES and size <= MOST_HEADER, "weights, or their header, too large", Unreadable)
    header = json.loads(data[8:size], object_pairs_hook=no_repeated_key)
    meta = header.pop("__metadata__")
    demand(sorted(header) == ["A", "B", "C", "h0"], "a weights file holds A, B, C and h0", Unreadable)
    demand(len({entry["dtype"] for entry in header.values()}) == 1, "tensors differ in format", Unreadable)
    tensors, last = {}, 0
    for name, entry in sorted(header.items(), key=lambda named: named[1]["data_offsets"]):
        dtype, shape, (begin, end) = FLOATS[entry["dtype"]], entry["shape"], entry["data_offsets"]
        fits = begin == last and all(type(n) is int and n >= 0 for n in (*shape, begin, end))
        fits = fits and len(shape) <= 3 and end - begin == math.prod(shape) * dtype.itemsize
        demand(fits, "a tensor is damaged, or not where the one before it ends", Unreadable)
        tensors[name] = np.frombuffer(data[size + begin : size + end], dtype).reshape(shape)
        last = end
    demand(size + last == len(data), "the weights file has another size than it says", Unreadable)
    alphabet, motions = (meta[name].split(" ") for name in ("alphabet", "motions"))
    k, m, d = len(alphabet), len(motions), tensors["h0"].size
    shapes = {"A": (k, d, d), "B": (k, k, d), "C": (k, m, d), "h0": (d,)}
    demand(all(tensors[n].shape == shapes[n] for n in shapes), "a tensor has a wrong shape", Unreadable)
    fits = len(set(motions)) == m and len(set(alphabet)) == k and meta["format"] == "dfst/1"
    demand(fits and 1 <= d <= MOST_UNITS, f"no DFST of 1 to {MOST_UNITS:,} hidden units", Unreadable)
    demand(all(np.isfinite(t).all() for t in tensors.values()), "a weight is infinite or no number")
    meaning = json.dumps([alphabet, motions, meta["start"]]).encode()
    numbers = b"".join(tensors[n].astype("<f8").tobytes() for n in shapes)
    stacked = np.concatenate([tensors["A"], tensors["B"], tensors["C"]], axis=1)
    digest = hashlib.sha256(meaning + numbers).hexdigest()
    return Model(stacked, tensors["h0"], alphabet, motions, meta["start"], digest)


def to_the_bit(model: Model, hidden: Array, table: Table) -> dict[str, Any]:
    """The hidden states (float64) are the model's own, and it repeats them; else `Rejected`."""
    write, motion, following = table
    W, dtype, d = model.stacked, model.h0.dtype, len(model.h0)
    margin = np.inf
    with np.errstate(all="ignore"):
        own = hidden.astype(dtype)
        largest = float(max(np.abs(W).max(), np.abs(own).max()))  # what is never used must fit float32, too
        demand(own.astype("<f8").tobytes() == hidden.tobytes(), f"a learnt state is not in {dtype.name}")
        demand(np.isfinite(own).all(), "a learnt state is infinite or no number")
        demand(all(n == 0 or 2**-60 <= n < 2**60 for n in abs(own).max(1)), "runs rescale a learnt state")
        demand(own[0].tobytes() == model.h0.tobytes(), "the first learnt state is not h0")
        for (c, x), out in _products(W, own, following != MISSING):
            place = f"learnt state {c}, symbol {x}"
            demand(np.isfinite(out[d:]).all(), f"a score is infinite or no number at {place}")
            for rows, wanted in decisions(model, write[c, x], motion[c, x], following[c, x]):
                others = np.delete(out[rows], wanted)
                # who compares scores by their difference must not meet an infinite one either
                demand(np.isfinite(np.ptp(out[rows])), f"scores differ by more than is finite at {place}")
                demand((out[rows][wanted] > others).all(), f"the weights decide otherwise at {place}")
                margin = min(margin, float((out[rows][wanted] - others).min(initial=np.inf)))
            if following[c, x] != HALT:
                same = out[:d].tobytes() == own[following[c, x]].tobytes()
                demand(same, f"the next hidden state is another at {place}")
            largest = max(largest, float((np.abs(W[x]) @ np.abs(own[c])).max()))
    whole = all((part == np.rint(part)).all() for part in (W, own)) and largest < 2**24
    formats, sums = ("float32 and float64", ANY_ORDER) if whole else (dtype.name, IN_ORDER)
    arithmetic = f"in {formats} as it runs, to the bit"
    return {"arithmetic": arithmetic, "sums": sums, "radius": 0.0, "margin": margin, "steps": None}


def _products(W: Array, hidden: Array, met: Array) -> Iterator[tuple[tuple[int, int], Array]]:
    """W[x] h of each learnt state and symbol met: summed in order, each operation rounded once, to the bit
    what the rollouts compute."""
    for x, columns in enumerate(W):
        states = np.flatnonzero(met[:, x])
        out = np.zeros((len(states), len(columns)), W.dtype)
        for column, factors in zip(columns.T.copy(), hidden[states].T, strict=True):
            out += column * factors[:, None]
        yield from (((c, x), found) for c, found in zip(states.tolist(), out, strict=True))


def decisions(model: Model, written: int, motion: int, following: int) -> list[tuple[slice, int]]:
    """(rows of the symbols, the one to win), and the same of the motions; a model halts by S."""
    d, symbols, name = len(model.h0), len(model.alphabet), "S" if following == HALT else MOTIONS[motion]
    demand(name in model.motions, f"the weights have no motion {name}")
    return [(slice(d, d + symbols), int(written)), (slice(d + symbols, None), model.motions.index(name))]
