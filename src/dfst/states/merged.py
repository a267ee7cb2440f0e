"""Merging into an automaton: near states are taken for one, until few enough are left or nothing more merges.

Several automata explain the traces, and even among those with the fewest states some are wrong; which states
lie near one another says which to believe. Where the order of two merges is a matter of chance, one may bar
the other. So the merging is done again and again with the distances shaken a little; of the graphs with the
fewest states the one that was found most often is kept.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from dfst.states.coarser import Table, coarser_graphs, distances, merge_near

TRIES = 24
SHAKEN = 0.15
"""Standard deviation of the logarithm of what a distance is multiplied by."""


def merged_graph(finest: Table, most: int) -> Table:
    """Near states merged until at most so many are left, or as far as nothing speaks against it."""
    fine = next((graph for graph in coarser_graphs(finest) if len(graph) <= most), None)
    return fine or simplest_graph(finest)


def simplest_graph(finest: Table) -> Table:
    """States merged as far as nothing speaks against it. The same graph gives the same answer."""
    apart, rng = distances(finest), np.random.default_rng(0)
    found: Counter[bytes] = Counter()
    graphs: dict[bytes, Table] = {}
    for attempt in range(TRIES):
        shake = np.triu(np.exp(SHAKEN * rng.normal(size=apart.shape)), 1) if attempt else np.ones(apart.shape)
        graph = merge_near(finest, apart * np.where(shake > 0, shake, shake.T), np.inf)
        key = b"".join(table.tobytes() for table in (graph.next, graph.write, graph.motion))
        found[key] += 1
        graphs.setdefault(key, graph)
    return graphs[min(graphs, key=lambda key: (len(graphs[key]), -found[key]))]
