"""Find the sets of errors by which weights of gradient descent alone are proved for inputs of every length.

dfst learn examples/unseen/bit_shift.yaml --language '[01]*' --preset descent --out runs/bit_shift
python tools/every_length.py runs/bit_shift --out bit_shift.proof.json
dfst prove runs/bit_shift --check bit_shift.proof.json

It can be done for machines whose state depends on the last few symbols alone, if every product of that many
A[x] forgets all but the state (docs/research/without-polish.md). The checker is that of sweep_sets.py
(src/dfst/proof/sweeps.py), with sets that nothing is added to; nothing here has to be trusted.

1. All learnt states are nodes. The error e at a node is what h has beside v; a rule takes it to the next.
2. Rows: the axes of what is beside v, and images of rows under the rules, until each image costs at most
   SHRINKS in terms of the rows before it. This ends if what the rules do, in whatever order, shrinks.
3. Bounds: from 0 on, what the rules bring is added, rounding included, until nothing more is.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path as File

import numpy as np
from hulls import MOST_ROWS, Array, cheapest
from sweep_rows import Learnt, Rows, Way, say
from sweep_sets import Sets

from dfst.api import load
from dfst.errors import InputError
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_bytes
from dfst.problems import Problem, find_problem
from dfst.proof import Rejected, save_proof
from dfst.proof.certificate import certificate, to_bytes
from dfst.proof.checker import check, sentence
from dfst.proof.question import start_of
from dfst.proof.sides import packed
from dfst.subjects import learnt_problem

SHRINKS = 0.95  # what a rule leaves of an error, at most
BODY = 0.02  # new rows are made longer by so much, so that few are needed
TURNS = 200  # of the search for middles and for bounds


class Forgetful(Learnt):
    """Learnt states, each in the middle of what comes to it, and what every rule does to an error."""

    def __init__(self, weights: Weights, problem: Problem | None) -> None:
        super().__init__(weights, problem)
        self.nodes = sorted({t for *_, t in self.edges()})
        for _ in range(TURNS):
            came: dict[int, list[Array]] = {t: [] for t in self.nodes}
            for q, x, t in self.edges():
                h = self.A[x] @ self.hidden[q]
                came[t].append(h / (h @ self.hidden[t]))
            for t in came:
                if t:  # the first is h0
                    self.hidden[t] = np.mean(came[t], axis=0)
                    self.hidden[t] /= np.linalg.norm(self.hidden[t])
        self.beside = {t: np.linalg.svd(self.hidden[t][None])[2][1:].T for t in self.nodes}
        self.ways = [self._way(*edge) for edge in self.edges()]

    def _way(self, q: int, x: int, t: int) -> Way:
        v = self.hidden[t]
        return Way(q, (x,), t, self.A[x] * (v @ v) / (v @ self.A[x] @ self.hidden[q]))

    def rows(self) -> Rows:
        """Of each node, in the order of `beside` and then of v"""
        found = {q: np.eye(self.d - 1) for q in self.nodes}
        inner = [
            (way.start, way.end, self.beside[way.end].T @ way.map @ self.beside[way.start] / SHRINKS)
            for way in self.ways if way.start in found
        ]  # fmt: skip
        grows = True
        while grows:
            grows = False
            for q, t, M in inner:
                images = found[t] @ M
                while len(images):
                    cost = cheapest(images, found[q], np.ones(len(found[q])))[0]
                    images, cost = images[cost > 1 + 1e-7], cost[cost > 1 + 1e-7]
                    if len(images):
                        grows = True
                        found[q] = np.vstack([found[q], images[cost.argmax()] * (1 + BODY)])
                        images = np.delete(images, cost.argmax(), 0)
                if len(found[q]) > MOST_ROWS:
                    raise InputError(
                        f"more than {MOST_ROWS} rows at learnt state {q}: some rules do not forget"
                    )
        axes = {q: np.vstack([part @ self.beside[q].T, self.hidden[q]]) for q, part in found.items()}
        return {q: (part, np.full(len(part), -1)) for q, part in axes.items()}


def bounded(net: Forgetful, rows: Rows) -> Sets:
    sets = Sets(net, rows, 1)
    bounds = {q: np.full(len(part), 1e-7) for q, (part, _) in rows.items()}
    for turn in range(TURNS):
        for q in net.nodes:
            sets.put(q, bounds[q], 0 * bounds[q])
            sets.measure(q)
        brought = {
            t: np.max([sets.brought(way) for way in net.ways if way.end == t], axis=0) for t in net.nodes
        }
        if all((brought[t] <= bounds[t]).all() for t in net.nodes):
            say(f"turn {turn + 1}: errors of up to {max(sets.sizes[q].max() for q in net.nodes):.3f}")
            return sets
        bounds = {t: np.maximum(bounds[t], brought[t] * 1.01) for t in net.nodes}
    raise InputError(f"errors grow for {TURNS} turns")


def find(asked: argparse.Namespace) -> str:
    """Writes the proof; what it says."""
    weights = load(asked.model)
    if not isinstance(weights, Weights):
        raise InputError(f"expected a learnt model, found the machine {asked.model}")
    own = (
        find_problem(asked.against, language=asked.language) if asked.against else learnt_problem(asked.model)
    )
    net = Forgetful(weights, own)
    try:
        rows = net.rows()
        say(f"{sum(len(part) for part, _ in rows.values())} rows at {len(net.nodes)} learnt states")
        sets = bounded(net, rows)
    except np.linalg.LinAlgError:
        raise InputError("errors grow without end") from None
    learnt = {"sha256": net.model.sha256, "hidden": packed(net.hidden), "measure": sets.as_measure()}
    proof = certificate(
        net.machine, net.reference, net.language, start_of(weights), net.pairing, net.closure, learnt,
        None, net.known["answer"],
    )  # fmt: skip
    shown = check(to_bytes(proof), weights_bytes(weights))
    save_proof(proof, asked.out)
    return sentence(shown)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", help="a model that gradient descent alone made")
    parser.add_argument("--out", type=File, required=True, help="where to write the proof")
    parser.add_argument("--against", help="what it was to learn; by default a run folder says it")
    parser.add_argument("--language", help="the inputs that are meant, as a regular expression")
    parser.add_argument("--record", type=File, help="a file that gets a line about it, whatever comes out")
    asked = parser.parse_args()
    try:
        told, status = find(asked), 0
    except Rejected as reason:
        told, status = f"not proved: {reason}", 1
    except InputError as reason:
        told, status = f"not proved: {reason}", 2
    print(f"{asked.model}: {told}", file=sys.stderr if status else sys.stdout)
    if asked.record:
        name = "/".join(File(asked.model).parts[-2:])
        with asked.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"model": name, "against": asked.against, "told": told}) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
