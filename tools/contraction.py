"""How long a sweep may be before weights of gradient descent alone might err: contraction over whole sweeps.

python tools/contraction.py add2.descent 0.1

`dfst prove MODEL` finds the learnt states of such a model and an invariant: a table that acts as the expert
does on every input. Whether the weights follow that table hangs on errors. Let h = σ (v + e), v the centre of
a learnt state. A rule q → t makes e into A[x]e/α + c. A rule q → q is a *loop*, and uses of loops in a row
are a *sweep*.

- Between sweeps errors shrink. States with a loop, and those that several rules lead to, have a norm |C e|;
  from one of them to the next, over every word of the sweep, |C e| is multiplied by at most ρ < 1.
- In a sweep A[x] is replaced by a matrix that keeps exactly what A[x] keeps to a few parts in a million; what
  that leaves out is counted at each step, as are c and the rounding of float32 in A[x]h.
- A state with two loops, x and y, has a sweep for every word. Beside the directions that both keep, each run
  of x or y shrinks what is left by θ < 1 in norms of their own, so that long words lie near short ones.

What is printed: ρ, and the longest sweep at which no decision can change. The second argument is the radius
within which words are taken for one. Everything is computed in float64 and not rounded outwards, and that
scores are rounded is not counted: a computation, not yet a proof.

Legend: d hidden size, q, t learnt states, x symbols.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dfst.api import load, prove
from dfst.errors import InputError
from dfst.machines.agent import HALT, MISSING
from dfst.model.weights import Weights
from dfst.proof.reading import MOST_WORK, Work, array, read_table
from dfst.world.grid import MOTION_NAMES

POWERS = 16
"""Of a loop that are looked at; later ones are the same to a part in ten million."""
KEPT = 1e-4
"""Directions that a loop moves by less than this are kept."""
WORDS = 300_000
"""At most so many words of two loops"""
Array = NDArray[np.float64]


def size(M: Array) -> float:
    return float(np.linalg.norm(M, 2))


def sizes(M: Array) -> Array:
    """(n,) of matrices (n, ·, ·)"""
    return np.asarray(np.linalg.norm(M, 2, axis=(1, 2)))


def fitted(
    maps: list[tuple[int, int, Array]], count: int, steps: int, near: float = 0.0
) -> tuple[float, Array]:
    """Norms |C e|, one for each of `count` states, in which the maps (from, to, matrix) shrink the most.

    near: how much it counts that they are near the usual norm
    """
    torch.set_default_dtype(torch.float64)
    source, target = (torch.tensor([part[i] for part in maps]) for i in (0, 1))
    matrices = torch.from_numpy(np.stack([part[2] for part in maps]))
    C = torch.eye(matrices.shape[1]).repeat(count, 1, 1).requires_grad_()
    optimiser, best, found = torch.optim.Adam([C], lr=0.02), np.inf, C.detach().numpy().copy()
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = 0.02 * (1 - step / steps) + 1e-4
        seen = C[target] @ matrices @ torch.linalg.inv(C)[source]
        if step % 20 == 0 or step == steps - 1:
            largest = float(torch.linalg.matrix_norm(seen.detach(), 2).max())
            if largest < best:
                best, found = largest, C.detach().numpy().copy()
        if near:
            seen = torch.cat([seen, near * C, near * torch.linalg.inv(C)])
        power = seen @ seen.transpose(1, 2)
        power = power @ power
        power = power @ power
        loss = torch.logsumexp(2 * torch.log((power @ power * power).sum((1, 2)) + 1e-200), 0) / 48
        optimiser.zero_grad()
        (loss + 1e-3 * torch.log(torch.linalg.matrix_norm(C)).abs().mean()).backward()
        optimiser.step()
    return best, found


class Sweeps:
    """All words over the loops of a state, as matrices."""

    def __init__(self, A: Array, symbols: tuple[int, ...]) -> None:
        d = A.shape[1]
        self.symbols = symbols
        moved, rows = np.linalg.svd(np.vstack([A[x] - np.eye(d) for x in symbols]))[1:]
        self.kept = rows[moved < KEPT].T
        """(d, k) an orthonormal basis of what all loops keep"""
        self.powers = {x: self._powers(A[x]) for x in symbols}
        """The first of each loop, kept directions made exact"""
        if len(symbols) == 2:
            self._beyond()

    def _powers(self, A: Array) -> Array:
        values, vectors = np.linalg.eig(A)
        kept = abs(values) > 0.99
        k, d = int(kept.sum()), len(A)
        own, dying = (
            np.linalg.svd(np.hstack([part.real, part.imag]))[0][:, :n]
            for part, n in ((vectors[:, kept], k), (vectors[:, ~kept], d - k))
        )
        rest = own - self.kept @ (self.kept.T @ own)
        basis = np.hstack([self.kept, np.linalg.svd(rest)[0][:, : k - self.kept.shape[1]], dying])
        inside = (np.linalg.inv(basis) @ A @ basis)[k:, k:]
        exact = np.zeros((POWERS + 1, d, d))
        exact[:, :k, :k] = np.eye(k)
        exact[:, k:, k:] = [np.linalg.matrix_power(inside, j) for j in range(POWERS + 1)]
        self.tail = max(getattr(self, "tail", 0.0), size(exact[-1, k:, k:]))
        return np.asarray(basis @ exact @ np.linalg.inv(basis))

    def _beyond(self) -> None:
        """θ, and how far a word can carry what is not kept by all: `reach` times its size."""
        k, runs = self.kept.shape[1], range(1, POWERS + 1)
        self.rest = np.linalg.svd(self.kept)[0][:, k:]
        inner = {x: self.rest.T @ M @ self.rest for x, M in self.powers.items()}
        maps = [(i, 1 - i, inner[x][j]) for i, x in enumerate(self.symbols) for j in runs]
        self.theta, Z = fitted(maps, 2, 400)
        back = {x: np.linalg.inv(Z[i]) for i, x in enumerate(self.symbols)}
        given = max(
            size(self.kept.T @ M[j] @ self.rest @ back[x]) for x, M in self.powers.items() for j in runs
        )
        during = max(size(inner[x][j] @ back[x]) for x in self.symbols for j in range(POWERS + 1))
        self.reach = (given / (1 - self.theta) + during) * max(map(size, Z)) + 1
        self.carried = self.reach + 1  # at most the size of any word
        for far in (8.0, 1.0, 0.3):
            words, radius = self.words(self.rest, far)
            self.reach = min(self.reach, float((sizes(words - self.rest) + radius).max()))
            self.carried = min(self.carried, self.reach + 1)

    def words(self, start: Array, far: float) -> tuple[Array, Array]:
        """(n, d, ·), (n,): each word applied to `start` is within the radius of one of these."""
        if not self.symbols:
            return start[None], np.zeros(1)
        if len(self.symbols) == 1:
            return np.asarray(self.powers[self.symbols[0]] @ start), np.zeros(POWERS + 1)
        found, radii = [start[None]], [np.zeros(1)]
        ahead = dict.fromkeys(self.symbols, (start[None], np.zeros(1)))
        """By the symbol of the next run"""
        while any(len(words) for words, _ in ahead.values()):
            following = {}
            for x, y in (self.symbols, self.symbols[::-1]):
                made, off = self._runs(x, *ahead[x], far / 8)
                beyond = self.reach * sizes(self.rest.T @ made) if len(made) else np.zeros(0)
                near = beyond <= far
                found.append(made)
                radii.append(off + np.where(near, beyond, 0.0))
                following[y] = made[~near], off[~near]
            ahead = following
            if sum(map(len, found)) > WORDS:
                raise InputError(f"more than {WORDS:,} words of two loops; allow a larger radius")
        return np.concatenate(found), np.concatenate(radii)

    def _runs(self, x: int, words: Array, off: Array, near: float) -> tuple[Array, Array]:
        """Each word followed by runs of x; long runs that lie near each other are taken for one. What that is
        off by is carried on by any word, so it is multiplied by `carried` once."""
        made, offs = [], []
        for j in range(1, POWERS + 1):
            if not len(words):
                break
            apart = np.linalg.norm((self.powers[x][j:] - self.powers[x][-1])[:, None] @ words, axis=(2, 3))
            apart = self.carried * apart.max(axis=0)
            last = apart <= near
            made.append(np.where(last[:, None, None], self.powers[x][-1], self.powers[x][j]) @ words)
            offs.append(off + np.where(last, apart, 0.0))
            words, off = words[~last], off[~last]
        return (np.concatenate(made), np.concatenate(offs)) if made else (words, off)


class Follow:
    """The table of a model's learnt states, and errors beside it."""

    def __init__(self, weights: Weights, proof: dict[str, Any]) -> None:
        self.A = weights.A.astype(np.float64)
        self.d = self.A.shape[1]
        work = Work(MOST_WORK)
        stacked = np.concatenate([self.A, weights.B, weights.C], axis=1).astype(np.float64)
        write, motion, self.next = read_table(proof["subject"]["table"], len(weights.alphabet), work)
        hidden = array(proof["weights"]["hidden"], "float64", work)
        self.centre = hidden / np.linalg.norm(hidden, axis=1)[:, None]
        rules = [(int(q), int(x)) for q, x in np.argwhere(self.next != MISSING)]
        own = {q: tuple(x for p, x in rules if p == q and self.next[q, x] == q) for q in range(len(hidden))}
        sweeps = cache(lambda symbols: Sweeps(self.A, symbols))
        self.sweeps: dict[int, Sweeps] = {}
        for q, symbols in own.items():
            if len(symbols) > 2:
                raise InputError(f"learnt state {q} loops over {len(symbols)} symbols; at most two are done")
            if symbols:
                self.sweeps[q] = sweeps(symbols)
                kept = self.sweeps[q].kept @ (self.sweeps[q].kept.T @ self.centre[q])
                self.centre[q] = kept / np.linalg.norm(kept)
        self.rules: dict[int, list[tuple[int, Array, float]]] = {q: [] for q in own}
        """q → (t, A[x]/α, |c|) of each rule to another state"""
        self.noise = dict.fromkeys(own, 0.0)
        """In a sweep, at each step: |c|"""
        self.growth = dict.fromkeys(own, 0.0)
        """In a sweep, at each step: what is not kept exactly, as a multiple of the error"""
        self.leads = {q: np.zeros((0, self.d)) for q in own}
        """Rows l: no decision in q changes while |l e| < 1"""
        self.absolute = 0.0
        for q, x in rules:
            rule = int(write[q, x]), int(motion[q, x]), int(self.next[q, x])
            self.leads[q] = np.vstack([self.leads[q], *self._leads(stacked[x], weights, q, *rule)])
            t = int(self.next[q, x])
            if t == HALT:
                continue
            image = self.A[x] @ self.centre[q]
            scale = float(self.centre[t] @ image)
            away = float(np.linalg.norm(image / scale - self.centre[t]))
            self.absolute = max(self.absolute, float(np.linalg.norm(abs(self.A[x]) / scale)))
            if t == q:
                loop = self.sweeps[q]
                self.noise[q] = max(self.noise[q], away)
                left_out = size(self.A[x] / scale - loop.powers[x][1]) + loop.tail
                self.growth[q] = max(self.growth[q], left_out)
            else:
                self.rules[q].append((t, self.A[x] / scale, away))
        entries = [t for q in own for t, _, _ in self.rules[q]]
        self.nodes = [q for q in own if own[q] or q == 0 or entries.count(q) > 1]
        self.paths = {q: list(self._paths(q)) for q in self.nodes}

    def _leads(
        self, rows: Array, weights: Weights, q: int, written: int, motion: int, following: int
    ) -> Iterator[Array]:
        d, k = self.d, len(weights.alphabet)
        name = "S" if following == HALT else MOTION_NAMES[motion]
        for part, wanted in ((rows[d : d + k], written), (rows[d + k :], weights.motions.index(name))):
            ahead = part[wanted] - np.delete(part, wanted, axis=0)
            margin = ahead @ self.centre[q]
            if not (margin > 0).all():
                raise InputError(f"the weights decide otherwise at learnt state {q}")
            yield ahead / margin[:, None]

    def _paths(self, q: int) -> Iterator[tuple[tuple[int, ...], list[Array], list[float]]]:
        """From a node until the next: the states, the maps and |c| on the way; every beginning is one too."""
        open_paths: list[tuple[tuple[int, ...], list[Array], list[float]]] = [((q,), [], [])]
        while open_paths:
            states, maps, noises = open_paths.pop()
            for t, A, away in self.rules[states[-1]]:
                longer = (*states, t), [*maps, A], [*noises, away]
                yield longer
                if t not in self.nodes:
                    open_paths.append(longer)

    def words(self, q: int, start: Array, far: float) -> tuple[Array, Array]:
        return self.sweeps[q].words(start, far) if q in self.sweeps else (start[None], np.zeros(1))


def product(maps: list[Array], d: int) -> Array:
    whole = np.eye(d)
    for A in maps:
        whole = A @ whole
    return whole


def contract(model: Follow, far: float) -> tuple[dict[int, Array], dict[int, Array]]:
    """The norms C (d - 1, d - 1) of the nodes, and bases (d, d - 1) of what is beside their centres."""
    beside = {q: np.linalg.svd(model.centre[q][None])[2][1:].T for q in model.nodes}
    rng, at = np.random.default_rng(0), {q: i for i, q in enumerate(model.nodes)}
    last = {q for q in model.nodes if not model.paths[q]}
    ways = []
    for q in model.nodes:
        words = model.words(q, beside[q], far)[0]
        for states, path, _ in model.paths[q]:
            if (t := states[-1]) in model.nodes and t not in last:
                ways.append((q, t, beside[t].T @ product(path, model.d) @ words))
    maps = [(at[q], at[t], M) for q, t, made in ways for M in made[rng.permutation(len(made))[:80]]]
    for _ in range(2):
        # Words that the norms do not shrink yet join those that they are fitted to.
        sampled, found = fitted(maps, len(model.nodes), 200, near=0.3)
        C = {q: found[at[q]] for q in model.nodes}
        print(f"ρ {sampled:.3f} over {len(maps):,} words", flush=True)
        for q, t, made in ways:
            seen = sizes(C[t] @ made @ np.linalg.inv(C[q]))
            maps += [(at[q], at[t], made[i]) for i in np.argsort(-seen)[:30] if seen[i] > 0.7 * sampled]
    sampled, found = fitted(maps, len(model.nodes), 250, near=0.3)
    print(f"ρ {sampled:.3f} over {len(maps):,} words", flush=True)
    C = {q: found[at[q]] for q in model.nodes}
    for t in last:
        C[t] = np.eye(model.d - 1) / 8
    return C, beside


Bound = dict[str, float]


def bounds(
    model: Follow, q: int, start: Array, far: float, C: dict[int, Array], beside: dict[int, Array]
) -> Bound:
    """Of an error `start · z`, |z| ≤ 1, at a node, over all words and paths to the next node: how large it
    gets, what it does to decisions, how large it is in the next node's norm, and along its centre."""
    words, radius = model.words(q, start, far)
    found = {"error": 0.0, "lead": 0.0, "next": 0.0, "along": 0.0}

    def take(name: str, of: Array, reach: Array | float) -> None:
        found[name] = max(found[name], float((of + reach * radius).max()))

    for states, path, _ in [((q,), [], []), *model.paths[q]]:
        t, whole = states[-1], product(path, model.d)
        made, wide = whole @ words, size(whole)
        take("error", sizes(made), wide)
        for row in model.leads[t]:
            take("lead", np.linalg.norm(row @ made, axis=-1), float(np.linalg.norm(row @ whole)))
        if path and t in model.nodes:
            take("next", sizes(C[t] @ (beside[t].T @ made)), size(C[t] @ beside[t].T @ whole))
            take("along", np.linalg.norm(model.centre[t] @ made, axis=-1), wide)
    return found


def path_noise(model: Follow, q: int, C: dict[int, Array], beside: dict[int, Array], each: float) -> Bound:
    """The same of what is added on the paths themselves: c, and `each` at every step."""
    found = {"error": 0.0, "lead": 0.0, "next": 0.0, "along": 0.0}
    for states, path, noises in model.paths[q]:
        t, total = states[-1], dict.fromkeys(found, 0.0)
        for i, away in enumerate(noises):
            whole = product(path[i + 1 :], model.d)
            total["error"] += size(whole) * (away + each)
            total["lead"] += max((float(np.linalg.norm(r @ whole)) for r in model.leads[t]), default=0) * (
                away + each
            )
            if t in model.nodes:
                total["next"] += size(C[t] @ beside[t].T @ whole) * (away + each)
                total["along"] += size(whole) * (away + each)
        found = {name: max(found[name], total[name]) for name in found}
    return found


def longest_sweep(
    model: Follow, carried: dict[int, Bound], added: dict[int, Bound], unit: float, **norms: Any
) -> int:
    """The longest sweep at which errors stay where no decision changes; unit: of rounding, 0 for none."""
    rounding = (model.d + 1) * unit * 1.01 * model.absolute
    on_paths = {q: path_noise(model, q, each=2 * rounding, **norms) for q in model.nodes}

    def holds(n: int) -> bool:
        entry = 1e-12
        for _ in range(300):
            worst = 0.0
            for q in model.nodes:
                error = 0.0
                for _ in range(4):
                    step = model.noise[q] + model.growth[q] * error + rounding * (1 + error)
                    noise = n * step if q in model.sweeps else 0.0
                    now = {
                        name: carried[q][name] * entry + added[q][name] * noise + on_paths[q][name]
                        for name in added[q]
                    }
                    error = now["error"]
                if now["lead"] >= 1 or now["along"] >= 0.5 or error >= 0.5:
                    return False
                worst = max(worst, now["next"] / (1 - now["along"]))
            if worst <= entry:
                return True
            entry = worst * (1 + 1e-6)
        return False

    right, wrong = 0, 1 << 24
    while wrong - right > 1:
        middle = (right + wrong) // 2
        right, wrong = (middle, wrong) if holds(middle) else (right, middle)
    return right


def main(name: str, far: str = "0.1") -> None:
    weights = load(name)
    if not isinstance(weights, Weights):
        raise InputError(f"expected a model of gradient descent alone, found the machine {name}")
    verdict = prove(name)
    if verdict.proof is None or verdict.proof["weights"] is None:
        raise InputError(f"{name} has no learnt states with an invariant: {verdict.sentence()}")
    model = Follow(weights, verdict.proof)
    print(
        f"{len(model.centre)} learnt states, {len(model.sweeps)} with loops, {len(model.nodes)} nodes",
        flush=True,
    )
    C, beside = contract(model, 0.3)
    carried, added = {}, {}
    for q in model.nodes:
        carried[q] = bounds(model, q, beside[q] @ np.linalg.inv(C[q]), float(far), C, beside)
        added[q] = bounds(model, q, np.eye(model.d), 1.0, C, beside)
        print(f"state {q}: ρ {carried[q]['next']:.3f}", flush=True)
    print(f"ρ {max(part['next'] for part in carried.values()):.3f}")
    for arithmetic, unit in (("exact arithmetic", 0.0), ("float32", 2.0**-24)):
        n = longest_sweep(model, carried, added, unit, C=C, beside=beside)
        print(f"{arithmetic}: no decision changes while no sweep is longer than {n:,} steps")


if __name__ == "__main__":
    main(*sys.argv[1:])
