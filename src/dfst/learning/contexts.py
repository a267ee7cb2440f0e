"""The contexts of a model on its training set: the hidden states it visits, and the steps between them.

A model that has learnt an algorithm passes through few hidden states, each many times, blurred by what is
left of its error. Following every trace and telling hidden states apart at a radius turns the traces into a
small graph. The graph is sound when it is deterministic: from one context, one symbol leads to one context
with one action. Two contexts that one step leads to are taken for one; a radius that is too large shows as a
context that would have to act in two ways.

Legend: K contexts, Σ symbols, d hidden size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.grid import S
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet

NONE = -1
MOST_CONTEXTS = 20_000
FORCED = 1.5
"""Largest distance of two contexts that a step from one context leads to, in units of the length of h0."""
RADII = tuple(float(r) for r in np.geomspace(0.1, 0.002, 16))
"""Radii to try, largest first, in units of the length of h0."""


@dataclass(frozen=True)
class ContextGraph:
    """Contexts, and for each context and symbol where the traces go."""

    centre: NDArray[np.float64]
    """(K, d) mean of the hidden states of each context; context 0 is the start"""
    following: NDArray[np.int32]
    """(K, Σ) next context; NONE where the traces show nothing, or where the run halts"""
    action: NDArray[np.int32]
    """(K, Σ) symbol + 256 · motion; NONE where the traces show nothing"""
    radius: float
    spread: float
    """Largest distance of a visited hidden state from its context's first one"""

    @property
    def edges(self) -> NDArray[np.int64]:
        """(E, 2) every (context, symbol) the traces show."""
        return np.argwhere(self.action != NONE)


@njit(cache=True)
def _follow(A, h0, x, action, start, radius, first, total, visits, following, actions, newest, same):
    """Follow every trace, keeping contexts in `first` (cap, d).

    Returns the contexts, the pairs in `same` and the largest distance. A step that leads from one context to
    two is noted in `same` (n, 2): they must be one. Stops, and says -1 pairs, when a context would have to
    act in two ways, or when there is no room.
    """
    d = h0.shape[0]
    cap = first.shape[0]
    contexts, pairs, spread = 1, 0, 0.0
    first[0] = h0
    h, new = np.empty(d), np.empty(d)
    for trace in range(start.shape[0] - 1):
        c = 0
        h[:] = h0
        for t in range(start[trace], start[trace + 1]):
            k = x[t]
            total[c] += h
            visits[c] += 1
            if actions[c, k] == NONE:
                actions[c, k] = action[t]
            elif actions[c, k] != action[t]:
                return contexts, -1, spread
            if action[t] >> 8 == S:
                break
            for i in range(d):
                new[i] = 0.0
                for j in range(d):
                    new[i] += A[k, i, j] * h[j]
            h[:] = new
            known = following[c, k]
            best, nearest = NONE, radius * radius
            if known != NONE:
                squares = 0.0
                for i in range(d):
                    squares += (h[i] - first[known, i]) ** 2
                if squares <= nearest:
                    best, nearest = known, squares
            if best == NONE:
                for other in range(contexts):
                    squares = 0.0
                    for i in range(d):
                        squares += (h[i] - first[other, i]) ** 2
                        if squares > nearest:
                            break
                    if squares <= nearest:
                        best, nearest = other, squares
                if best == NONE:
                    if contexts == cap:
                        return contexts, -1, spread
                    best = contexts
                    first[best] = h
                    contexts += 1
                    nearest = 0.0
                if known == NONE:
                    following[c, k] = best
                elif newest[c, k] != best:
                    if pairs == same.shape[0]:
                        return contexts, -1, spread
                    same[pairs, 0], same[pairs, 1] = known, best
                    newest[c, k] = best
                    pairs += 1
            spread = max(spread, np.sqrt(nearest))
            c = best
    return contexts, pairs, spread


def find_contexts(
    theta: NDArray[np.float64], shape: Shape, traces: TraceSet, radius: float
) -> ContextGraph | None:
    """The graph at one radius, or None where hidden states within it lead to different places."""
    A, _, _, h0 = shape.split(theta)
    cap = min(MOST_CONTEXTS, traces.tokens + 1)
    first, total = np.empty((cap, shape.d)), np.zeros((cap, shape.d))
    visits = np.zeros(cap, dtype=np.int64)
    following = np.full((cap, shape.symbols), NONE, dtype=np.int32)
    actions = np.full((cap, shape.symbols), NONE, dtype=np.int32)
    action = traces.s.astype(np.int32) + 256 * traces.m.astype(np.int32)
    newest, same = np.full_like(following, NONE), np.empty((4 * cap, 2), dtype=np.int32)
    found, pairs, spread = _follow(
        np.ascontiguousarray(A), np.ascontiguousarray(h0), traces.x, action, traces.start, radius, first,
        total, visits, following, actions, newest, same,
    )  # fmt: skip
    if pairs < 0:
        return None
    centre = total[:found] / np.maximum(visits[:found, None], 1)
    graph = ContextGraph(centre, following[:found], actions[:found], radius, float(spread))
    merging = _Merging(graph, FORCED * float(np.linalg.norm(h0)))
    for one, two in same[:pairs].tolist():
        if not merging.try_merge(one, two):
            return None
    return merging.graph_of_roots()


def sound_contexts(theta: NDArray[np.float64], shape: Shape, traces: TraceSet) -> ContextGraph | None:
    """The graph at the largest of the radii at which it is deterministic; None if there is none."""
    _, _, _, h0 = shape.split(theta)
    length = float(np.linalg.norm(h0))
    for radius in RADII:
        graph = find_contexts(theta, shape, traces, radius * length)
        if graph is not None:
            return graph
    return None


def merge_contexts(graph: ContextGraph, limit: float) -> ContextGraph:
    """Take contexts for one where nothing the traces show speaks against it, nearest first, up to a distance.

    The traces show only some symbols in each context. Two contexts that agree wherever both are known, and
    lie close, are most simply the same: what is known of one then holds for the other. Taking two for one
    forces their followers together; if any of these disagree in an action, or lie further apart than the
    limit, the two stay apart.
    """
    merging = _Merging(graph, limit)
    squares = (graph.centre**2).sum(1)
    distance = squares[:, None] + squares[None] - 2 * graph.centre @ graph.centre.T
    one, two = np.nonzero(np.triu(distance <= limit**2, 1))
    for pair in np.argsort(distance[one, two], kind="stable"):
        merging.try_merge(int(one[pair]), int(two[pair]))
    return merging.graph_of_roots()


class _Merging:
    """Contexts taken for one so far: a union-find whose roots know what any member knows."""

    def __init__(self, graph: ContextGraph, limit: float) -> None:
        self.graph, self.limit = graph, limit
        self.parent = list(range(len(graph.centre)))
        self.known = [
            {
                int(x): (int(graph.action[c, x]), int(graph.following[c, x]))
                for x in np.flatnonzero(row != NONE)
            }
            for c, row in enumerate(graph.action)
        ]

    def root(self, c: int) -> int:
        while self.parent[c] != c:
            c = self.parent[c]
        return c

    def try_merge(self, one: int, two: int) -> bool:
        """Merge two contexts and all that this forces, or change nothing."""
        undo: list[tuple[int, dict[int, tuple[int, int]]]] = []
        pending = [(one, two)]
        while pending:
            a, b = (self.root(c) for c in pending.pop())
            if a == b:
                continue
            a, b = min(a, b), max(a, b)
            if np.linalg.norm(self.graph.centre[a] - self.graph.centre[b]) > self.limit or not self._agree(
                a, b
            ):
                for root, known in reversed(undo):
                    self.known[self.parent[root]] = known
                    self.parent[root] = root
                return False
            undo.append((b, self.known[a]))
            pending += [
                (self.known[a][x][1], n)
                for x, (_, n) in self.known[b].items()
                if x in self.known[a] and n >= 0
            ]
            self.known[a] = {**self.known[b], **self.known[a]}
            self.parent[b] = a
        return True

    def _agree(self, a: int, b: int) -> bool:
        known = self.known[a]
        return all(known[x][0] == action for x, (action, _) in self.known[b].items() if x in known)

    def graph_of_roots(self) -> ContextGraph:
        """The graph with every group of contexts as one, its centre their mean."""
        graph = self.graph
        roots = [self.root(c) for c in range(len(graph.centre))]
        order = {root: i for i, root in enumerate(dict.fromkeys(roots))}
        label = np.array([order[r] for r in roots])
        following = np.full((len(order), graph.action.shape[1]), NONE, dtype=np.int32)
        action = np.full_like(following, NONE)
        centre = np.zeros((len(order), graph.centre.shape[1]))
        np.add.at(centre, label, graph.centre)
        centre /= np.bincount(label)[:, None]
        for root, i in order.items():
            for x, (act, target) in self.known[root].items():
                action[i, x] = act
                following[i, x] = NONE if target == NONE else order[self.root(target)]
        return ContextGraph(centre, following, action, graph.radius, graph.spread)
