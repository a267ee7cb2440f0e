"""Ever coarser graphs: learnt states that lie close and never disagree are taken for one.

The traces show only some symbols in each learnt state. Two that agree wherever both are known, and lie close,
are most simply one state of the algorithm met in two ways: what is known of one then holds for the other.

Agreement is evidence only where both were seen to read the same symbol. Two that share none agree for want of
a witness, and count as `UNWITNESSED` times as far apart as they lie.

Legend: n learnt states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dfst.states.graph import StateTable
from dfst.states.merging import Merging, actions, quotient, witnesses

Table = TypeVar("Table", bound=StateTable)
UNWITNESSED = 6.0
LIMITS = (0.0, *(float(limit) for limit in np.geomspace(0.1, 6.0, 40)))
"""Distances up to which learnt states are taken for one, in units of `StateTable.scale`."""


def coarser_graphs(finest: Table) -> Iterator[Table]:
    """Ever coarser graphs, the finest first, each once."""
    distance = distances(finest)
    seen = set()
    for limit in LIMITS:
        graph = merge_near(finest, distance, limit * finest.scale)
        key = graph.next.tobytes()
        if key not in seen:
            seen.add(key)
            yield graph


def distances(graph: StateTable) -> NDArray[np.float64]:
    """(n, n) how far apart states count; infinitely far where they act differently."""
    squares = (graph.hidden**2).sum(1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * graph.hidden @ graph.hidden.T, 0))
    witnessed, disagreed = witnesses(actions(graph))
    apart[~witnessed] *= UNWITNESSED
    apart[disagreed] = np.inf
    return apart


def merge_near(graph: Table, distance: NDArray[np.float64], limit: float) -> Table:
    """Take states for one where nothing speaks against it, nearest first, up to a distance."""
    near = (distance <= limit) & np.isfinite(distance)
    merging = Merging(graph, near)
    one, two = np.nonzero(np.triu(near, 1))
    order = np.argsort(distance[one, two], kind="stable")
    merging.try_each(one[order], two[order])
    label = np.unique(merging.roots, return_inverse=True)[1]
    hidden = np.zeros((label.max() + 1, graph.hidden.shape[1]))
    np.add.at(hidden, label, graph.hidden)
    hidden /= np.bincount(label)[:, None]
    write, motion, following = quotient(graph, label)
    return replace(graph, hidden=hidden, write=write, motion=motion, next=following)
