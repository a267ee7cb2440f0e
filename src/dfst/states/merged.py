"""Merging into an automaton: near states are taken for one, until few enough are left or nothing more merges.

Two learnt states that agree wherever both are known, and lie close, are most simply one state met in two
ways. Two that share no symbol agree for want of a witness, and count as `UNWITNESSED` times as far apart.
Where the order of two merges is a matter of chance, one may bar the other. So the merging is done again and
again with the distances shaken a little; of the graphs with the fewest states the one found most often is
kept.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
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
TRIES = 24
FIRST = 4  # tries after which it is given up where twice as many states are left as there may be
SHAKEN = 0.15  # standard deviation of the logarithm of what a distance is multiplied by


def first_merged(finest: Iterable[Table], most: int, enough: int, useful: bool = False) -> Table | None:
    """Of the same model at several radii: the first graph that merges to no more states than are enough, or
    the first of all. Hidden states that lie a little apart in a radius too wide may bar what would merge."""
    graphs = (merged_graph(graph, most, useful) for graph in finest)
    first = next(graphs, None)
    if first is None or len(first) <= enough:
        return first
    return next((graph for graph in graphs if len(graph) <= enough), first)


def merged_graph(finest: Table, most: int, useful: bool = False) -> Table:
    """Near states merged until at most so many are left, or as far as nothing speaks against it.

    useful: whether nobody wants a graph that has more
    """
    fine = next((graph for graph in coarser_graphs(finest) if len(graph) <= most), None)
    return fine or simplest_graph(finest, most if useful else None)


def simplest_graph(finest: Table, most: int | None = None) -> Table:
    """States merged as far as nothing speaks against it. The same graph gives the same answer.

    most: a graph with more states is of no use
    """
    apart, rng = distances(finest), np.random.default_rng(0)
    found: Counter[bytes] = Counter()
    graphs: dict[bytes, Table] = {}
    for attempt in range(TRIES):
        if most and attempt == FIRST and min(map(len, graphs.values())) > 2 * most:
            break
        shake = np.triu(np.exp(SHAKEN * rng.normal(size=apart.shape)), 1) if attempt else np.ones(apart.shape)
        graph = merge_near(finest, apart * np.where(shake > 0, shake, shake.T), np.inf)
        key = b"".join(table.tobytes() for table in (graph.next, graph.write, graph.motion))
        found[key] += 1
        graphs.setdefault(key, graph)
    return graphs[min(graphs, key=lambda key: (len(graphs[key]), -found[key]))]


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
