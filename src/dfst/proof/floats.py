"""The trusted part that computes with a model's weights: what they decide, and how long rounding lets them.

To the bit: at every learnt state, the sums over the hidden units, taken in order and rounded after
each operation as the rollouts do, give decisions that lead strictly, and the very bits of the next learnt
state. So the run never leaves the learnt states. Where all numbers are whole and small no sum is ever
rounded, and the same holds in float32 and in float64, in any order.

Bounded: let e part the hidden state from its learnt state h. A step makes it A[x] e, plus what parts A[x] h
from the next learnt state, plus rounding. It is measured by |e| = ‖Z e‖₁; the proof chooses Z, and Y near
its inverse (any will do, a good choice covers more steps). With `growth` at least the norm of every A[x] in
this measure and `noise` at least what an edge adds, |e| is at most noise · (1 + growth + … + growth^(t-1))
after t steps; decisions stand while this is below `allowed`, the smallest lead over the slope of its scores.

Every bound is rounded up. A sum of n products errs by γ = n·unit/(1 - n·unit) times the sum of their sizes,
whatever its order; UP makes up for the roundings of a bound itself. Standard library and numpy only.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dfst.proof.reading import HALT, MISSING, Array, Table, Unreadable, demand, no_repeated_key

MOTIONS = "UDLRN"  # what the motions 0 to 4 of a table are called by a model that goes on; it halts by S
ANY_ORDER, IN_ORDER = "whatever the order of the sums", "sums taken in order, each operation rounded once"
FLOATS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}
MOST_UNITS, MOST_BYTES, MOST_HEADER = 2_048, 1 << 27, 1 << 20
FARTHEST = 10**18  # steps beyond which no bound is given
UP = 1 + 2.0**-40  # more than two sums of 2,048 float64 numbers of one sign can be off by, relatively


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
            for rows, wanted in _decisions(model, write[c, x], motion[c, x], following[c, x]):
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


def _decisions(model: Model, written: int, motion: int, following: int) -> list[tuple[slice, int]]:
    """(rows of the symbols, the one to win), and the same of the motions; a model halts by S."""
    d, symbols, name = len(model.h0), len(model.alphabet), "S" if following == HALT else MOTIONS[motion]
    demand(name in model.motions, f"the weights have no motion {name}")
    return [(slice(d, d + symbols), int(written)), (slice(d + symbols, None), model.motions.index(name))]


class Bounds(NamedTuple):
    """What errors can do to a model in the measure, and how near it is without; rounded to the safe side."""

    growth: float
    noise: float
    allowed: float
    radius: float  # the farthest that a learnt state is carried from the next one, largest component
    margin: float  # the smallest lead of a decision, at the learnt states


def bounded(model: Model, hidden: Array, table: Table, Z: Array, Y: Array) -> dict[str, Any]:
    """For how many steps no rounding in the file's own format can change a decision; else `Rejected`."""
    with np.errstate(all="ignore"):
        found = error_bounds(model, hidden, table, Z, Y)
    growth, noise, allowed, radius, margin = found
    shown = {"arithmetic": f"in {model.h0.dtype.name} as it runs", "sums": ANY_ORDER}
    return {**shown, "radius": radius, "margin": margin, "steps": covered_steps(growth, noise, allowed)}


def error_bounds(model: Model, hidden: Array, table: Table, Z: Array, Y: Array) -> Bounds:
    """See the head of this file."""
    write, motion, following = table
    W, d, info = model.stacked.astype("<f8"), len(model.h0), np.finfo(model.h0.dtype)
    here, there = (unit * (d + 1) / (1 - unit * (d + 1)) * UP for unit in (2.0**-53, float(info.eps) / 2))
    """γ of what is computed here, and of the model's own arithmetic"""
    tiny = max(4.0 * d * float(info.tiny), 2.0**-700)
    """More than underflow takes from a sum, in either, as no number here is beyond 2^200"""
    demand(Z.shape == Y.shape == (d, d), "the measure is malformed")
    demand(all((np.abs(part) <= 2.0**200).all() for part in (W, hidden, Z, Y)), "the numbers may overflow")
    demand((hidden[0] == model.h0).all(), "the first learnt state is not h0")
    lost = _norm(np.abs(np.eye(d) - Y @ Z) + 2 * here * (np.abs(Y) @ np.abs(Z)) + tiny)
    demand(lost < 0.25, "the measure is not inverted")
    back = _norm(np.abs(Y)) / (1 - lost) * UP  # ‖e‖₁ ≤ back · |e|, since e = (YZ)⁻¹ Y (Z e)
    growth, noise, radius, margin, allowed = 1.0, 0.0, 0.0, np.inf, 1e6
    for A in W[(following >= 0).any(axis=0), :d]:
        # Z A e = Z A Y (Z e) + Z A (I - YZ) e, and its rounding
        size = np.abs(Z) @ np.abs(A)
        kept = _norm(np.abs(Z @ A @ Y) + 3 * here * (size @ np.abs(Y)) + tiny)
        growth = max(growth, (kept + _norm(size) * (lost + there) * back) * UP)
    for c, x in np.argwhere(following != MISSING).tolist():
        out, size = W[x] @ hidden[c], np.abs(W[x]) @ np.abs(hidden[c]) * UP + tiny
        for rows, wanted in _decisions(model, write[c, x], motion[c, x], following[c, x]):
            lead = float((out[rows][wanted] - np.delete(out[rows], wanted)).min(initial=np.inf))
            sure = lead - 4 * (here + there) * float(size[rows].max()) - 2 * tiny
            demand(sure > 0, f"the weights do not decide so at learnt state {c}, symbol {x}")
            slope = 2 * (1 + there) * float(np.abs(W[x, rows]).max()) * back
            margin, allowed = min(margin, lead), min(allowed, sure / (slope * UP + tiny) / UP)
        if following[c, x] != HALT:
            away = np.abs(out[:d] - hidden[following[c, x]]) * UP + 2 * here * size[:d]
            radius = max(radius, float(away.max()))
            noise = max(noise, float((np.abs(Z) @ (away + 2 * there * size[:d] + tiny)).sum()) * UP)
    top = float(np.abs(W).max()) * d * (float(np.abs(hidden).max()) + back * allowed)
    least = float(abs(hidden[(following != MISSING).any(1)]).max(1).min(initial=np.inf))
    demand(top < 2**59 and least > 2**-56, "the numbers may overflow")  # nor be rescaled
    return Bounds(growth, noise, min(allowed, 0.9 * least / back), radius, margin)


def _norm(matrix: Array) -> float:
    """‖·‖₁ of a matrix of positive numbers, rounded up."""
    return float(matrix.sum(axis=0).max()) * UP


def covered_steps(growth: float, noise: float, allowed: float) -> int:
    """How many decisions stand: n with noise · (1 + growth + … + growth^(t-1)) < allowed for all t < n.

    Step by step at first, then by growth^t ≤ exp(y) ≤ 1 + y + y² for y = t · (growth - 1) ≤ 1, in rationals.
    """
    n, error = 0, 0.0
    while n < 10_000 and error < allowed:
        n, error = n + 1, math.nextafter(math.nextafter(growth * error, math.inf) + noise, math.inf)
    if n < 10_000:
        return n
    rate, each, most = Fraction(growth) - 1, Fraction(noise), Fraction(allowed)
    fits, fails = n - 1, FARTHEST
    while fails - fits > 1:
        t = (fits + fails) // 2
        y = t * rate
        fits, fails = (t, fails) if y <= 1 and t * each * (1 + y + y * y) < most else (fits, t)
    return fits + 1
