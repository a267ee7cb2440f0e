"""In which coordinates errors beside learnt states are counted: for the checker to judge (drift.py).

Nothing here has to be trusted. Two choices are made, and the one that covers more steps is taken:

- *One block*: the learnt states as a basis. A model that moves each of them to another never makes an error
  larger that is measured so.
- *Three blocks*, for models with room to spare, such as gradient descent alone leaves. Of all directions,
  what long words take to nothing *dies out*; of the others, what long words lead to is *kept*; the rest is
  *passed on* once, and nothing leads there. Only errors in what is kept add up. Learnt states are moved first
  to where their edges take them on average, as each was met after another past.

Legend: d hidden size, n learnt states, p blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.model.weights import to_bytes
from dfst.proof.drift import covered_steps, error_bounds
from dfst.proof.floats import Model, read_weights
from dfst.proof.reading import Rejected
from dfst.proof.sides import packed
from dfst.states.graph import StateGraph

Array = NDArray[np.float64]
ROUNDS = 300  # in which learnt states are moved to where their edges lead
WORDS, LONG = 64, 100  # words that tell what dies out, and how long they are
GONE = 1e-3  # what is left of a direction that dies out, of the largest
TRIES, FEW = 3_000, 12  # steps of the search for a basis in which it shrinks, for so many dimensions at most


@dataclass(frozen=True, eq=False)
class Measure:
    """Learnt states, and coordinates Z e of errors beside them in blocks."""

    hidden: Array  # (n, d)
    to: Array  # (d, d) Z
    back: Array  # (d, d) its inverse
    blocks: NDArray[np.int32]  # (d,) the block of each coordinate

    def packed(self) -> dict[str, Any]:
        """As it stands in a proof."""
        return {"to": packed(self.to), "back": packed(self.back), "blocks": packed(self.blocks[:, None])}

    def steps(self, model: Model, graph: StateGraph) -> int:
        """How many steps of the graph it covers; 0: none."""
        table = graph.write.astype(int), graph.motion.astype(int), graph.next.astype(int)
        try:
            return covered_steps(error_bounds(model, self.hidden, table, self.to, self.back, self.blocks))
        except Rejected:
            return 0


def best_measure(graph: StateGraph) -> Measure:
    """Of both choices the one that covers more steps."""
    hidden = graph.hidden.astype(np.float64)
    one = Measure(hidden, *states_as_basis(hidden), np.zeros(hidden.shape[1], np.int32))
    model = read_weights(to_bytes(graph.weights))
    return max((one, *three_blocks(graph)), key=lambda measure: measure.steps(model, graph))


def states_as_basis(hidden: NDArray[Any]) -> tuple[Array, Array]:
    """(Z, Y), Y the inverse of Z: the coordinates in which errors are counted, which are the learnt states
    (n, d) as far as they are independent, and a rest. The farthest from the span of those before it come
    first."""
    states = hidden.astype(np.float64)
    rest, basis = states.copy(), list[Array]()
    size = float(np.linalg.norm(states, axis=1).max()) or 1.0
    while len(basis) < states.shape[1]:
        length = np.linalg.norm(rest, axis=1)
        at = int(np.argmax(length))
        if length[at] < GONE * size:
            break
        basis.append(states[at])
        direction = rest[at] / length[at]
        rest -= np.outer(rest @ direction, direction)
    taken = np.array(basis).reshape(-1, states.shape[1])
    beyond = np.linalg.svd(taken)[2][len(basis) :] * size if len(basis) else np.eye(states.shape[1])
    Y = np.concatenate([taken, beyond]).T
    return np.linalg.inv(Y), np.ascontiguousarray(Y)


def three_blocks(graph: StateGraph) -> Iterator[Measure]:
    """The second choice; none where nothing dies out, or everything does."""
    rng, A = np.random.default_rng(0), graph.weights.A.astype(np.float64)
    maps = A[(graph.next >= 0).any(axis=0)]
    try:
        with np.errstate(all="ignore"):
            hidden = moved_to_means(graph, A)
            left = _after_words(maps, rng)
            _, sizes, axes = np.linalg.svd(np.vstack(left))
            lasts = int((sizes > GONE * sizes[0]).sum())
            Q, gone = axes[:lasts], axes[lasts:].T  # what lasts, as coordinates; what dies out, as directions
            axes, sizes, _ = np.linalg.svd(np.hstack([Q @ word for word in left]))
            kept = int((sizes > GONE * sizes[0]).sum())
            passed_on, stays = axes[:, kept:].T @ Q, axes[:, :kept].T @ Q
            there = np.linalg.norm(passed_on @ hidden.T, axis=0) < GONE * np.linalg.norm(hidden, axis=1).max()
            turned, _ = states_as_basis((stays @ hidden[there].T).T)
            lasting = np.vstack([passed_on, turned @ stays])
            lift = np.linalg.pinv(lasting)
            seen = turned @ stays @ hidden[there].T
            for column, unit in enumerate(np.eye(kept), len(passed_on)):  # the state that is this direction
                nearest = hidden[there][np.abs(seen - unit[:, None]).sum(axis=0).argmin()]
                lift[:, column] += gone @ (gone.T @ nearest)
            shrinks = shrinking(np.array([gone.T @ M @ gone for M in maps]), rng)
            rest = shrinks @ gone.T @ (np.eye(A.shape[1]) - lift @ lasting)
            Z = np.vstack([lasting, rest])
            parts = [0] * len(passed_on) + [1] * kept + [2] * gone.shape[1]
            blocks = np.unique(parts, return_inverse=True)[1].astype(np.int32)
            yield Measure(hidden, Z, np.linalg.inv(Z), blocks)
    except (np.linalg.LinAlgError, ValueError):  # words that no run reads may grow beyond all numbers
        return


def moved_to_means(graph: StateGraph, A: Array) -> Array:
    """(n, d) learnt states, each where its edges lead on average."""
    hidden = graph.hidden.astype(np.float64)
    q, x = np.nonzero(graph.next >= 0)
    to = graph.next[q, x]
    met = np.bincount(to, minlength=len(hidden))
    for _ in range(ROUNDS):
        sums = np.zeros_like(hidden)
        np.add.at(sums, to, np.einsum("eij,ej->ei", A[x], hidden[q]))
        hidden = np.where(met[:, None] > 0, sums / np.maximum(met, 1)[:, None], hidden)
    return hidden


def _after_words(maps: Array, rng: np.random.Generator) -> list[Array]:
    """What words of many symbols do, and those of a single one: products, each divided by its size."""
    left = [np.linalg.matrix_power(M, LONG) for M in maps]
    for _ in range(WORDS):
        word = np.eye(maps.shape[1])
        for x in rng.integers(len(maps), size=LONG + int(rng.integers(LONG))).tolist():
            word = maps[x] @ word
        left.append(word)
    return [word / np.linalg.norm(word) for word in left]


def shrinking(maps: Array, rng: np.random.Generator) -> Array:
    """A basis change P in which all maps shrink: the largest ‖P M P⁻¹‖₁ as small as a search makes it."""
    k = maps.shape[1]

    def worst(P: Array) -> float:
        return float(np.abs(P @ maps @ np.linalg.inv(P)).sum(axis=1).max(initial=0))

    found = [np.eye(k)]
    for M in [*maps, maps.sum(axis=0)] if k <= FEW else ():
        values, vectors = np.linalg.eig(M)
        real = [vectors[:, i].real for i in range(k) if values[i].imag >= 0]
        real += [vectors[:, i].imag for i in range(k) if values[i].imag > 0]
        if np.linalg.cond(np.array(real)) < 1e6:
            found.append(np.linalg.inv(np.array(real).T))
    best = min(found, key=worst)
    least, stride = worst(best), 0.3
    for turn in range(TRIES if 0 < k <= FEW else 0):
        tried = best + stride * rng.normal(size=(k, k)) * np.linalg.norm(best) / k
        if (now := worst(tried)) < least:
            best, least = tried, now
        elif turn % 30 == 0:
            stride = max(0.9 * stride, 1e-3)
    return best
