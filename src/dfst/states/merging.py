"""Taking contexts for one: what the traces show of one context, said of all that are most simply the same.

The traces show only some symbols in each context. Two contexts that agree wherever both are known, and lie
close, are most simply one state of the algorithm met in two ways: what is known of one then holds for the
other. Taking two for one forces their followers together; if any of these disagree in an action, or lie too
far apart, the two stay apart.

Agreement is evidence only where both contexts were seen to read the same symbol. Two that share none agree
for want of a witness, and count as `UNWITNESSED` times as far apart as they lie.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dfst.states.trace_graph import NONE, TraceGraph

UNWITNESSED = 3.0
LIMITS = (0.0, *(float(limit) for limit in np.geomspace(0.1, 6.0, 40)))
"""Distances up to which contexts are taken for one, in units of the length of h0."""


def merged_graphs(finest: TraceGraph) -> Iterator[TraceGraph]:
    """Ever coarser graphs, the finest first, each once."""
    length = float(np.linalg.norm(finest.centre[0]))
    distance = distances(finest)
    seen = set()
    for limit in LIMITS:
        graph = merge_contexts(finest, distance, limit * length)
        key = graph.following.tobytes()
        if key not in seen:
            seen.add(key)
            yield graph


def distances(graph: TraceGraph) -> NDArray[np.float64]:
    """(K, K) how far apart contexts count; infinitely far where they act differently."""
    squares = (graph.centre**2).sum(1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * graph.centre @ graph.centre.T, 0))
    witnessed, disagreed = np.zeros(apart.shape, dtype=bool), np.zeros(apart.shape, dtype=bool)
    for action in graph.action.T:
        both = (action != NONE)[:, None] & (action != NONE)[None]
        witnessed |= both
        disagreed |= both & (action[:, None] != action[None])
    apart[~witnessed] *= UNWITNESSED
    apart[disagreed] = np.inf
    return apart


def merge_contexts(graph: TraceGraph, distance: NDArray[np.float64], limit: float) -> TraceGraph:
    """Take contexts for one where nothing speaks against it, nearest first, up to a distance."""
    merging = _Merging(graph, distance, limit)
    one, two = np.nonzero(np.triu(distance <= limit, 1))
    for pair in np.argsort(distance[one, two], kind="stable"):
        merging.try_merge(int(one[pair]), int(two[pair]))
    return merging.graph_of_roots()


class _Merging:
    """Contexts taken for one so far: a union-find whose roots know what any member knows."""

    def __init__(self, graph: TraceGraph, distance: NDArray[np.float64], limit: float) -> None:
        self.graph, self.distance, self.limit = graph, distance, limit
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
            if self.distance[a, b] > self.limit or not self._agree(a, b):
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

    def graph_of_roots(self) -> TraceGraph:
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
        return TraceGraph(centre, following, action, graph.radius)
