"""The simplest graph: fewest learnt states that say what the traces show, found without asking anybody else.

Of all machines that explain the traces the smallest is the one to believe, if the teacher is such that its
states cannot be taken for one another. Merging near states first leads there or nearly so: where the order of
two merges is a matter of chance, one may bar the other. So the merging is done again and again with the
distances shaken a little; of the graphs with the fewest states the one that was found most often is kept.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from dfst.states.coarser import distances, merge_near
from dfst.states.graph import StateGraph

TRIES = 24
SHAKEN = 0.15
"""Standard deviation of the logarithm of what a distance is multiplied by."""


def simplest_graph(finest: StateGraph) -> StateGraph:
    """Learnt states merged as far as nothing speaks against it. The same graph gives the same answer."""
    apart, rng = distances(finest), np.random.default_rng(0)
    found: Counter[bytes] = Counter()
    graphs: dict[bytes, StateGraph] = {}
    for attempt in range(TRIES):
        shake = np.triu(np.exp(SHAKEN * rng.normal(size=apart.shape)), 1) if attempt else np.ones(apart.shape)
        graph = merge_near(finest, apart * np.where(shake > 0, shake, shake.T), np.inf)
        key = b"".join(table.tobytes() for table in (graph.next, graph.write, graph.motion))
        found[key] += 1
        graphs.setdefault(key, graph)
    return graphs[min(graphs, key=lambda key: (len(graphs[key]), -found[key]))]
