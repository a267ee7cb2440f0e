"""The rows of sweep_sets.py: in which directions errors are to be bounded, found by sampling errors.

Steps 1 to 4 of what that file tells. Legend: d hidden size, q, t learnt states, x symbols.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import islice

import numpy as np
from hulls import hull, power

from dfst.api import prove
from dfst.errors import InputError
from dfst.machines.agent import MISSING
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_bytes
from dfst.problems import Problem
from dfst.proof.cheapest import Array, Ints, cheapest
from dfst.proof.closure import Closure
from dfst.proof.floats import read_weights
from dfst.proof.forgetting import Way
from dfst.proof.levels import closures
from dfst.proof.match import pair_up
from dfst.proof.question import question
from dfst.proof.reading import PATIENT, Work, array, read_table
from dfst.proof.sweeps import LONGEST_PATH
from dfst.subjects import reference_for

KEPT = 1e-4  # directions that a loop moves by less are kept
FINER, CONFIGURATIONS = 8, 60_000  # invariants that are looked at, and how large they may be
AT_ONCE, SAMPLES = 400, 1500  # errors that come to a node, and those there after a sweep
FEW = 15  # words of a sweep over which rows are followed back
DIRECTIONS = 4  # in the plane of the two leading kept directions; a family each
BODY, FAMILY = 0.02, 0.1  # new rows are made longer by so much of themselves, so that few are needed
BESIDE, ACROSS = 1.0, 0.5  # how far a family reaches along what one loop alone keeps, and what dies out
FLOOR = 0.15  # the least bound at the cut, the largest being 1, when errors are sampled
COSTS = 1.0, 1.1, 1.15  # rows that cost so many times what samples show are added; by the number of loops
began = time.monotonic()


def say(text: str) -> None:
    print(f"{time.monotonic() - began:6.0f} s  {text}", flush=True)


class Learnt:
    """The learnt states of a model, and their rules: those that an invariant meets."""

    def __init__(self, weights: Weights, problem: Problem | None = None) -> None:
        self.weights, self.reference = weights, problem.agent if problem else reference_for(weights, None)
        self.pattern = problem.input_pattern if problem else None
        found = prove(weights, self.reference, self.pattern).proof
        if found is None:
            raise InputError(f"no learnt states of {weights.name} are known; train it longer")
        work, self.known = Work(PATIENT), found
        write, motion, following = read_table(found["subject"]["table"], len(weights.alphabet), work)
        self.next = following.copy()
        self._invariant(write, motion)
        self.table = write, motion, self.next
        self.model = read_weights(weights_bytes(weights))
        self.A, self.d = weights.A.astype(np.float64), len(weights.h0)
        hidden = array(found["weights"]["hidden"], "float64", work)
        self.hidden = hidden / np.linalg.norm(hidden, axis=1)[:, None]
        self.hidden[0] = weights.h0

    def _invariant(self, write: Array, motion: Array) -> None:
        """Leaves out rules that a finer invariant does not meet; what they lead to need not be bounded."""
        states = tuple(map(str, range(len(self.next))))
        self.machine = replace(
            self.reference, name=self.weights.name, states=states, write=write.astype(np.uint8),
            motion=motion.astype(np.uint8), next=self.next.astype(np.int32),
        )  # fmt: skip
        self.pairing = pair_up(self.machine, self.reference, is_model=True)
        self.language = question(self.weights, self.reference, self.pattern).inputs.language
        outcomes = islice(closures(self.pairing.machine, self.language, CONFIGURATIONS), FINER)
        closed = [found for found in outcomes if isinstance(found, Closure) and not found.open_pairs]
        self.closure = min(closed, key=lambda found: (len(self._met(found)), len(found.parents)))
        for q, x in np.argwhere(self.next != MISSING).tolist():
            if (q, x) not in self._met(self.closure):
                self.next[q, x] = MISSING
        say(f"{len(self._met(self.closure))} rules, precision: {self.closure.precision.name}")

    def _met(self, closure: Closure) -> set[tuple[int, int]]:
        return {(self.pairing.subject[p], x) for p, x in closure.visited}

    def edges(self) -> list[tuple[int, int, int]]:
        """State, symbol, next state"""
        return [(q, x, int(self.next[q, x])) for q, x in np.argwhere(self.next >= 0).tolist()]


class Net(Learnt):
    """And the nodes, and what a path from one to the next does to an error."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self.loops = {q: [int(x) for x in np.flatnonzero(row == q)] for q, row in enumerate(self.next)}
        for q, symbols in self.loops.items():
            if len(symbols) > 2:
                raise InputError(f"learnt state {q} loops over {len(symbols)} symbols; at most two are done")
            if symbols and q:
                kept = self.kept(q)
                self.hidden[q] = kept @ (kept.T @ self.hidden[q])
                self.hidden[q] /= np.linalg.norm(self.hidden[q])
        self._order()

    def _order(self) -> None:
        """The cut: of the states that will do, that to which most rules lead; and the nodes from there on."""
        entries = np.bincount(self.next[self.next >= 0], minlength=len(self.next))
        for cut in sorted((q for q in self.loops if q and not self.loops[q]), key=lambda q: -entries[q]):
            nodes = {0, cut, *(q for q in self.loops if self.loops[q])}
            try:
                self.paths = [path for q in sorted(nodes) for path in self._paths(q, nodes)]
                before = {t: {path.start for path in self.paths if path.end == t} for t in nodes - {cut}}
                order = [q for q in TopologicalSorter(before).static_order() if q not in (0, cut)]
            except CycleError:
                continue
            self.cut, self.nodes = cut, [cut, *order]
            return
        raise InputError(f"{self.weights.name} has no state that every cycle of sweeps passes")

    def _paths(self, q: int, nodes: set[int]) -> Iterator[Way]:
        ahead: list[tuple[int, tuple[int, ...], Array]] = [(q, (), np.eye(self.d))]
        while ahead:
            state, word, M = ahead.pop()
            if len(word) == LONGEST_PATH:
                raise CycleError("a cycle passes no node")
            for x in np.flatnonzero((self.next[state] >= 0) & (self.next[state] != state)).tolist():
                t, further = int(self.next[state, x]), self.A[x] @ M
                if t in nodes:
                    v = self.hidden[t]
                    beside = further - np.outer(v, v @ further) / (v @ v)
                    yield Way(q, (*word, x), t, beside * (v @ v) / (v @ further @ self.hidden[q]))
                else:
                    ahead.append((t, (*word, x), further))

    def to(self, t: int) -> list[Way]:
        return [path for path in self.paths if path.end == t]

    def kept(self, q: int) -> Array:
        """(d, k) an orthonormal basis of what all loops keep"""
        moved, rows = np.linalg.svd(np.vstack([self.A[x] - np.eye(self.d) for x in self.loops[q]]))[1:]
        return np.asarray(rows[moved < KEPT].T)

    def words(self, q: int) -> list[Array]:
        """Of a sweep: short ones and long runs; the first FEW say the most."""
        one = np.eye(self.d)
        if len(self.loops[q]) < 2:
            return [power(self.A[x], n) for x in self.loops[q] for n in (0, 1, 2, 3, 64, 5)] or [one]
        A, B = (self.A[x] for x in self.loops[q])
        a, b = power(A, 64), power(B, 64)
        few = [one, A, B, A @ A, A @ B, B @ A, B @ B, a, b, a @ B, b @ A, a @ B @ B, b @ A @ A, A @ b, B @ a]
        return [*few, a @ b, b @ a, a @ b @ a, b @ a @ b, A @ A @ b, B @ B @ a, a @ B @ A, b @ A @ B]


class Samples:
    """What errors are at each node, as matrices (n, d, d): a column each for the axes of the cut's set."""

    def __init__(self, net: Net, ball: Array) -> None:
        rng = np.random.default_rng(0)

        def some(found: list[Array], most: int) -> list[Array]:
            return found if len(found) <= most else [found[i] for i in rng.choice(len(found), most, False)]

        at = {net.cut: [ball]}
        for q in net.nodes[1:]:
            came = some([way.map @ e for way in net.to(q) for e in at.get(way.start, [])], AT_ONCE)
            at[q] = some([word @ e for word in net.words(q) for e in came], SAMPLES)
        self.end = np.array([way.map @ e for way in net.to(net.cut) for e in at.get(way.start, [])])
        self.at = {q: np.array(found).transpose(1, 0, 2) for q, found in at.items()}

    def spread(self, q: int) -> Array:
        """(d, d) whose leading eigenvectors are the leading directions of errors"""
        flat = self.at[q].reshape(len(self.at[q]), -1)
        return np.asarray(flat @ flat.T)

    def largest(self, q: int, rows: Array) -> Array:
        """(n,) of each row: the most that |l e| is among them"""
        parts = np.array_split(rows, len(rows) // 500 + 1)
        return np.concatenate([np.abs(np.tensordot(l, self.at[q], 1)).sum(2).max(1) for l in parts])


def leading(spread: Array) -> Array:
    """Its eigenvectors as rows, the leading one first"""
    return np.asarray(np.linalg.eigh(spread)[1].T[::-1])


def at_cut(net: Net) -> tuple[Array, Samples]:
    """The rows of the cut, and what comes of errors within them."""
    v = net.hidden[net.cut]
    end = Samples(net, np.eye(net.d) - np.outer(v, v)).end
    axes = leading(np.einsum("nij,nkj->ik", end, end))
    sizes = np.ones(net.d)
    for _ in range(60):
        back = (np.abs(axes @ end @ axes.T) @ sizes).max(0)
        sizes = np.maximum(back / back.max(), FLOOR)
    say(f"the sampled errors come back {1 / (back / sizes).max():.1f} times smaller to state {net.cut}")
    return axes / sizes[:, None], Samples(net, axes.T * sizes)


def at_node(net: Net, q: int, samples: Samples) -> tuple[Array, Ints]:
    """Rows of a node with loops, and to which group each belongs, -1 to none. The loops take the hull of a
    group into itself."""
    symbols, K = net.loops[q], net.kept(q)
    maps, limits = [net.A[x] for x in symbols], [power(net.A[x], 64) for x in symbols]
    rest = np.linalg.svd(K)[0][:, K.shape[1] :]
    inner = [rest.T @ M @ rest for M in maps]
    axes = leading(rest.T @ samples.spread(q) @ rest)
    size = samples.largest(q, axes @ rest.T)
    axes = axes / np.maximum(size, 1e-2 * size.max())[:, None]
    own = []  # what one loop alone keeps
    for M in inner:
        _, values, vectors = np.linalg.svd(power(M, 64))
        own += [vector / samples.largest(q, vector[None] @ rest.T) for vector in vectors[values > 0.1]]
    body = hull(np.array([*own, *axes]), inner, lambda row, _: row * (1 + BODY)) @ rest.T
    mean = power(np.asarray(sum(maps)) / len(maps), 200)
    kept = np.linalg.svd(mean)[2][: K.shape[1]]
    kept = leading(kept @ samples.spread(q) @ kept.T) @ kept
    kept = kept / samples.largest(q, kept)[:, None]
    if len(symbols) == 1:
        return np.vstack([body, kept]), np.repeat([0, -1], [len(body), len(kept)])
    if len(own) != 2 or len(kept) < 2:
        raise InputError(f"the loops of learnt state {q} do not keep one direction each, and two together")
    turns = np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    directions = [np.cos(turn) * kept[0] + np.sin(turn) * kept[1] for turn in turns]
    found = [body]
    for k in [*directions, *kept[2:]]:
        a, b = limits
        ends = np.array([k @ b @ a @ b @ a, k @ a @ b @ a @ b])
        size = samples.largest(q, ends).max()
        beside, across = BESIDE * size * np.array(own) @ rest.T, ACROSS * size * axes @ rest.T
        family = np.vstack([ends + beside, ends - beside, k + across, k - across])
        found.append(hull(
            family, maps,
            lambda row, i: row @ limits[i] + (1 + FAMILY) * (row - row @ limits[i]),
            lambda rows, k=k: np.column_stack([np.ones(len(rows)), (rows - k) @ rest]),
        ))  # fmt: skip
    return np.vstack(found), np.repeat(np.arange(len(found)), [len(part) for part in found])


Rows = dict[int, tuple[Array, Ints]]
"""Of each node: its rows, and the group of each"""


def refined(net: Net, rows: Rows, samples: Samples) -> None:
    """Add what later nodes ask for, from the last to the first; what leads to no cut is fine as it is."""
    asked = {net.cut: rows[net.cut][0]}
    for q in reversed(net.nodes[1:]):
        wanted = [asked[way.end] @ way.map for way in net.paths if way.start == q and way.end in asked]
        if not wanted:
            continue
        F = np.vstack([part @ word for part in wanted for word in net.words(q)[:FEW]])
        size = samples.largest(q, F)
        F = F[size > 1e-4] / size[size > 1e-4, None]
        here, groups = rows[q]
        bounds, before, basis = samples.largest(q, here) * 1.1, len(here), None
        for group in range(groups.max() + 1):
            bounds[groups == group] += bounds[groups == group].max()
            bounds[groups == group] /= 2
        while len(F):
            cost, basis, _ = cheapest(F, here, bounds, basis)
            dear = cost > COSTS[len(net.loops[q])]
            F, cost, basis = F[dear], cost[dear], basis[dear]
            units, take = F / np.linalg.norm(F, axis=1)[:, None], list[int]()
            for i in np.argsort(-cost)[:30].tolist():
                if not take or np.abs(units[take] @ units[i]).max() < 0.6:
                    take.append(i)
            here = np.vstack([here, F[take]])
            bounds = np.concatenate([bounds, samples.largest(q, F[take])]) if take else bounds
            F, basis = np.delete(F, take, 0), np.delete(basis, take, 0)
        rows[q] = here, np.concatenate([groups, np.full(len(here) - before, -1)])
        asked[q] = here[before:]
        say(f"state {q}: {len(here) - before} rows added, {len(here)} in all")
