"""The trusted part: checks a proof file, and believes nothing in it.

This file imports the standard library and numpy only, so it can be read, and run, by itself:

    python checker.py proof.json [weights.safetensors]

It accepts a proof only if every one of these holds (docs/proof.md argues why they suffice):

    agreement   each pair's rules are those of the reference state it stands for
    pushes      each listed push gives a pattern that stands for at least the contents pushed
    inputs      every input of the language is in the invariant
    invariant   each configuration has rules for all it may read, and its successors are in the invariant
    weights     each rule is what the weights decide, at the hidden state given, with the margin claimed;
                what follows lies as near to the next hidden state as claimed
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
Items = tuple[tuple[int, int, bool], ...]
Column = tuple[int, ...]
Table = list[NDArray[Any]]  # write, motion, next: (states, symbols) each


class Rejected(Exception):
    """The proof does not hold; the message says where."""


def demand(condition: Any, message: str) -> None:
    if not condition:
        raise Rejected(message)


def check(proof_bytes: bytes, weights_bytes: bytes | None = None) -> dict[str, Any]:
    """What the proof shows, or `Rejected`."""
    try:
        proof = json.loads(proof_bytes)
        demand(proof["format"] == "dfst-proof/1", "not a proof file of format dfst-proof/1")
        rest = {key: value for key, value in proof.items() if key != "digest"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()
        demand(hashlib.sha256(text).hexdigest() == proof["digest"], "its digest does not fit")
        demand(
            (proof["weights"] is None) == (weights_bytes is None), "a proof about weights needs their file"
        )
        tables = [_table(proof[part], len(proof["alphabet"])) for part in ("machine", "reference")]
        shown = {
            "subject": proof["subject"],
            "reference": proof["reference"]["name"],
            "reference_sha256": _check_agreement(proof, *tables),
            "inputs": proof["inputs"],
            "configurations": _check_invariant(proof, tables[0]),
        }
        if weights_bytes is not None:
            shown["arithmetic"] = _check_weights(proof, weights_bytes, tables[0])
        return shown
    except Rejected:
        raise
    except Exception as error:  # whatever a damaged file can cause
        raise Rejected(f"the file is damaged: {type(error).__name__}: {error}") from error


def _array(packed: dict[str, Any], dtype: str, dimensions: int) -> NDArray[Any]:
    shape, data = packed["shape"], zlib.decompress(base64.b64decode(packed["data"]))
    demand(packed["dtype"] == dtype and len(shape) == dimensions, f"an array is not {dtype}/{dimensions}")
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def _table(packed: dict[str, Any], symbols: int) -> Table:
    parts = [_array(packed[part], "int32", 2) for part in ("write", "motion", "next")]
    demand(all(part.shape == (len(parts[0]), symbols) for part in parts), "a table has a wrong shape")
    write, motion, following = parts
    given = following != MISSING
    demand(((following >= MISSING) & (following < len(following))).all(), "a rule leads nowhere")
    demand(((write[given] >= 0) & (write[given] < symbols)).all(), "a rule writes no symbol")
    demand(((motion[given] >= 0) & (motion[given] < len(OFFSETS))).all(), "a rule makes no motion")
    return parts


def _check_agreement(proof: dict[str, Any], machine: Table, reference: Table) -> str:
    stands_for, following = _array(proof["states"], "int32", 1), machine[2]
    demand(len(stands_for) == len(following) and stands_for[0] == 0, "the start stands for another state")
    demand(((stands_for >= 0) & (stands_for < len(reference[0]))).all(), "a pair stands for no state")
    for p, x in np.argwhere(following != MISSING):
        q, target = stands_for[p], following[p, x]
        rule = (machine[0][p, x], machine[1][p, x], target if target < 0 else stands_for[target])
        demand(rule == tuple(part[q, x] for part in reference), f"pair {p} and state {q} differ on {x}")
    content = [[part.tolist() for part in reference], proof["alphabet"], proof["blank"]]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _units(items: Items) -> list[tuple[int, bool]]:
    """A pattern as units (column, exactly once); a unit that is not "once" stands for one or more.

    c⁺c and cc⁺ are the same, so "or more" is moved to the last of equal columns, where it needs no guessing.
    """
    units: list[tuple[int, bool]] = []
    for c, times, more in items:
        if units and units[-1] == (c, False):
            units[-1], more = (c, True), True
        units += [(c, True)] * (times - 1) + [(c, not more)]
    return units


class _Patterns:
    """The patterns of one side: what they stand for, and what they come apart into."""

    def __init__(self, listed: list[Any], columns: list[Column], blank: Column) -> None:
        self.columns, self.blank = columns, blank
        self.items: list[Items] = [tuple((int(c), int(n), bool(m)) for c, n, m in stack) for stack in listed]
        for items in self.items:
            demand(all(0 <= c < len(columns) and 1 <= n <= 64 for c, n, _ in items), "a pattern is malformed")
        self.same: dict[Items, int] = {}
        self.number = [self.same.setdefault(items, i) for i, items in enumerate(self.items)]

    def pop(self, stack: int) -> list[tuple[int, int]]:
        """Every (column, pattern below); one less than "n or more" is n-1, or n or more."""
        if not self.items[stack]:
            return [(self.columns.index(self.blank), stack)]
        (c, n, more), rest = self.items[stack][0], self.items[stack][1:]
        below = [rest if n == 1 else ((c, n - 1, False), *rest)] + ([self.items[stack]] if more else [])
        demand(all(items in self.same for items in below), "what is left of a pattern is not listed")
        return [(c, self.same[items]) for items in below]

    def within(self, small: Items, large: Items) -> bool:
        """Whether all that `small` stands for, `large` stands for too (may say no where it is so)."""
        one, two = _units(small), _units(large)
        known: dict[tuple[int, int], bool] = {}

        def follow(i: int, j: int) -> bool:
            """Whether one[i:] is within two[j:]."""
            if (i, j) not in known:
                # i and j never fall, so only a step that keeps both asks this again while it is open; for
                # that step "nothing speaks against it" is the right answer.
                known[i, j] = True
                known[i, j] = step(i, j)
            return known[i, j]

        def step(i: int, j: int) -> bool:
            if i == len(one):
                return all(_covers(self.columns[c], self.blank) for c, _ in two[j:])
            c, once = one[i]
            if j == len(two):
                return self.columns[c] == self.blank and follow(i + 1, j)
            cover, cover_once = two[j]
            if not _covers(self.columns[cover], self.columns[c]):
                return False
            choices = [j + 1] if cover_once else [j, j + 1]
            return all(any(follow(a, b) for b in choices) for a in ([i + 1] if once else [i, i + 1]))

        return follow(0, 0)


def _covers(large: Column, small: Column) -> bool:
    return all(a & b == b for a, b in zip(large, small, strict=True))


def _check_invariant(proof: dict[str, Any], machine: Table) -> int:
    symbols, (low, high) = len(proof["alphabet"]), proof["rows"]
    height, home = high - low + 1, -low
    demand(0 <= home < height <= 64 and 0 <= proof["blank"] < symbols, "the rows do not hold the input")
    blank = (1 << proof["blank"],) * height
    columns = [tuple(int(cell) for cell in column) for column in proof["columns"]]
    full = 1 << symbols
    demand(all(len(c) == height and all(0 < s < full for s in c) for c in columns), "a column is malformed")
    number = {c: i for i, c in enumerate(columns)}
    sides = [_Patterns(proof[side], columns, blank) for side in ("left", "right")]
    pushes: dict[tuple[int, int, int, int], list[int]] = {}
    for side, stack, c, row, after in _array(proof["pushes"], "int32", 2).tolist():
        demand(min(side, stack, c, row, after) >= 0, "a push is malformed")
        patterns = sides[side]
        fits = patterns.within(((c, 1, False), *patterns.items[stack]), patterns.items[after])
        demand(fits, f"a push onto pattern {stack} forgets contents")
        pushes.setdefault((side, patterns.number[stack], c, row), []).append(patterns.number[after])
    listed = _array(proof["invariant"], "int32", 2)
    demand((listed >= 0).all(), "the invariant is malformed")
    invariant = {(sides[0].number[a], p, row, c, sides[1].number[b]) for a, p, row, c, b in listed.tolist()}
    starts = _starts(proof["inputs"], sides, pushes, home)
    demand(starts and starts <= invariant, "an input is not included")
    write, motion, following = (part.tolist() for part in machine)
    for a, p, row, c, b in invariant:
        groups: dict[tuple[int, int, int], int] = {}
        for x in range(symbols):
            if columns[c][row] >> x & 1:
                demand(following[p][x] != MISSING, f"pair {p} may read symbol {x} and has no rule")
                rule = (-1 if write[p][x] == x else write[p][x], motion[p][x], following[p][x])
                groups[rule] = groups.get(rule, 0) | 1 << x
        for (written, move, target), group in groups.items():
            if target == HALT:
                continue
            cell = group if written < 0 else 1 << written
            left = number.get((*columns[c][:row], cell, *columns[c][row + 1 :]), -1)
            dx, dy = OFFSETS[move]
            if dx == 0:
                options = [[(a, target, row + dy, left, b)]] if 0 <= row + dy < height else []
            elif dx < 0:
                after = pushes.get((1, b, left, row), [])
                options = [[(rest, target, row, under, t) for under, rest in sides[0].pop(a)] for t in after]
            else:
                after = pushes.get((0, a, left, row), [])
                options = [[(t, target, row, under, rest) for under, rest in sides[1].pop(b)] for t in after]
            inside = any(all(successor in invariant for successor in option) for option in options)
            demand(inside, f"the invariant is left from pair {p}, row {row + low}")
    return len(invariant)


def _starts(inputs: Any, sides: list[_Patterns], pushes: dict[Any, list[int]], home: int) -> set[Any]:
    """A configuration for every input: the paths of its automaton, their symbols pushed farthest first."""
    blank, reached = sides[0].blank, []
    laid = {c[home]: i for i, c in enumerate(sides[0].columns) if c[:home] + c[home + 1 :] == blank[1:]}
    backwards = [(q, cell, p) for p, cell, q in inputs["after"]]
    for side, edges, first in ((0, inputs["before"], [0]), (1, backwards, inputs["accepting"])):
        found = [(state, sides[side].same[()]) for state in first]
        for state, stack in found:  # grows while it is walked
            for cell, q in [(cell, q) for p, cell, q in edges if p == state]:
                after = pushes.get((side, stack, laid.get(cell, -1), home), [])
                demand(after, "an input is not included")
                if (q, after[0]) not in found:
                    found.append((q, after[0]))
        reached.append(found)
    heads = [(p, laid.get(cell, -1), q) for p, cell, q in inputs["head"]]
    pairs = [(p, a, q, b) for p, a in reached[0] for q, b in reached[1]]
    return {(a, 0, home, c, b) for p, c, q in heads for state, a, end, b in pairs if (state, end) == (p, q)}


def _read_weights(data: bytes) -> tuple[dict[str, NDArray[Any]], list[list[str]], str]:
    """Tensors, (alphabet, motions) and fingerprint of a safetensors file."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    meta, tensors = header["__metadata__"], {}
    for name in ("A", "B", "C", "h0"):
        begin, end = (8 + size + offset for offset in header[name]["data_offsets"])
        dtype = {"F32": np.float32, "F64": np.float64}[header[name]["dtype"]]
        tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(header[name]["shape"])
    lists = [meta[name].split(" ") for name in ("alphabet", "motions")]
    meaning = json.dumps([*lists, meta["start"], str(tensors["h0"].dtype)]).encode()
    digest = hashlib.sha256(meaning + b"".join(tensor.tobytes() for tensor in tensors.values()))
    return tensors, lists, digest.hexdigest()


def _check_weights(proof: dict[str, Any], data: bytes, machine: Table) -> str:
    claim, (write, motion, following) = proof["weights"], machine
    tensors, (alphabet, motions), fingerprint = _read_weights(data)
    demand(fingerprint == claim["fingerprint"], "these are not the weights the proof is about")
    same = [
        a == b or i == proof["blank"]
        for i, (a, b) in enumerate(zip(alphabet, proof["alphabet"], strict=True))
    ]
    demand(all(same), "the weights have another alphabet")
    exact, dtype = claim["arithmetic"] == "bits", str(tensors["h0"].dtype)
    hidden = _array(claim["hidden"], dtype if exact else "float64", 2)
    contexts = _array(claim["contexts"], "int32", 1)
    demand(len(contexts) == len(write) and contexts.min() >= 0, "a pair has no hidden state")
    demand((hidden[contexts[0]] == tensors["h0"]).all(), "the first hidden state is not h0")
    d, symbols = len(tensors["h0"]), len(proof["alphabet"])
    stacked = np.concatenate([tensors["A"], tensors["B"], tensors["C"]], axis=1).astype(hidden.dtype)
    for p, x in np.argwhere(following != MISSING):
        h, out, target = hidden[contexts[p]], np.zeros(stacked.shape[1], dtype=hidden.dtype), following[p, x]
        for j in range(d):  # in order, one rounding an operation: to the bit what the rollouts compute
            out += stacked[x, :, j] * h[j]
        scores = (out[d : d + symbols], out[d + symbols :])
        wanted = (write[p, x], "S" if target == HALT else "UDLRN"[motion[p, x]])
        found = (np.argmax(scores[0]), motions[np.argmax(scores[1])])
        demand(found == wanted, f"the weights decide otherwise at pair {p}, symbol {x}")
        lead = min(np.diff(np.sort(score))[-1] for score in scores if len(score) > 1)
        demand(lead >= claim["margin"] > 0, f"the margin at pair {p}, symbol {x} is {lead}")
        if target != HALT:
            away = np.abs(out[:d] - hidden[contexts[target]]).max()
            demand(away <= (0 if exact else claim["radius"]), f"pair {p} misses what follows by {away}")
    return str(claim["arithmetic"])


def main(arguments: list[str]) -> int:
    """Check the files named; 0 if the proof holds, 1 if not, 2 if they cannot be read."""
    try:
        shown = check(*(Path(name).read_bytes() for name in arguments))
    except Rejected as reason:
        print(f"rejected: {reason}")
        return 1
    except (OSError, TypeError) as error:
        print(f"expected checker.py PROOF.json [WEIGHTS.safetensors]: {error}", file=sys.stderr)
        return 2
    print(json.dumps({"accepted": True, **shown}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
