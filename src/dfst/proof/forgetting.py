"""Sets of errors for weights that forget: for the checker to judge (sweeps.py). None of it has to be trusted.

Where the last few symbols decide what state a machine is in, all products of enough A[x] may shrink what lies
beside the learnt states. Then each of these has a set of errors that every rule takes into the next one's,
rounding included, and what is shown holds on inputs of every length, for weights as gradient descent left
them, room to spare included.

1. Learnt states are moved to where their edges lead on average. The error e is what h has beside v.
2. Rows: the axes of what is beside v, and images of rows under the rules, until each image costs at most
   SHRINKS in terms of the rows before it. This ends if what the rules do, in whatever order, shrinks.
3. Bounds: from nothing on, what the rules bring is added, until nothing more is.

Legend: d hidden size, q, t learnt states, x symbols.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dfst.errors import InputError
from dfst.model.weights import to_bytes
from dfst.proof.cheapest import Array, Ints, cheapest
from dfst.proof.drift import UP
from dfst.proof.floats import Model, read_weights
from dfst.proof.reading import Rejected, Table, Work
from dfst.proof.sides import packed
from dfst.proof.sweeps import Path, Sweeps
from dfst.states.graph import StateGraph

SHRINKS = 0.95  # what a rule leaves of an error, at most
BODY = 0.02  # new rows are made longer by so much, so that few are needed
MOST_ROWS = 400  # of one learnt state
MOST_SIZE = 16  # of hidden states; it takes seconds, at 27 two minutes
TURNS = 200  # of the search for middles and for bounds
HEAD = 2.0**-12  # of the first component, by which runs see that h is to be rescaled
WALKS, LONG, GONE = 32, 100, 1e-3  # walks that tell whether anything is kept, and what is left of what is not


class Way(NamedTuple):
    """A path from a node to the next."""

    start: int
    word: tuple[int, ...]
    end: int
    map: Array  # what it does to an error, h divided at its end


class Sought(Sweeps):
    """The checker, with bounds that are looked for, and bases that are found and noted when it asks."""

    def __init__(
        self, model: Model, hidden: Array, table: Table, longest: int, rows: dict[int, Array]
    ) -> None:
        count = [len(part) for part in rows.values()]
        self.nodes, self.owners = list(rows), np.repeat(np.arange(len(count)), count)
        self.all_rows, bounds = np.vstack(list(rows.values())), np.zeros((sum(count), 2))
        super().__init__(model, hidden, table, longest, self.nodes, self.owners, self.all_rows, bounds,
                         np.zeros((0, hidden.shape[1]), np.int32), Work(1 << 60))  # fmt: skip
        self.starts: dict[Any, Ints] = {}
        """Bases to start from: those found when the same was asked last"""
        self.fixed: dict[Any, Ints] = {}
        """Bases that are known beforehand"""
        self.asked: Any = None
        self.noted: list[Ints] = []

    def cheapest(self, asked: Any, q: int, wanted: Array, bounds: Array) -> tuple[Array, Ints, Array]:
        found = cheapest(wanted, self.rows[q], bounds + 1e-12, self.starts.get(asked))
        if asked is not None:
            self.starts[asked] = found[1]
        return found

    def basis(self, q: int, wanted: Array) -> Any:
        known = self.fixed.get(self.asked)
        self.noted.append(self.cheapest(self.asked, q, wanted, self.last[q])[1] if known is None else known)
        return self.noted[-1]

    def put(self, q: int, first: Array, more: Array) -> None:
        self.first[q], self.more[q], self.last[q] = first, more, (first + self.longest * more) * UP

    def measure(self, q: int) -> None:
        """How large e may be, component by component"""
        self.asked = "sizes", q
        self.sizes[q] = self.made_of(q, np.eye(self.d), np.zeros((self.d, self.d)))[1] * 1.0001

    def brought(self, way: Way) -> Array:
        """What the rows at the end of this path are at most, as `arrives` asks for it."""
        q, path = way.start, Path(self.hidden[way.start], self.sizes.get(way.start, np.zeros(self.d)))
        for x in way.word:
            path = path.step(self.W[x, : self.d], self.unit)
        v, rows = self.hidden[way.end], self.rows[way.end]
        along = v[None] / float(v @ v)
        beside = rows - (rows @ v)[:, None] * along
        size = np.abs(rows) + (np.abs(rows) @ np.abs(v))[:, None] * np.abs(along)
        scale, lost = path.carried(along, np.abs(along))
        self.asked = "along", q, way.word
        slope = self.bounded(q, along @ path.whole, np.abs(along) @ path.size)[1]
        least = float((scale - slope - lost)[0])
        if least <= 0:
            raise InputError(f"errors at learnt state {q} grew too large; try shorter inputs")
        away, off = path.carried(beside, size)
        self.asked = "beside", q, way.word
        error = self.bounded(q, beside @ path.whole, size @ path.size)[1]
        return np.asarray((np.abs(away) + off + error) * 1.0001 / least)

    def as_measure(self) -> dict[str, Any]:
        """Checked, with the bases noted, as it stands in a proof."""
        self.noted, self.asked, self.starts = [], None, {}
        self.check()
        of = lambda part: np.concatenate([part[q] for q in self.nodes])  # noqa: E731
        return {
            "nodes": packed(np.array(self.nodes, np.int32)[:, None]),
            "owners": packed(self.owners.astype(np.int32)[:, None]),
            "rows": packed(self.all_rows),
            "bounds": packed(np.column_stack([of(self.first), of(self.more)])),
            "bases": packed(np.vstack(self.noted).astype(np.int32)),
            "longest": self.longest,
        }


@dataclass(frozen=True, eq=False)
class Forgetting:
    """Learnt states, and sets of errors beside them that need no bound on steps."""

    hidden: Array  # (n, d)
    sets: dict[str, Any]

    def packed(self) -> dict[str, Any]:
        """As it stands in a proof."""
        return self.sets


def forgetting(graph: StateGraph) -> Forgetting | None:
    """None where something is kept, or no sets are found."""
    if graph.hidden.shape[1] > MOST_SIZE:
        return None
    table = graph.write.astype(int), graph.motion.astype(int), graph.next.astype(int)
    try:
        with np.errstate(all="ignore"):
            hidden = _middles(graph)
            if (np.abs(hidden[graph.next[graph.next >= 0], 0]) < HEAD).any():
                return None
            ways = _ways(graph, hidden)
            rows = _rows(ways, hidden)
            if rows is None:
                return None
            sets = Sought(read_weights(to_bytes(graph.weights)), hidden, table, 1, rows)
            return Forgetting(hidden, sets.as_measure()) if _bounded(sets, ways) else None
    except (np.linalg.LinAlgError, InputError, Rejected):  # errors grow without end
        return None


def _edges(graph: StateGraph) -> list[tuple[int, int, int]]:
    return [(q, x, int(graph.next[q, x])) for q, x in np.argwhere(graph.next >= 0).tolist()]


def _middles(graph: StateGraph) -> Array:
    """Each learnt state where its edges lead on average; the first is h0."""
    A, hidden = graph.weights.A.astype(np.float64), graph.hidden.astype(np.float64)
    hidden[1:] /= np.linalg.norm(hidden[1:], axis=1)[:, None]
    edges = _edges(graph)
    for _ in range(TURNS):
        sums = np.zeros_like(hidden)
        for q, x, t in edges:
            h = A[x] @ hidden[q]
            sums[t] += h / (h @ hidden[t])
        for t in {t for *_, t in edges} - {0}:
            hidden[t] = sums[t] / np.linalg.norm(sums[t])
    return hidden


def _ways(graph: StateGraph, hidden: Array) -> list[Way]:
    A, ways = graph.weights.A.astype(np.float64), list[Way]()
    for q, x, t in _edges(graph):
        v = hidden[t]
        ways.append(Way(q, (x,), t, A[x] * (v @ v) / (v @ A[x] @ hidden[q])))
    return ways


def _rows(ways: list[Way], hidden: Array) -> dict[int, Array] | None:
    """Of each node: rows for what is beside v, and v itself; None where they would be too many."""
    nodes = sorted({way.end for way in ways})
    beside = {t: np.linalg.svd(hidden[t][None])[2][1:].T for t in nodes}
    maps = [(w.start, w.end, beside[w.end].T @ w.map @ beside[w.start]) for w in ways if w.start in beside]
    if _keeps(maps, hidden.shape[1] - 1):
        return None
    found, tried = {q: np.eye(hidden.shape[1] - 1) for q in nodes}, [0] * len(maps)
    while any(tried[i] < len(found[t]) for i, (_, t, _) in enumerate(maps)):
        for i, (q, t, M) in enumerate(maps):
            images, tried[i] = found[t][tried[i] :] @ M / SHRINKS, len(found[t])  # others are in the hull
            while len(images):
                cost = cheapest(images, found[q], np.ones(len(found[q])))[0]
                images, cost = images[cost > 1 + 1e-7], cost[cost > 1 + 1e-7]
                if len(images):
                    found[q] = np.vstack([found[q], images[cost.argmax()] * (1 + BODY)])
                    images = np.delete(images, cost.argmax(), 0)
            if len(found[q]) > MOST_ROWS:
                return None
    return {q: np.vstack([found[q] @ beside[q].T, hidden[q]]) for q in nodes}


def _keeps(maps: list[tuple[int, int, Array]], size: int) -> bool:
    """Whether a long walk along the rules leaves something of an error."""
    rng, leaving = np.random.default_rng(0), dict[int, list[tuple[int, Array]]]()
    for q, t, M in maps:
        leaving.setdefault(q, []).append((t, M))
    loops = [np.linalg.matrix_power(M, LONG) for q, t, M in maps if q == t]
    for walk in range(WALKS):
        word, state = np.eye(size), list(leaving)[walk % len(leaving)] if leaving else -1
        for _ in range(LONG):
            if state not in leaving:  # it ends
                word = word * 0
                break
            state, M = leaving[state][int(rng.integers(len(leaving[state])))]
            word = M @ word
        loops.append(word)
    return not all(np.abs(word).max(initial=0) < GONE for word in loops)


def _bounded(sets: Sought, ways: list[Way]) -> bool:
    bounds = {q: np.full(len(sets.rows[q]), 1e-7) for q in sets.nodes}
    for _ in range(TURNS):
        for q in sets.nodes:
            sets.put(q, bounds[q], 0 * bounds[q])
            sets.measure(q)
        brought = {t: np.max([sets.brought(w) for w in ways if w.end == t], axis=0) for t in sets.nodes}
        if all((brought[t] <= bounds[t]).all() for t in sets.nodes):
            return True
        bounds = {t: np.maximum(bounds[t], brought[t] * 1.01) for t in sets.nodes}
    return False
