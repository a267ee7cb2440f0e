"""The trusted part: checks a proof file, and believes nothing in it. Standard library and numpy only:

    python checker.py proof.json [weights.safetensors] [--patient]

Beside it lie reading.py, floats.py, drift.py, room.py, sweeps.py (a model's numbers) and answer_checker.py.
A proof file holds no claims, only material; every figure that is printed is computed here. A proof is
accepted only if all of these hold (docs/concepts/argument.md says why they suffice):

    inputs      there is one at least; the head starts where they say, and for a model where its file says
    pairs       pairs of states of the subject and the reference run in step from (0, 0); a pair has a rule
                only where both write, move and halt alike and the pair that follows is listed
    sides       what may lie on one side of the head is told by an automaton, whose nodes stand for stacks of
                columns; where one node is said to be inside another, its every edge is matched there
    invariant   it holds every input, its configurations have rules for all they may read, and their
                successors are in it. There need be none where each pair has a rule for each symbol
    stops       rules that the reference of a model may lack are listed, unless another invariant, of the
                reference alone, shows that it never lacks one
    weights     each rule of the subject is what the weights decide at its learnt state, strictly, in finite
                numbers; what follows is the next learnt state to the bit, or so near that a number of steps
                can be counted in which no rounding in the file's own format can change a decision; where the
                invariant bounds how much longer a run makes its tape, that is one of symbols of the input

Without a reference the claim is that the subject never halts: there are no pairs, and no rule may halt.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

if not __package__:  # run as a program: this folder is the package, and nothing of it but these six files
    for name in ("dfst", "dfst.proof"):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [str(Path(__file__).parent)]

from dfst.proof import answer_checker, drift, floats, reading, room, sweeps
from dfst.proof.reading import HALT, MISSING, OFFSETS, Column, Rejected, Table, Unreadable, Work, demand

array, rows, whole, replaced = reading.array, reading.rows, reading.whole, reading.replaced
STOPS = -3  # where a rule would lead that the reference of a model does not have
BLANK = "λ"  # what weights files call the blank
ANY_INPUT = "every input"
LONGEST_NAME = 200
Strength = Literal["refuted", "tested", "conditional", "bounded", "proved"]
Rules = list[list[tuple[int, int, int] | None]]  # (write, motion, next) of each pair, or state, and symbol


def check(proof: bytes, weights: bytes | None = None, most_work: int = reading.MOST_WORK) -> dict[str, Any]:
    """What the proof shows, all of it computed here, or `Rejected`."""
    work = Work(most_work)
    try:
        return _check(reading.read(proof, work), weights, work)
    except Rejected:
        raise
    except Exception as error:  # whatever a damaged file can cause
        raise Unreadable(f"the file is damaged: {type(error).__name__}: {error}") from error


def _check(proof: dict[str, Any], weights_bytes: bytes | None, work: Work) -> dict[str, Any]:
    alphabet, inputs, start = proof["alphabet"], proof["inputs"], proof["start"]
    demand(all(type(symbol) is str and len(symbol) <= 64 for symbol in alphabet), "a symbol is no short text")
    symbols = len(alphabet)
    demand(1 <= symbols == len(set(alphabet)) <= 255, "the alphabet is malformed")
    blank = whole(proof["blank"], 0, symbols - 1)
    subject = reading.read_table(proof["subject"]["table"], symbols, work)
    about_weights = proof["weights"] is not None
    demand(about_weights == (weights_bytes is not None), "weights go with a proof of weights", Unreadable)
    work.spend(symbols * sum(len(inputs[part]) for part in ("before", "head", "after")))
    _check_inputs(inputs, start, symbols)
    shown: dict[str, Any] = {
        "subject": _name(proof["subject"]["name"]),
        "subject_sha256": reading.table_hash(subject, alphabet, blank),
        **dict.fromkeys(("reference", "reference_sha256")),
        "start": start,
        "inputs": inputs,
        "reads": _reads(inputs, alphabet),
        "states": len(subject[0]),
        **dict.fromkeys(("arithmetic", "sums", "radius", "margin", "steps", "length", "answer")),
        "ends": False,
        "stops": [],
        "never_halts": proof["reference"] is None,
    }
    loops = about_weights and "rows" in (proof["weights"]["measure"] or ())  # only along them errors add up
    if weights_bytes is not None:
        shown |= _check_weights(proof, weights_bytes, subject, work)
    if proof["reference"] is None:
        demand(not about_weights, "of weights nothing is shown without a reference")
        rules = [[rule if rule[2] >= 0 else None for rule in state] for state in by_state(subject)]
        return shown | {"configurations": _check_invariant(proof, inputs, rules, blank, work)[0]}
    reference = reading.read_table(proof["reference"]["table"], symbols, work)
    shown["reference"] = _name(proof["reference"]["name"])
    shown["reference_sha256"] = reading.table_hash(reference, alphabet, blank)
    pairs = array(proof["pairs"], "int32", work)
    work.spend(len(pairs) * symbols)
    rules = _paired(pairs, subject, reference, about_weights)
    if proof["rows"] is None:
        demand(all(map(all, rules)), "a pair lacks a rule on which both agree")
        met = (
            (p, x) for p, row in enumerate(rules) for x, rule in enumerate(row) if rule and rule[2] == STOPS
        )
        shown["configurations"], stops = 0, set(met)
    else:
        steps: list[room.Step] | None = None if shown["steps"] is None else []
        shown["configurations"], stops = _check_invariant(proof, inputs, rules, blank, work, steps)
        if steps is not None:
            more = room.room(steps, rules, room.slow(pairs[:, 0], subject[2], loops), blank, work)
            shown["length"] = None if more is None else max(shown["steps"] - 1 - more, 0)
    if proof["alone"] is not None:
        rules = [[rule if rule[2] != MISSING else None for rule in state] for state in by_state(reference)]
        _check_invariant(proof["alone"], inputs, rules, blank, work)
        stops = set()
    shown["stops"] = sorted({(int(pairs[p, 1]), x) for p, x in stops})
    if (answer := proof["answer"]) is not None:
        answer_checker.check_answer(answer, reference, alphabet, blank, work)
        demand((inputs, start) == answer_checker.inputs_of(answer), "the answer is about other inputs")
        shown["stops"] = []  # what ends with its answer never lacks a rule
        shown |= {"answer": answer["computes"], "ends": True} if shown["steps"] is None else {}
    return shown


def strength(shown: dict[str, Any]) -> Strength:
    """How strong a statement is that `check` returned, in a word."""
    return "bounded" if shown["steps"] is not None else "conditional" if shown["stops"] else "proved"


def sentence(shown: dict[str, Any], inputs: str = ANY_INPUT) -> str:
    """What `check` returned, as one sentence; `inputs` says in words which inputs it is about."""
    if shown.get("never_halts"):
        return f"{shown['subject']} never halts on {inputs}"
    within = "on every input of any length" if inputs == ANY_INPUT else f"on {inputs}"
    if shown["length"]:
        within = f"on {inputs} of up to {shown['length']:,} symbols"
    elif shown["steps"] is not None:
        within = f"in the first {shown['steps']:,} steps of its run on {inputs}"
    how = f", {shown['arithmetic']}" if shown["arithmetic"] else ""
    long = ", as long as that has a rule" if shown["stops"] else ""
    writes = f"; {answer_checker.answer_sentence(shown['answer'])}" if shown["answer"] else ""
    return f"{shown['subject']} does exactly what {shown['reference']} does {within}{long}{how}{writes}"


def _check_inputs(inputs: dict[str, Any], start: str, symbols: int) -> None:
    """Inputs are paths of an automaton; one must say by itself at which of its symbols the head starts."""
    before, heads, after = (
        [(whole(p), whole(cell, 1, (1 << symbols) - 1), whole(q))[1] for p, cell, q in inputs[part]]
        for part in ("before", "head", "after")
    )
    accepting = {whole(state) for state in inputs["accepting"]}
    demand(len(accepting) == len(inputs["accepting"]), "an input ends nowhere, or twice")
    begun = {q for p, _, q in inputs["head"] if p in reachable(inputs["before"], {0})}
    demand(reachable(inputs["after"], begun) & accepting, "there is no input")
    alone = len(set(heads)) == 1 and not any(cell & heads[0] for cell in before + after)
    fits = {"first": not before, "last": not after, "operator": alone and heads[0] & (heads[0] - 1) == 0}
    demand(start in fits and fits[start], "the head does not start where the inputs say")


def reachable(edges: Iterable[Any], states: set[int]) -> set[int]:
    """The states that paths over these edges lead to."""
    after = defaultdict(list)
    for p, _, q in edges:
        after[p].append(q)
    found, todo = set(states), list(states)
    while todo:
        new = set(after[todo.pop()]) - found
        found |= new
        todo += new
    return found


def _name(name: Any) -> str:
    """What a file calls a machine; in quotes if it has spaces, so that it is no sentence inside the claim."""
    demand(type(name) is str and len(name) <= LONGEST_NAME and name.isprintable(), "a name is no short text")
    return name if name.split() == [name] else repr(name)


def _reads(inputs: dict[str, Any], alphabet: list[str]) -> str:
    """The inputs for people: the edges (state, symbols, state) before the head, of the head, and after it."""
    plain = [s if len(s) == 1 and s.isprintable() and s not in "[]' " else repr(s) for s in alphabet]
    words = []
    for part in ("before", "head", "after"):
        sets = ["".join(s for k, s in enumerate(plain) if cell >> k & 1) for _, cell, _ in inputs[part]]
        edges = [f" {p}-[{names}]-{q}" for (p, _, q), names in zip(inputs[part], sets, strict=True)]
        words.append(f"{part}{''.join(edges)}; ")
    return "".join(words) + f"ends in {' '.join(map(str, inputs['accepting']))}"


def by_state(table: Table) -> list[list[tuple[int, int, int]]]:
    """(write, motion, next) for each state and symbol."""
    states = zip(*(part.tolist() for part in table), strict=True)
    return [list(zip(*state, strict=True)) for state in states]


def _paired(pairs: reading.Array, subject: Table, reference: Table, about_weights: bool) -> Rules:
    """The rules of the pairs: none where one has none, or they differ, or what follows is not listed."""
    demand(pairs.shape[1] == 2 and pairs[:1].tolist() == [[0, 0]], "the first pair is not the two starts")
    ends = [len(subject[0]), len(reference[0])]
    demand(((pairs >= 0) & (pairs < ends)).all(), "a pair is of no states")
    number = {(c, q): p for p, (c, q) in enumerate(pairs.tolist())}
    demand(len(number) == len(pairs), "a pair is listed twice")
    one, two = by_state(subject), by_state(reference)
    rules: Rules = []
    for c, q in number:
        rules.append([])
        for x, (mine, theirs) in enumerate(zip(one[c], two[q], strict=True)):
            halts = mine[2] == theirs[2] == HALT
            # A model halts by a motion of its own, so how the reference would still move cannot be compared.
            alike = mine[0] == theirs[0] and (mine[1] == theirs[1] or (halts and about_weights))
            target = HALT if halts else number.get((mine[2], theirs[2]), MISSING)
            rule = (*mine[:2], target) if alike and target != MISSING else None
            if theirs[2] == MISSING and about_weights:  # a model never stops, its reference may
                rule = (x, 4, STOPS)
            elif mine[2] == theirs[2] == MISSING:  # two machines that stop alike
                rule = (x, 4, HALT)
            rules[-1].append(rule)
    return rules


class Side:
    """What may lie on one side of the head, nearest first: an automaton of edges (node, column, node below).

    A node stands for every endless stack of columns that can be read off its edges; node 0 reads blanks.
    """

    def __init__(self, packed: dict[str, Any], columns: list[Column], blank: Column, work: Work) -> None:
        self.columns, self.work = columns, work
        self.pushed: dict[tuple[Column, int], list[int]] = {}
        self.under: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.over: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for node, c, below in rows(packed["edges"], 3, work):
            self.under[node].append((whole(c, 0, len(columns) - 1), below))
            self.over[below].append((c, node))
        self.larger: dict[int, set[int]] = {}
        for small, large in (inside := rows(packed["inside"], 2, work)):
            self.larger.setdefault(small, {small}).add(large)
        for small, large in inside:
            work.spend((len(self.under[small]) + 1) * (len(self.under[large]) + 1) * len(blank))
            edges = [(columns[c], self.larger.get(x, {x})) for c, x in self.under[small]]
            wider = [(columns[c], y) for c, y in self.under[large]]
            fits = all(any(y in xs and reading.covers(d, c) for d, y in wider) for c, xs in edges)
            demand(fits, f"what node {small} stands for is not inside node {large}")
        demand(0 in self.push(blank, 0), "node 0 does not read blanks")
        self.laid: dict[int, set[int]] = defaultdict(set)
        """For each state of the inputs' automaton: nodes that stand for what its paths leave on this side"""
        for state, node in rows(packed["laid"], 2, work):
            self.laid[state].add(node)

    def push(self, column: Column, below: int) -> list[int]:
        """The nodes that stand for all stacks of `below` with this column on top."""
        if (column, below) not in self.pushed:
            larger = self.larger.get(below, {below})
            self.work.spend(len(larger))
            edges = [edge for node in larger for edge in self.over.get(node, ())]
            self.work.spend(len(edges) * len(column))
            found = [node for c, node in edges if reading.covers(self.columns[c], column)]
            self.pushed[column, below] = found
        return self.pushed[column, below]

    def holds_inputs(self, edges: list[Any], first: list[int], laid: Callable[[int], Column]) -> bool:
        """Whether each path from a first state leaves what a node laid for its last state stands for."""
        begins = all(self.larger.get(0, {0}) & self.laid[state] for state in first)
        for p, cell, q in edges:
            self.work.spend(len(self.laid[p]) + 1)
            for node in tuple(self.laid[p]):
                found = self.push(laid(cell), node)
                self.work.spend(len(found))
                begins = begins and not self.laid[q].isdisjoint(found)
        return begins


def _check_invariant(
    proof: dict[str, Any], inputs: dict[str, Any], rules: Rules, blank: int, work: Work,
    steps: list[room.Step] | None = None,
) -> tuple[int, set[Any]]:  # fmt: skip
    """How many configurations it has, and the (pair, symbol) at which the reference may stop. `steps` gets
    its steps."""
    symbols = len(rules[0])
    low, high = (whole(row, -64, 64) for row in proof["rows"])
    height, home = high - low + 1, -low
    demand(0 <= home < height <= 64, "the rows do not hold the input")
    columns = [tuple(whole(cell, 1, (1 << symbols) - 1) for cell in column) for column in proof["columns"]]
    number, empty = {c: i for i, c in enumerate(columns)}, (1 << blank,) * height
    demand(all(len(c) == height for c in columns) and len(number) == len(columns), "a column is malformed")
    left, right = (Side(proof[side], columns, empty, work) for side in ("left", "right"))
    invariant, ends = set(map(tuple, rows(proof["invariant"], 5, work))), (len(rules), height, len(columns))
    ranged = (0 <= n < end for listed in invariant for n, end in zip(listed[1:4], ends, strict=True))
    demand(all(ranged), "the invariant is malformed")
    laid = lambda cell: replaced(empty, home, cell)  # noqa: E731
    backwards = [(q, cell, p) for p, cell, q in inputs["after"]]
    fits = left.holds_inputs(inputs["before"], [0], laid)
    fits &= right.holds_inputs(backwards, inputs["accepting"], laid)
    work.spend(sum(len(left.laid[p]) * len(right.laid[q]) + 1 for p, _, q in inputs["head"]))
    starts = {
        (a, 0, home, number.get(laid(cell), -1), b)
        for p, cell, q in inputs["head"]
        for a in left.laid[p]
        for b in right.laid[q]
    }
    demand(fits and starts and starts <= invariant, "an input is not included")
    stops: set[tuple[int, int]] = set()

    @cache
    def moves(p: int, row: int, c: int) -> list[tuple[int, Column, int, int, int]]:
        """(read, column left behind, dx, dy, next): symbols that a rule leaves as they are stay one set."""
        groups: dict[tuple[int, int, int], int] = {}
        work.spend(symbols)
        for x in (x for x in range(symbols) if columns[c][row] >> x & 1):
            if (rule := rules[p][x]) is None:
                raise Rejected(f"pair {p} may read symbol {x}, and has no rule on which both agree")
            if rule[2] == STOPS:
                stops.add((p, x))
            elif rule[2] != HALT:
                rule = (-1 if rule[0] == x else rule[0], *rule[1:])
                groups[rule] = groups.get(rule, 0) | 1 << x
        return [
            (
                group,
                replaced(columns[c], row, group if written < 0 else 1 << written),
                *OFFSETS[motion],
                target,
            )
            for (written, motion, target), group in groups.items()
        ]

    for a, p, row, c, b in invariant:
        work.spend(len(found := moves(p, row, c)) * (1 + height // 8))
        for read, made, dx, dy, target in found:
            inside: list[Any]  # the configurations that follow, None where one is missing
            if dx == 0:
                inside = [(a, target, row + dy, number.get(made, -1), b)]
                inside = inside if inside[0] in invariant else [None]
            elif dx < 0:
                after = right.push(made, b)
                met = [(rest, target, row, under) for under, rest in left.under[a]]
                work.spend(len(met) * len(after))
                inside = [next(((*m, t) for t in after if (*m, t) in invariant), None) for m in met]
            else:
                after = left.push(made, a)
                met = [(target, row, under, rest) for under, rest in right.under[b]]
                work.spend(len(met) * len(after))
                inside = [next(((t, *m) for t in after if (t, *m) in invariant), None) for m in met]
            demand(None not in inside, f"the invariant is left from pair {p}, row {row + low}")
            if steps is not None:
                steps.append(((a, p, row, c, b), p, read, replaced(columns[c], row, read), made, inside))
    return len(invariant), stops


def _check_weights(proof: dict[str, Any], data: bytes, table: Table, work: Work) -> dict[str, Any]:
    """The subject's table is what these weights do, as far as the result says."""
    claim, model = proof["weights"], floats.read_weights(data)
    demand(model.sha256 == claim["sha256"], "these are not the weights the proof is about", Unreadable)
    alphabet = [BLANK if k == proof["blank"] else symbol for k, symbol in enumerate(proof["alphabet"])]
    demand(model.alphabet == alphabet, "the weights have another alphabet")
    demand(model.start == proof["start"], "the weights start elsewhere on their input")
    hidden = array(claim["hidden"], "float64", work)
    demand(hidden.shape == (len(table[0]), len(model.h0)), "the learnt states have a wrong shape")
    size, length = model.stacked.shape[1:]
    work.spend(int((table[2] != MISSING).sum()) * (40 + length * (1 + size // 500)))
    measure = claim["measure"]
    if measure is None:
        found = floats.to_the_bit(model, hidden, table)
    elif "rows" in measure:
        found = sweeps.swept(model, hidden, table, measure, work)
    else:
        work.spend(len(model.alphabet) * length**3 // 5_000)
        to, back = (array(measure[part], "float64", work) for part in ("to", "back"))
        found = drift.bounded(model, hidden, table, to, back, array(measure["blocks"], "int32", work).ravel())
    return {**found, "subject_sha256": model.sha256}


def main(arguments: list[str]) -> int:
    """Check the files named; 0 if the proof holds, 1 if not, 2 if they are no proof of this subject."""
    try:
        names = [name for name in arguments if name != "--patient"]
        demand(1 <= len(names) <= 2, "expected checker.py PROOF [WEIGHTS] [--patient]", Unreadable)
        weights = reading.at_most(names[1], floats.MOST_BYTES) if names[1:] else None
        work = reading.PATIENT if len(names) < len(arguments) else reading.MOST_WORK
        shown = check(reading.at_most(names[0]), weights, work)
    except (OSError, Unreadable) as error:
        print(f"cannot check: {error}", file=sys.stderr)
        return 2
    except Rejected as reason:
        print(f"rejected: {reason}")
        return 1
    claim = sentence(shown, ANY_INPUT if shown["ends"] else "every input that `reads` lists")
    print(
        json.dumps(
            {"accepted": True, "strength": strength(shown), "claim": claim, **shown},
            ensure_ascii=False,
            indent=2,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
