"""The trusted part: checks a proof file, and believes nothing in it.

This file imports the standard library and numpy only, so it can be read, and run, by itself:

    python checker.py proof.json [weights.safetensors]

It accepts a proof if, and only if, every one of these holds (docs/proof.md argues why they suffice):

    agreement   each pair's rules are those of the reference state it stands for
    inputs      the listed patterns hold every input of the language, and start in the invariant
    pushes      each listed push gives a pattern that stands for at least the contents pushed
    invariant   each configuration has rules for all it may read, and its successors are in the invariant
    weights     each rule is what the weights decide, at the hidden state given, with the margin claimed;
                what follows lies as near to the next hidden state as claimed; the step counts follow
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HALT, MISSING = -1, -2
OFFSETS = ((0, 1), (0, -1), (-1, 0), (1, 0), (0, 0))
MOTIONS = "UDLRSN"
UNIT = {"exact": 0.0, "float64": 2.0**-53, "float32": 2.0**-24}
Items = tuple[tuple[int, int, bool], ...]


class Rejected(Exception):
    """The proof does not hold; the message says where."""


def demand(condition: Any, message: str) -> None:
    if not condition:
        raise Rejected(message)


def check(proof_bytes: bytes, weights_bytes: bytes | None = None) -> dict[str, Any]:
    """What the proof shows, or `Rejected`."""
    try:
        proof = json.loads(proof_bytes)
        demand(isinstance(proof, dict) and proof.get("format") == "dfst-proof/1", "not a proof file of format dfst-proof/1")
        rest = {key: value for key, value in proof.items() if key != "digest"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()
        demand(hashlib.sha256(text).hexdigest() == proof["digest"], "the file was changed: its digest does not fit")
        shown: dict[str, Any] = {"subject": proof["subject"], "reference": proof["reference"]["name"]}
        shown["reference_sha256"] = _check_agreement(proof)
        shown["configurations"] = _check_invariant(proof)
        if proof["weights"] is not None:
            demand(weights_bytes is not None, "the proof is about weights; give the .safetensors file too")
            shown["steps"] = _check_weights(proof, weights_bytes or b"")
        else:
            demand(weights_bytes is None, "the proof is about a machine, not about weights")
        return shown
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, zlib.error, OverflowError) as error:
        raise Rejected(f"the file is damaged: {type(error).__name__}: {error}") from error


def _array(packed: dict[str, Any], dtype: str, dimensions: int) -> NDArray[Any]:
    demand(packed["dtype"] == dtype and len(packed["shape"]) == dimensions, f"an array is not {dtype}/{dimensions}")
    return np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), dtype=dtype).reshape(packed["shape"])


def _table(packed: dict[str, Any], symbols: int) -> tuple[Any, Any, Any]:
    write, motion, following = (_array(packed[part], "int32", 2) for part in ("write", "motion", "next"))
    demand(write.shape == motion.shape == following.shape and write.shape[1] == symbols, "a table has the wrong shape")
    given = following != MISSING
    demand(((following >= MISSING) & (following < len(following))).all(), "a rule leads nowhere")
    demand(((write[given] >= 0) & (write[given] < symbols)).all(), "a rule writes no symbol")
    demand(((motion[given] >= 0) & (motion[given] < len(OFFSETS))).all(), "a rule makes no motion")
    return write, motion, following


def _check_agreement(proof: dict[str, Any]) -> str:
    symbols = len(proof["alphabet"])
    write, motion, following = _table(proof["machine"], symbols)
    reference = _table(proof["reference"], symbols)
    stands_for = _array(proof["states"], "int32", 1)
    demand(len(stands_for) == len(write) and stands_for[0] == 0, "the start does not stand for the reference's start")
    demand(((stands_for >= 0) & (stands_for < len(reference[0]))).all(), "a pair stands for no state")
    for p, x in zip(*np.nonzero(following != MISSING), strict=True):
        q = stands_for[p]
        target = following[p, x] if following[p, x] < 0 else stands_for[following[p, x]]
        rule = tuple(int(part[q, x]) for part in reference)
        demand(rule == (write[p, x], motion[p, x], target), f"pair {p} and state {q} differ on symbol {x}")
    content = [[part.tolist() for part in reference], proof["alphabet"], proof["blank"]]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _units(items: Items) -> list[tuple[int, bool]]:
    """A pattern as units (column, exactly once); a unit that is not "once" stands for one or more.

    c⁺c and cc⁺ are the same, so "or more" is moved to the last of equal columns, where it needs no guessing.
    """
    units: list[tuple[int, bool]] = []
    for c, count, more in items:
        if units and units[-1] == (c, False):
            units[-1], more = (c, True), True
        units += [(c, True)] * (count - 1) + [(c, not more)]
    return units


class _Patterns:
    """The patterns of one side: what they stand for, and what they come apart into."""

    def __init__(self, listed: list[Any], columns: list[tuple[int, ...]], blank: tuple[int, ...]) -> None:
        self.columns, self.blank = columns, blank
        self.items: list[Items] = [tuple((int(c), int(n), bool(more)) for c, n, more in stack) for stack in listed]
        for items in self.items:
            demand(all(0 <= c < len(columns) and 1 <= n <= 64 for c, n, _ in items), "a pattern is malformed")
        self.same: dict[Items, int] = {}
        self.popped: dict[int, list[tuple[int, int]]] = {}
        self.number = [self.same.setdefault(items, i) for i, items in enumerate(self.items)]

    def pop(self, stack: int) -> list[tuple[int, int]]:
        """Every (column, pattern below) of a pattern; n or more of a column leave n-1, or n or more."""
        if stack not in self.popped:
            self.popped[stack] = self._pop(stack)
        return self.popped[stack]

    def _pop(self, stack: int) -> list[tuple[int, int]]:
        if not self.items[stack]:
            return [(self.columns.index(self.blank), stack)]
        (c, n, more), rest = self.items[stack][0], self.items[stack][1:]
        below = [rest if n == 1 else ((c, n - 1, False), *rest)] + ([self.items[stack]] if more else [])
        demand(all(items in self.same for items in below), "a pattern's remainder is not listed")
        return [(c, self.same[items]) for items in below]

    def within(self, small: Items, large: Items) -> bool:
        """Whether all that `small` stands for, `large` stands for too (may say no where it is so)."""
        units = [_units(small), _units(large)]
        known: dict[tuple[int, int], bool] = {}

        def follow(i: int, j: int) -> bool:
            """Unit i onwards of small within unit j onwards of large; a unit is (column, exactly once)."""
            if (i, j) not in known:
                # i and j never fall, so only the step that keeps both comes back here while this is open: for it,
                # "so far nothing speaks against it" is the right answer.
                known[i, j] = True
                known[i, j] = step(i, j)
            return known[i, j]

        def step(i: int, j: int) -> bool:
            if i == len(units[0]):
                return all(self._covers(self.columns[c], self.blank) for c, _ in units[1][j:])
            c, once = units[0][i]
            if j == len(units[1]):
                return self.columns[c] == self.blank and follow(i + 1, j)
            cover, cover_once = units[1][j]
            if not self._covers(self.columns[cover], self.columns[c]):
                return False
            choices = [j + 1] if cover_once else [j, j + 1]
            return all(any(follow(a, b) for b in choices) for a in ([i + 1] if once else [i, i + 1]))

        return follow(0, 0)

    @staticmethod
    def _covers(large: tuple[int, ...], small: tuple[int, ...]) -> bool:
        return all(a & b == b for a, b in zip(large, small, strict=True))


def _check_invariant(proof: dict[str, Any]) -> int:
    symbols, (low, high) = len(proof["alphabet"]), proof["rows"]
    height, home = high - low + 1, -low
    demand(0 <= home < height <= 64 and 0 <= proof["blank"] < symbols, "the rows do not hold the input")
    blank = (1 << proof["blank"],) * height
    columns = [tuple(int(cell) for cell in column) for column in proof["columns"]]
    demand(all(len(c) == height and all(0 < cell < 1 << symbols for cell in c) for c in columns), "a column is malformed")
    number = {c: i for i, c in enumerate(columns)}
    demand(blank in number, "the blank column is not listed")
    sides = [_Patterns(proof[side], columns, blank) for side in ("left", "right")]
    pushes: dict[tuple[int, int, int, int], list[int]] = {}
    for side, stack, c, row, after in _array(proof["pushes"], "int32", 2).tolist():
        demand(min(side, stack, c, row, after) >= 0, "a push is malformed")
        patterns = sides[side]
        fits = patterns.within(((c, 1, False), *patterns.items[stack]), patterns.items[after])
        demand(fits, f"a push onto pattern {stack} forgets too much")
        pushes.setdefault((side, patterns.number[stack], c, row), []).append(patterns.number[after])
    write, motion, following = (part.tolist() for part in _table(proof["machine"], symbols))
    listed = _array(proof["invariant"], "int32", 2)
    demand(listed.shape[1] == 5 and (listed >= 0).all(), "the invariant is malformed")
    invariant = {
        (sides[0].number[a], p, row, c, sides[1].number[b]) for a, p, row, c, b in listed.tolist()
    }
    demand(all(p < len(write) and row < height and c < len(columns) for _, p, row, c, _ in invariant), "a configuration is malformed")
    _check_inputs(proof, sides, number, invariant, blank, home)
    for a, p, row, c, b in invariant:
        groups: dict[tuple[int, int, int], int] = {}
        for x in range(symbols):
            if columns[c][row] >> x & 1:
                demand(following[p][x] != MISSING, f"pair {p} may read symbol {x} and has no rule")
                kept = -1 if write[p][x] == x else write[p][x]
                rule = (kept, motion[p][x], following[p][x])
                groups[rule] = groups.get(rule, 0) | 1 << x
        for (kept, move, target), group in groups.items():
            if target == HALT:
                continue
            cell = group if kept < 0 else 1 << kept
            written = number.get((*columns[c][:row], cell, *columns[c][row + 1 :]), -1)
            dx, dy = OFFSETS[move]
            if dx == 0:
                fits = 0 <= row + dy < height and (a, target, row + dy, written, b) in invariant
            elif dx < 0:
                fits = any(
                    all((rest, target, row, under, after) in invariant for under, rest in sides[0].pop(a))
                    for after in pushes.get((1, b, written, row), ())
                )
            else:
                fits = any(
                    all((after, target, row, under, rest) in invariant for under, rest in sides[1].pop(b))
                    for after in pushes.get((0, a, written, row), ())
                )
            demand(fits, f"the invariant is left from pair {p}, row {row + low}")
    return len(invariant)


def _check_inputs(
    proof: dict[str, Any],
    sides: list[_Patterns],
    number: dict[tuple[int, ...], int],
    invariant: set[tuple[int, int, int, int, int]],
    blank: tuple[int, ...],
    home: int,
) -> None:
    used: list[set[int]] = []
    for side, patterns in zip(("left", "right"), sides, strict=True):
        language, starts = proof["inputs"][side], set()
        column = (*blank[:home], language["symbols"], *blank[home + 1 :])
        demand(language["symbols"] == 0 or column in number, "no column holds the input's symbols")
        repeated = bool(language["symbols"])
        for n in range(int(language["at_least"]) if repeated else 0, 64):
            exactly: Items = ((number[column], n, False),) if n else ()
            holds = [s for s in language["patterns"] if patterns.within(exactly, patterns.items[s])]
            demand(holds, f"no pattern holds the inputs with {n} symbols on the {side}")
            starts.add(patterns.number[holds[0]])
            or_more: Items = ((number[column], n, True),) if n else ()
            holds = [s for s in language["patterns"] if patterns.within(or_more, patterns.items[s])]
            if holds and (n or not repeated):
                starts.add(patterns.number[holds[0]])
                break
        else:
            raise Rejected(f"the patterns do not hold all inputs on the {side}")
        used.append(starts)
    head = number.get((*blank[:home], proof["inputs"]["head"], *blank[home + 1 :]), -1)
    for a in used[0]:
        for b in used[1]:
            demand((a, 0, home, head, b) in invariant, "an input is not in the invariant")


def _read_weights(data: bytes) -> tuple[dict[str, NDArray[Any]], str, str]:
    """Tensors, motions and fingerprint of a safetensors file."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    meta = header.pop("__metadata__")
    tensors = {}
    for name in ("A", "B", "C", "h0"):
        begin, end = header[name]["data_offsets"]
        dtype = {"F32": np.float32, "F64": np.float64}[header[name]["dtype"]]
        tensors[name] = np.frombuffer(data[8 + size + begin : 8 + size + end], dtype).reshape(header[name]["shape"])
    meaning = [meta["alphabet"].split(" "), meta["motions"].split(" "), meta["start"], str(tensors["h0"].dtype)]
    digest = hashlib.sha256(json.dumps(meaning).encode())
    for name in ("A", "B", "C", "h0"):
        digest.update(tensors[name].tobytes())
    return tensors, meta["motions"].replace(" ", ""), digest.hexdigest()


def _check_weights(proof: dict[str, Any], data: bytes) -> dict[str, float]:
    claim = proof["weights"]
    tensors, motions, fingerprint = _read_weights(data)
    demand(fingerprint == claim["fingerprint"], "these are not the weights the proof is about")
    dtype = str(tensors["h0"].dtype)
    exact = claim["arithmetic"] == "bits"
    hidden = _array(claim["hidden"], dtype if exact else "float64", 2)
    contexts = _array(claim["contexts"], "int32", 1)
    write, motion, following = _table(proof["machine"], len(proof["alphabet"]))
    demand(len(contexts) == len(write) and contexts.min() >= 0, "a pair has no hidden state")
    demand((hidden[contexts[0]] == tensors["h0"]).all(), "the first hidden state is not h0")
    d, symbols = len(tensors["h0"]), len(proof["alphabet"])
    stacked = np.concatenate([tensors["A"], tensors["B"], tensors["C"]], axis=1).astype(hidden.dtype)
    for p, x in zip(*np.nonzero(following != MISSING), strict=True):
        h = hidden[contexts[p]]
        out = np.zeros(stacked.shape[1], dtype=hidden.dtype)
        for j in range(d):  # in order, one rounding an operation: to the bit what the rollouts compute
            out += stacked[x, :, j] * h[j]
        scores = (out[d : d + symbols], out[d + symbols :])
        made = motions[int(np.argmax(scores[1]))]
        target = int(following[p, x])
        wanted = "S" if target == HALT else "N" if motion[p, x] == 4 else MOTIONS[motion[p, x]]
        demand(np.argmax(scores[0]) == write[p, x] and made == wanted, f"the weights decide otherwise at pair {p}, {x}")
        lead = min(np.inf if len(s) < 2 else np.sort(s)[-1] - np.sort(s)[-2] for s in scores)
        demand(lead >= claim["margin"] > 0, f"the margin at pair {p}, symbol {x} is {lead}")
        if target >= 0:
            away = np.abs(out[:d] - hidden[contexts[target]]).max()
            demand(away <= (0 if exact else claim["radius"]), f"pair {p}, symbol {x} misses the next hidden state by {away}")
    if exact:
        return {dtype: np.inf}
    raise Rejected("unsupported arithmetic")


def main(arguments: list[str]) -> int:
    """Check the files named; 0 if the proof holds."""
    if len(arguments) not in (1, 2):
        print("expected: checker.py PROOF.json [WEIGHTS.safetensors]", file=sys.stderr)
        return 2
    try:
        shown = check(*(Path(name).read_bytes() for name in arguments))
    except OSError as error:
        print(f"cannot read {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except Rejected as reason:
        print(f"rejected: {reason}")
        return 1
    print(json.dumps({"accepted": True, **shown}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
