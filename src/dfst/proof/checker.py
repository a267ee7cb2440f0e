"""The trusted part: checks a proof file, and believes nothing in it.

This file imports the standard library and numpy only, so it can be read, and run, by itself:

    python checker.py proof.json [weights.safetensors]

A proof file holds no claims, only material. Every figure that is printed is computed here. A proof is
accepted only if all of these hold (docs/proof.md argues why they suffice):

    start       the head starts where the inputs say, and for a model where its file says
    pairs       pairs of states of the subject and the reference run in step from (0, 0); a pair has a rule
                only where both write, move and halt alike and the pair that follows is listed
    pushes      each listed push gives a pattern that stands for at least the contents pushed
    invariant   it holds every input, its configurations have rules for all they may read, and their
                successors are in it; rules that the reference of a model may lack are listed
    weights     each rule of the subject is what the weights decide at its learnt state, strictly, in finite
                numbers; what follows is the next learnt state to the bit, or so near that a number of steps
                can be counted in which no rounding in the file's own format can change a decision
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING or __package__:
    from dfst.proof import floats
else:  # run as a program, beside floats.py
    import floats

FORMAT = "dfst-proof/2"
OFFSETS = ((0, 1), (0, -1), (-1, 0), (1, 0), (0, 0))
"""(dx, dy) of the motions of a table: up, down, left, right, stay"""
BLANK = "λ"
"""What weights files call the blank."""
DTYPES = {"int32": "<i4", "float64": "<f8"}
MOST_BYTES = 1 << 30
HALT, MISSING = floats.HALT, floats.MISSING
STOPS = -3  # where a rule would lead that the reference of a model does not have
Rejected = floats.Rejected
Unreadable = floats.Unreadable
demand = floats.demand
Array = floats.Array
Table = floats.Table
Items = tuple[tuple[int, int, bool], ...]
Column = tuple[int, ...]
Rules = list[list[tuple[int, int, int] | None]]
"""(write, motion, next pair) of each pair and symbol"""


def check(proof_bytes: bytes, weights_bytes: bytes | None = None) -> dict[str, Any]:
    """What the proof shows, all of it computed here, or `Rejected`."""
    try:
        proof = read(proof_bytes)
        alphabet, inputs, start = proof["alphabet"], proof["inputs"], proof["start"]
        demand(all(type(symbol) is str for symbol in alphabet), "a symbol is no text")
        symbols = len(alphabet)
        demand(1 <= symbols == len(set(alphabet)) <= 255, "the alphabet is malformed")
        blank = _whole(proof["blank"], 0, symbols - 1)
        subject, reference = (read_table(proof[part]["table"], symbols) for part in ("subject", "reference"))
        about_weights = proof["weights"] is not None
        demand(about_weights == (weights_bytes is not None), "weights go with a proof of weights", Unreadable)
        _check_start(inputs, start, symbols)
        shown: dict[str, Any] = {
            "subject": str(proof["subject"]["name"]),
            "subject_sha256": table_hash(subject, alphabet, blank),
            "reference": str(proof["reference"]["name"]),
            "reference_sha256": table_hash(reference, alphabet, blank),
            "start": start,
            "inputs": inputs,
            "reads": _reads(inputs, alphabet),
            "states": len(subject[0]),
            **dict.fromkeys(("arithmetic", "sums", "radius", "margin", "steps")),
        }
        if weights_bytes is not None:
            shown |= _check_weights(proof, weights_bytes, subject)
        pairs = _array(proof["pairs"], "int32", 2)
        rules = _paired(pairs, subject, reference, about_weights)
        shown["configurations"], stops = _check_invariant(proof, rules, symbols, blank)
        shown["stops"] = sorted({(int(pairs[p, 1]), x) for p, x in stops})
        return shown
    except Rejected:
        raise
    except Exception as error:  # whatever a damaged file can cause
        raise Unreadable(f"the file is damaged: {type(error).__name__}: {error}") from error


def sentence(shown: dict[str, Any], inputs: str = "every input") -> str:
    """What `check` returned, as one sentence; `inputs` says in words which inputs it is about."""
    within = "on every input of any length" if inputs == "every input" else f"on {inputs}"
    if shown["steps"] is not None:
        within = f"in the first {shown['steps']:,} steps of its run on {inputs}"
    how = f", {shown['arithmetic']}" if shown["arithmetic"] else ""
    long = ", as long as that has a rule" if shown["stops"] else ""
    return f"{shown['subject']} does exactly what {shown['reference']} does {within}{long}{how}"


def read(data: bytes) -> dict[str, Any]:
    """The proof as JSON without repeated keys or fractions, its format and its digest checked."""

    def no_number(text: str) -> NoReturn:
        raise Unreadable(f"{text[:20]} is no whole number")

    proof = json.loads(
        data, object_pairs_hook=floats.no_repeated_key, parse_float=no_number, parse_constant=no_number
    )
    found = proof.get("format") if isinstance(proof, dict) else None
    if isinstance(found, str) and found.startswith("dfst-proof/") and found != FORMAT:
        raise Unreadable(f"it has the format {found!r:.30}, this checker reads {FORMAT}; prove it again")
    demand(found == FORMAT, "it is no proof file", Unreadable)
    demand(digest(proof) == proof["digest"], "it is damaged: its digest does not fit", Unreadable)
    return proof


def digest(proof: dict[str, Any]) -> str:
    """A hash of all of the proof but the hash itself: against damage, not against forgery."""
    rest = {key: value for key, value in proof.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _whole(value: Any, low: int = 0, high: int = MOST_BYTES) -> int:
    demand(type(value) is int and low <= value <= high, f"{value!r:.40} is no whole number {low} to {high}")
    return int(value)


def _array(packed: dict[str, Any], dtype: str, dimensions: int) -> Array:
    shape = [_whole(size, 0, MOST_BYTES) for size in packed["shape"]]
    size = math.prod(shape) * np.dtype(DTYPES[dtype]).itemsize
    demand(packed["dtype"] == dtype and len(shape) == dimensions, f"an array is not {dtype}/{dimensions}")
    demand(size <= MOST_BYTES, "an array is too large")
    data = zlib.decompressobj().decompress(base64.b64decode(packed["data"], validate=True), size + 1)
    demand(len(data) == size, "an array has another size than it says")
    return np.frombuffer(data, dtype=DTYPES[dtype]).reshape(shape)


def read_table(packed: dict[str, Any], symbols: int) -> Table:
    write, motion, following = (_array(packed[part], "int32", 2) for part in ("write", "motion", "next"))
    shape = (max(len(write), 1), symbols)
    demand(write.shape == motion.shape == following.shape == shape, "a table has a wrong shape")
    given = following != MISSING
    demand(((following >= MISSING) & (following < len(following))).all(), "a rule leads nowhere")
    demand(((write[given] >= 0) & (write[given] < symbols)).all(), "a rule writes no symbol")
    demand(((motion[given] >= 0) & (motion[given] < len(OFFSETS))).all(), "a rule makes no motion")
    return write, motion, following


def table_hash(table: Table, alphabet: list[str], blank: int) -> str:
    """The name of a machine: its rules, its alphabet, its blank."""
    given = table[2] != MISSING
    rules = [np.where(given, part, 0).tolist() for part in table[:2]] + [table[2].tolist()]
    return hashlib.sha256(json.dumps([rules, alphabet, blank], ensure_ascii=False).encode()).hexdigest()


def _check_start(inputs: dict[str, Any], start: str, symbols: int) -> None:
    """Inputs are paths of an automaton; one must say by itself at which of its symbols the head starts."""
    before, heads, after = (
        [(_whole(p), _whole(cell, 1, (1 << symbols) - 1), _whole(q))[1] for p, cell, q in inputs[part]]
        for part in ("before", "head", "after")
    )
    demand(all(_whole(state) >= 0 for state in inputs["accepting"]), "an input ends nowhere")
    alone = len(set(heads)) == 1 and not any(cell & heads[0] for cell in before + after)
    fits = {"first": not before, "last": not after, "operator": alone and heads[0] & (heads[0] - 1) == 0}
    demand(start in fits and fits[start], "the head does not start where the inputs say")


def _reads(inputs: dict[str, Any], alphabet: list[str]) -> str:
    """The inputs for people: the edges (state, symbols, state) before the head, of the head, and after it."""
    words = []
    for part in ("before", "head", "after"):
        sets = ["".join(s for k, s in enumerate(alphabet) if cell >> k & 1) for _, cell, _ in inputs[part]]
        edges = [f" {p}-[{names}]-{q}" for (p, _, q), names in zip(inputs[part], sets, strict=True)]
        words.append(f"{part}{''.join(edges)}; ")
    return "".join(words) + f"ends in {' '.join(map(str, inputs['accepting']))}"


def _paired(pairs: Array, subject: Table, reference: Table, about_weights: bool) -> Rules:
    """The rules of the pairs: none where one has none, or they differ, or what follows is not listed."""
    demand(pairs.shape[1] == 2 and pairs[:1].tolist() == [[0, 0]], "the first pair is not the two starts")
    ends = [len(subject[0]), len(reference[0])]
    demand(((pairs >= 0) & (pairs < ends)).all(), "a pair is of no states")
    number = {(c, q): p for p, (c, q) in enumerate(pairs.tolist())}
    demand(len(number) == len(pairs), "a pair is listed twice")
    one, two = ([part.tolist() for part in table] for table in (subject, reference))
    rules: Rules = []
    for c, q in number:
        rules.append([])
        for x in range(len(one[0][0])):
            (written, motion, mine), (wanted, other, theirs) = (
                [part[s][x] for part in table] for table, s in ((one, c), (two, q))
            )
            if theirs == MISSING and about_weights:  # a model never stops, its reference may
                rules[-1].append((x, 4, STOPS))
                continue
            if mine == theirs == MISSING:  # two machines that stop alike
                written, motion, mine, wanted, other, theirs = x, 4, HALT, x, 4, HALT
            halts = mine == theirs == HALT
            # A model halts by a motion of its own, so how the reference would still move cannot be compared.
            alike = written == wanted and (motion == other or (halts and about_weights))
            target = HALT if halts else number.get((mine, theirs), MISSING)
            fits = alike and MISSING not in (mine, theirs, target)
            rules[-1].append((written, motion, target) if fits else None)
    return rules


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
        self.items: list[Items] = []
        for stack in listed:
            demand(all(type(more) is bool for _, _, more in stack), "a pattern is malformed")
            runs = ((_whole(c, 0, len(columns) - 1), _whole(n, 1, 64), more) for c, n, more in stack)
            self.items.append(tuple(runs))
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


def _check_invariant(proof: dict[str, Any], rules: Rules, symbols: int, empty: int) -> tuple[int, set[Any]]:
    """How many configurations it has, and the (pair, symbol) at which the reference may stop."""
    low, high = (_whole(row, -64, 64) for row in proof["rows"])
    height, home = high - low + 1, -low
    demand(0 <= home < height <= 64, "the rows do not hold the input")
    blank = (1 << empty,) * height
    columns = [tuple(_whole(cell, 1, (1 << symbols) - 1) for cell in column) for column in proof["columns"]]
    number = {c: i for i, c in enumerate(columns)}
    demand(all(len(c) == height for c in columns) and len(number) == len(columns), "a column is malformed")
    sides = [_Patterns(proof[side], columns, blank) for side in ("left", "right")]
    counts = [len(side.items) for side in sides]
    pushes: dict[tuple[int, int, int, int], list[int]] = {}
    for side, stack, c, row, after in _array(proof["pushes"], "int32", 2).tolist():
        fits = side in (0, 1) and 0 <= stack < counts[side] and 0 <= after < counts[side]
        demand(fits and 0 <= c < len(columns) and 0 <= row < height, "a push is malformed")
        patterns = sides[side]
        fits = patterns.within(((c, 1, False), *patterns.items[stack]), patterns.items[after])
        demand(fits, f"a push onto pattern {stack} forgets contents")
        pushes.setdefault((side, patterns.number[stack], c, row), []).append(patterns.number[after])
    listed = _array(proof["invariant"], "int32", 2)
    ends = [counts[0], len(rules), height, len(columns), counts[1]]
    demand(listed.shape[1] == 5 and ((listed >= 0) & (listed < ends)).all(), "the invariant is malformed")
    invariant = {(sides[0].number[a], p, row, c, sides[1].number[b]) for a, p, row, c, b in listed.tolist()}
    starts = _starts(proof["inputs"], sides, pushes, home)
    demand(starts and starts <= invariant, "an input is not included")
    stops: set[tuple[int, int]] = set()
    for a, p, row, c, b in invariant:
        groups: dict[tuple[int, int, int], int] = {}
        for x in range(symbols):
            if columns[c][row] >> x & 1:
                rule = rules[p][x]
                if rule is None:
                    raise Rejected(f"pair {p} may read symbol {x}, and has no rule on which both agree")
                if rule[2] == STOPS:
                    stops.add((p, x))
                    continue
                rule = (-1 if rule[0] == x else rule[0], *rule[1:])
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
    return len(invariant), stops


def _starts(inputs: Any, sides: list[_Patterns], pushes: dict[Any, list[int]], home: int) -> set[Any]:
    """A configuration for every input: the paths of its automaton, their symbols pushed farthest first."""
    blank, reached = sides[0].blank, []
    laid = {c[home]: i for i, c in enumerate(sides[0].columns) if c[:home] + c[home + 1 :] == blank[1:]}
    backwards = [(q, cell, p) for p, cell, q in inputs["after"]]
    for side, edges, first in ((0, inputs["before"], [0]), (1, backwards, inputs["accepting"])):
        demand(() in sides[side].same, "the empty pattern is not listed")
        found = [(state, sides[side].same[()]) for state in first]
        for state, stack in found:  # grows while it is walked
            for cell, q in [(cell, q) for p, cell, q in edges if p == state]:
                after = pushes.get((side, stack, laid.get(cell, -1), home), [])
                demand(after, "an input is not included")
                if (q, after[0]) not in found:
                    found.append((q, after[0]))
        reached.append(found)
    ends = [(p, a, q, b) for p, a in reached[0] for q, b in reached[1]]
    heads = [(p, laid.get(cell, -1), q) for p, cell, q in inputs["head"]]
    return {(a, 0, home, c, b) for p, c, q in heads for state, a, end, b in ends if (state, end) == (p, q)}


def _check_weights(proof: dict[str, Any], data: bytes, table: Table) -> dict[str, Any]:
    """The subject's table is what these weights do, as far as the result says."""
    claim, model = proof["weights"], floats.read_weights(data)
    demand(model.sha256 == claim["sha256"], "these are not the weights the proof is about", Unreadable)
    alphabet, blank = list(proof["alphabet"]), proof["blank"]
    demand(model.alphabet[:blank] + model.alphabet[blank + 1 :] == alphabet[:blank] + alphabet[blank + 1 :]
           and model.alphabet[blank : blank + 1] == [BLANK], "the weights have another alphabet")  # fmt: skip
    demand(model.start == proof["start"], "the weights start elsewhere on their input")
    hidden = _array(claim["hidden"], "float64", 2)
    demand(hidden.shape == (len(table[0]), len(model.h0)), "the learnt states have a wrong shape")
    if claim["measure"] is None:
        found = floats.to_the_bit(model, hidden, table)
    else:
        to, back = (_array(claim["measure"][part], "float64", 2) for part in ("to", "back"))
        found = floats.bounded(model, hidden, table, to, back)
    return {**found, "subject_sha256": model.sha256}


def main(arguments: list[str]) -> int:
    """Check the files named; 0 if the proof holds, 1 if not, 2 if they are no proof of this subject."""
    try:
        demand(1 <= len(arguments) <= 2, "expected checker.py PROOF.json [WEIGHTS.safetensors]", Unreadable)
        shown = check(*(Path(name).read_bytes() for name in arguments))
    except (OSError, Unreadable) as error:
        print(f"cannot check: {error}", file=sys.stderr)
        return 2
    except Rejected as reason:
        print(f"rejected: {reason}")
        return 1
    print(json.dumps({"accepted": True, "claim": sentence(shown), **shown}, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
