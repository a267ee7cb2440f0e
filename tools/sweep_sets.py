"""Find the sets of errors by which weights of gradient descent alone are proved up to a length.

python tools/sweep_sets.py add2.descent --up-to 99 --out add2.proof.json
dfst prove add2.descent --check add2.proof.json --up-to 99

The checker (src/dfst/proof/sweeps.py) is given rows l at some learnt states, the *nodes*, and bounds on |l e|
for the error e there; it says what it asks of them. Nothing here has to be trusted. How they are found:

1. `dfst prove` finds the learnt states and their rules. Of the invariants that close, one that meets the
   fewest rules is taken. Nodes are the states with a loop and one more, the *cut*, that every longer cycle
   passes. So bounds at the cut give those at all nodes, one after the other.
2. Errors are sampled: the unit ball of the cut goes through every path, after words of every sweep. At the
   cut the rows are the principal directions of what comes back.
3. At a node, let K be what all its loops keep (eigenvalues near 1). Rows that vanish on K: the principal
   directions of the samples, and images of rows under the loops until each lies in the hull of them all.
   Other rows: one of each direction of K if there is one loop. If there are two, those that agree on K are a
   family, whose hull, too, is made such that each loop takes it into itself; then no word makes it grow.
4. Rows that later nodes ask for, and that cost too much in terms of those there are, are added.
5. The bounds: from those at the cut, each node's follow by linear programs, over all paths to it and then
   over its loops, with the rounding of up to `longest` steps. What comes back to the cut must be no more than
   what was assumed there. If it is more, the cut's bounds are raised and the round is taken again. A first
   round, with small errors and short sweeps, shows what shape the cut's set must have.
6. The checker runs once while the bases of its linear programs are noted. They are part of the proof.

The rows and the shape do not depend on the length. They and each round are kept in OUT.partial.npz, from
where the same command goes on. What is decided by hand is among the constants and options; they fit add2.

Legend: d hidden size, q, t learnt states, x symbols.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dfst.api import load, prove
from dfst.errors import InputError
from dfst.machines.agent import MISSING
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, save_proof
from dfst.proof.certificate import certificate, to_bytes
from dfst.proof.checker import check, sentence
from dfst.proof.closure import Closure
from dfst.proof.drift import UP
from dfst.proof.floats import read_weights
from dfst.proof.levels import closures
from dfst.proof.match import pair_up
from dfst.proof.question import question, start_of
from dfst.proof.reading import PATIENT, Work, array, read_table
from dfst.proof.sides import packed
from dfst.proof.sweeps import LONGEST_PATH, Path, Sweeps
from dfst.subjects import reference_for

KEPT = 1e-4  # directions that a loop moves by less are kept
FINER, CONFIGURATIONS = 8, 60_000  # invariants that are looked at, and how large they may be
AT_ONCE, SAMPLES = 400, 1500  # errors that come to a node, and those there after a sweep
STALLED = 20  # steps of a linear program
FEW = 15  # words of a sweep over which rows are followed back
MOST_ROWS = 400  # in one family
DIRECTIONS = 4  # in the plane of the two leading kept directions; a family each
BODY, FAMILY = 0.02, 0.1  # new rows are made longer by so much of themselves, so that few are needed
BESIDE, ACROSS = 1.0, 0.5  # how far a family reaches along what one loop alone keeps, and what dies out
FLOOR = 0.15  # the least bound at the cut, the largest being 1, when errors are sampled
COSTS = 1.0, 1.1, 1.15  # rows that cost so many times what samples show are added; by the number of loops
Array = NDArray[np.float64]
Ints = NDArray[np.int64]
began = time.monotonic()


def say(text: str) -> None:
    print(f"{time.monotonic() - began:6.0f} s  {text}", flush=True)


def cheapest(
    wanted: Array, rows: Array, bounds: Array, start: Ints | None = None
) -> tuple[Array, Ints, Array]:
    """For each wanted row f (n, d): the least Σ |c| · bounds with c · rows = f, the d rows used, their c.

    The simplex method, for all f at once. y are the prices by a basis; a row l with |l y| above its bound is
    cheaper than the basis is and enters it, and the one whose c is the first to reach zero leaves. Where that
    has not made f cheaper for STALLED steps (some c are zero), it is left as it is.
    """
    n, d = wanted.shape
    basis = np.broadcast_to(independent(rows / bounds[:, None]) if start is None else start, (n, d)).copy()
    inverse, scaled, live = np.linalg.inv(rows[basis]), rows / bounds[:, None], np.arange(n)
    c = np.einsum("ni,nij->nj", wanted, inverse)
    cost, fell = (np.abs(c) * bounds[basis]).sum(1), np.zeros(n, int)
    for step in range(400):
        sign = np.where(c[live] >= 0, 1.0, -1.0)
        prices = np.einsum("nij,nj->ni", inverse[live], sign * bounds[basis[live]]) @ scaled.T
        enters = np.abs(prices).argmax(1)
        worst = prices[np.arange(len(live)), enters]
        dear = (np.abs(worst) > 1 + 1e-7) & (step - fell[live] < STALLED)
        live, sign, enters, worst = live[dear], sign[dear], enters[dear], worst[dear]
        if not len(live):
            break
        before, each = inverse[live], np.arange(len(live))
        made = np.einsum("ni,nij->nj", rows[enters], before)
        falls = made * np.sign(worst)[:, None] * sign
        reach = np.where(falls > 1e-9, np.abs(c[live]) / np.where(falls > 1e-9, falls, 1), np.inf)
        leaves = (reach + 1e-13 * np.random.default_rng(step).random(reach.shape)).argmin(1)
        basis[live, leaves] = enters
        if step % 8 == 7:
            inverse[live] = np.linalg.inv(rows[basis[live]])
        else:
            column = before[each, :, leaves] / made[each, leaves][:, None]
            made[each, leaves] -= 1.0
            inverse[live] = before - column[:, :, None] * made[:, None, :]
        c[live] = np.einsum("ni,nij->nj", wanted[live], inverse[live])
        now = (np.abs(c[live]) * bounds[basis[live]]).sum(1)
        fell[live[now < cost[live] * (1 - 1e-9)]] = step
        cost[live] = now
    return cost, basis, c


def independent(rows: Array) -> Ints:
    """d independent rows; the farthest from the span of those before comes next."""
    rest, found = rows / np.abs(rows).max(), []
    for _ in range(rows.shape[1]):
        found.append(int((rest * rest).sum(1).argmax()))
        unit = rest[found[-1]] / np.linalg.norm(rest[found[-1]])
        rest = rest - np.outer(rest @ unit, unit)
    return np.array(found)


def hull(
    rows: Array, maps: list[Array], grow: Callable[[Array, int], Array],
    chart: Callable[[Array], Array] = lambda rows: rows,
) -> Array:  # fmt: skip
    """The rows, and images of them until each map takes every row into the hull of ± all."""
    todo = rows
    while len(todo):
        size = len(rows)
        for i, M in enumerate(maps):
            images = todo @ M
            while len(images):
                cost = cheapest(chart(images), chart(rows), np.ones(len(rows)))[0]
                images, cost = images[cost > 1 + 1e-7], cost[cost > 1 + 1e-7]
                if len(images):
                    rows = np.vstack([rows, grow(images[cost.argmax()], i)])
                    images = np.delete(images, cost.argmax(), 0)
        if len(rows) > MOST_ROWS:
            raise InputError(f"a family has more than {MOST_ROWS} rows; nothing is known to help")
        todo = rows[size:]
    return rows


def power(M: Array, n: int) -> Array:
    return np.asarray(np.linalg.matrix_power(M, n))


class Way(NamedTuple):
    """A path from a node to the next."""

    start: int
    word: tuple[int, ...]
    end: int
    map: Array  # what it does to an error, h divided at its end


class Net:
    """The learnt states, their rules, and what a path does to an error."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self.reference = weights, reference_for(weights, None)
        found = prove(weights, self.reference).proof
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
        self.loops = {q: [int(x) for x in np.flatnonzero(self.next[q] == q)] for q in range(len(hidden))}
        for q, symbols in self.loops.items():
            if len(symbols) > 2:
                raise InputError(f"learnt state {q} loops over {len(symbols)} symbols; at most two are done")
            if symbols:
                kept = self.kept(q)
                self.hidden[q] = kept @ (kept.T @ self.hidden[q])
                self.hidden[q] /= np.linalg.norm(self.hidden[q])
        self.hidden[0] = weights.h0
        self._order()

    def _invariant(self, write: Array, motion: Array) -> None:
        """Leaves out rules that a finer invariant does not meet; what they lead to need not be bounded."""
        states = tuple(map(str, range(len(self.next))))
        self.machine = replace(
            self.reference, name=self.weights.name, states=states, write=write.astype(np.uint8),
            motion=motion.astype(np.uint8), next=self.next.astype(np.int32),
        )  # fmt: skip
        self.pairing = pair_up(self.machine, self.reference, is_model=True)
        self.language = question(self.weights, self.reference, None).inputs.language
        outcomes = islice(closures(self.pairing.machine, self.language, CONFIGURATIONS), FINER)
        closed = [found for found in outcomes if isinstance(found, Closure) and not found.open_pairs]
        self.closure = min(closed, key=lambda found: (len(self._met(found)), len(found.parents)))
        for q, x in np.argwhere(self.next != MISSING).tolist():
            if (q, x) not in self._met(self.closure):
                self.next[q, x] = MISSING
        say(f"{len(self._met(self.closure))} rules, precision: {self.closure.precision.name}")

    def _met(self, closure: Closure) -> set[tuple[int, int]]:
        return {(self.pairing.subject[p], x) for p, x in closure.visited}

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


class Sets(Sweeps):
    """The checker, with bounds that are looked for, and bases that are found and noted when it asks."""

    def __init__(self, net: Net, rows: Rows, longest: int, near: float = 3e-5) -> None:
        count = [len(rows[q][0]) for q in net.nodes]
        self.owners = np.repeat(np.arange(len(count)), count)
        self.all_rows, bounds = np.vstack([rows[q][0] for q in net.nodes]), np.zeros((sum(count), 2))
        super().__init__(net.model, net.hidden, net.table, longest, net.nodes, self.owners, self.all_rows,
                         bounds, np.zeros((0, net.d), np.int32), Work(1 << 60))  # fmt: skip
        self.net, self.groups, self.near = net, {q: rows[q][1] for q in net.nodes}, near
        self.starts: dict[Any, Ints] = {}
        """Bases to start from: those found when the same was asked last"""
        self.of_loops: dict[Any, Ints] = {}
        self.asked: Any = None
        self.noted: list[Ints] = []

    def cheapest(self, asked: Any, q: int, wanted: Array, bounds: Array) -> tuple[Array, Ints, Array]:
        found = cheapest(wanted, self.rows[q], bounds + 1e-12, self.starts.get(asked))
        if asked is not None:
            self.starts[asked] = found[1]
        return found

    def basis(self, q: int, wanted: Array) -> Array:
        known = self.of_loops.get(self.asked)
        self.noted.append(self.cheapest(self.asked, q, wanted, self.last[q])[1] if known is None else known)
        return self.noted[-1]

    def keeps(self, q: int, path: Path) -> None:
        x = next(x for x in self.net.loops[q] if np.array_equal(path.whole, self.net.A[x]))
        self.asked = "loop", q, x
        super().keeps(q, path)
        self.asked = None

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
            path = path.step(self.net.A[x], self.unit)
        v, rows = self.hidden[way.end], self.rows[way.end]
        along = v[None] / float(v @ v)
        beside = rows - (rows @ v)[:, None] * along
        size = np.abs(rows) + (np.abs(rows) @ np.abs(v))[:, None] * np.abs(along)
        scale, lost = path.carried(along, np.abs(along))
        self.asked = "along", q, way.word
        slope = self.bounded(q, along @ path.whole, np.abs(along) @ path.size)[1]
        least = float((scale - slope - lost)[0])
        if least <= 0:
            raise InputError(f"errors at learnt state {q} grew too large; try another --size or --up-to")
        away, off = path.carried(beside, size)
        self.asked = "beside", q, way.word
        error = self.bounded(q, beside @ path.whole, size @ path.size)[1]
        return np.asarray((np.abs(away) + off + error) * 1.0001 / least)

    def grown(self, q: int, x: int) -> float:
        v = self.hidden[q]
        return float(v @ self.net.A[x] @ v) / float(v @ v)

    def noise(self, q: int) -> Array:
        """What one step of a sweep adds to each row."""
        rows, most = self.rows[q], np.zeros(len(self.rows[q]))
        for x in self.net.loops[q]:
            path, grown = Path(self.hidden[q], self.sizes[q]).step(self.net.A[x], self.unit), self.grown(q, x)
            moved, off = path.carried(rows, np.abs(rows))
            most = np.maximum(most, (off + np.abs(moved - grown * (rows @ self.hidden[q]))) / grown)
        return most

    def close(self, q: int, entry: Array, noise: Array) -> None:
        """Bounds that the loops keep: first those at a sweep's end, which say what rows are made of; with
        these bases then those at its beginning, and what is added at each step."""
        last, bases = self._ends(q, entry + self.longest * noise), []
        for x in self.net.loops[q]:
            wanted = self.rows[q] @ self.net.A[x]
            _, basis, c = self.cheapest(("down", q, x), q, wanted, last)
            self.of_loops["loop", q, x] = basis
            bases.append((basis, np.abs(c) / self.grown(q, x)))
        # Rows that are nearly kept creep on for ever: the sooner one stops the better, once others are still.
        first, more, best, applied = entry, noise, np.inf, 0
        for tries in (20, 50, 100, 200, 500, 1000, 3000):
            for _ in range(tries - applied):
                for basis, c in bases:
                    first = np.maximum(first, (c * first[basis]).sum(1))
                    more = np.maximum(more, (c * more[basis]).sum(1))
            applied = tries
            grows = [max(((c * b[basis]).sum(1) / b).max() for basis, c in bases) - 1 for b in (first, more)]
            room = 1 - self.longest * np.maximum(grows, 1e-9)
            added = more * 1.01 / room[1] + grows[0] * first * 1.02 / room[0]
            wide = float(((first + self.longest * added) / last).mean())
            if room.min() > 0.5 and wide < best:
                best = wide
                self.put(q, first, added)
        if best == np.inf:
            raise InputError(f"errors grow too fast at learnt state {q}; try a smaller --up-to")

    def _ends(self, q: int, entry: Array) -> Array:
        maps = {x: self.rows[q] @ self.net.A[x] / self.grown(q, x) for x in self.net.loops[q]}
        bounds, groups = entry.copy(), self.groups[q]
        for group in range(groups.max() + 1):
            bounds[groups == group] = entry[groups == group].max()
        free = groups < 0
        for _ in range(60 if free.any() else 0):  # the loops keep groups; other rows are raised until kept
            before = bounds.copy()
            for x, images in maps.items():
                found = self.cheapest(("up", q, x), q, images[free], bounds)[0]
                bounds[free] = np.maximum(bounds[free], found)
            if (bounds / before).max() < 1 + self.near:
                break
        bounds[free] *= 1 + 3 * self.near
        for _ in range(2):  # and what is larger than its images need is lowered
            needs = [self.cheapest(("down", q, x), q, F, bounds)[0] for x, F in maps.items()]
            bounds = np.minimum(bounds, np.max([entry, *needs], 0) * (1 + 2e-5))
        return bounds

    def round(self, first: Array) -> Array:
        """From these bounds at the cut through all nodes; what is brought back to it."""
        cut = self.net.cut
        self.put(cut, first, 0 * first)
        self.measure(cut)
        for t in self.net.nodes[1:]:
            entry = np.max([self.brought(way) for way in self.net.to(t)], 0) + 1e-9
            if np.isinf(self.sizes[t]).any():  # later, those of the last round say how much is rounded
                self.put(t, 2 * entry + 1e-7, 0 * entry)
                self.measure(t)
            self.close(t, entry, self.noise(t) * 1.05)
            self.measure(t)
            say(f"state {t}: bounds on {len(entry)} rows, errors up to {self.sizes[t].max():.3f}")
        return np.asarray(np.max([self.brought(way) for way in self.net.to(cut)], 0))

    def as_measure(self) -> dict[str, Any]:
        """Checked, with the bases noted, as it stands in a proof."""
        self.noted, self.asked, self.starts = [], None, {}
        self.check()
        of = lambda part: np.concatenate([part[q] for q in self.net.nodes])  # noqa: E731
        return {
            "nodes": packed(np.array(self.net.nodes, np.int32)[:, None]),
            "owners": packed(self.owners.astype(np.int32)[:, None]),
            "rows": packed(self.all_rows),
            "bounds": packed(np.column_stack([of(self.first), of(self.more)])),
            "bases": packed(np.vstack(self.noted).astype(np.int32)),
            "longest": self.longest,
        }


def found_rows(net: Net, kept: dict[str, Any], keep: Callable[..., None]) -> Rows:
    """Steps 2 to 4, or what is kept of them."""
    if kept:
        return {q: (kept[f"rows{q}"], kept[f"groups{q}"]) for q in net.nodes}
    own, samples = at_cut(net)
    rows = {net.cut: (own, np.full(len(own), -1))}
    for q in net.nodes[1:]:
        rows[q] = at_node(net, q, samples)
        say(f"state {q}: {len(rows[q][0])} rows in {rows[q][1].max() + 1} groups")
    refined(net, rows, samples)
    for q, (here, groups) in rows.items():
        keep(**{f"rows{q}": here, f"groups{q}": groups})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", help="a model that gradient descent alone made, such as add2.descent")
    parser.add_argument("--up-to", type=int, default=99, help="the longest inputs, in symbols (99)")
    parser.add_argument("--out", type=File, required=True, help="where to write the proof")
    parser.add_argument("--size", type=float, default=0.045, help="the largest bound at the cut (0.045)")
    parser.add_argument("--rounds", type=int, default=6, help="at most so many of step 5 (6)")
    asked = parser.parse_args()
    weights, kept_at = load(asked.model), asked.out.with_name(asked.out.name + ".partial.npz")
    if not isinstance(weights, Weights):
        raise InputError(f"expected a learnt model, found the machine {asked.model}")
    net = Net(weights)
    say(f"nodes {net.nodes}, {len(net.paths)} paths, the first is the cut")
    kept: dict[str, Any] = dict(np.load(kept_at)) if kept_at.exists() else {}
    if kept and str(kept["model"]) != net.model.sha256:
        raise InputError(f"{kept_at} is about other weights; remove it, or give another --out")

    def keep(**parts: Any) -> None:
        kept.update(parts, model=net.model.sha256)
        np.savez(kept_at, **kept)

    rows = found_rows(net, kept, keep)
    if "shape" not in kept:
        back = Sets(net, rows, 1, 1e-3).round(np.full(net.d, asked.size / 20))
        keep(shape=np.maximum(back / back.max(), 0.05))
        say(f"shape of the cut's set: {np.array2string(kept['shape'], precision=2)}")
    sets, goal = Sets(net, rows, asked.up_to + 1), f"{asked.up_to} {asked.size}"
    first = kept["first"] if str(kept.get("goal")) == goal else kept["shape"] * asked.size
    for turn in range(asked.rounds):
        back = sets.round(first)
        say(f"round {turn + 1}: {float((back / first).max()):.3f} of what was assumed at the cut comes back")
        if (back <= first).all():
            break
        first = np.maximum(first, back * 1.05)
        keep(goal=goal, first=first)
    else:
        say(f"no sets were found in {asked.rounds} rounds; a shorter --up-to may have some")
        return 1
    learnt = {"sha256": net.model.sha256, "hidden": packed(net.hidden), "measure": sets.as_measure()}
    proof = certificate(
        net.machine, net.reference, net.language, start_of(weights), net.pairing, net.closure, learnt,
        None, net.known["answer"],
    )  # fmt: skip
    shown = check(to_bytes(proof), weights_bytes(weights))
    save_proof(proof, asked.out)
    say(f"{asked.out}: {sentence(shown)}")
    return 0 if (shown["length"] or 0) >= asked.up_to else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except np.linalg.LinAlgError:
        say("errors grow without end; a shorter --up-to may have sets")
        sys.exit(1)
    except (InputError, Rejected) as reason:
        print(f"sweep_sets.py: {reason}", file=sys.stderr)
        sys.exit(2 if isinstance(reason, InputError) else 1)
