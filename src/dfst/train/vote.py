"""A vote of the seeds: whose learnt states are those that the others found, too?

Every seed's graph of learnt states acts as the traces show, so no trace tells a right graph from a wrong one.
But a mistake is mostly one seed's own: it takes two states for one that the others tell apart, or tells apart
what is one to them. So all graphs are run in step along the training traces. At each moment each seed is in
one of its learnt states; together that is a *joint state*. Some joint states are one state to a seed, and two
seeds disagree by the share of what only one of them takes for one, among all pairs of joint states that
either does (the Jaccard distance). The seed that disagrees least with all others is believed.

This distance keeps the triangle inequality, so that a machine which more than half of the seeds found always
wins. A few seeds are no majority: what a vote of three is worth, and of more: docs/research/recipes.md.

Legend: k seeds, J joint states.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.states.graph import StateGraph
from dfst.traces.traceset import TraceSet

FEWEST_SEEDS = 5  # polished seeds without which there is no vote


def joint_states(graphs: Sequence[StateGraph], traces: TraceSet) -> NDArray[np.int32]:
    """(J, k) the learnt state of every seed, at each moment of the traces that differs from those before.

    The graphs must act as the traces show.
    """
    tables, begin = [graph.next.tolist() for graph in graphs], (0,) * len(graphs)
    following: dict[tuple[Any, int], Any] = {}  # (joint state, symbol) → joint state, None where they halt
    for trace in np.split(traces.x, traces.start[1:-1]):
        at = begin
        for x in trace.tolist():
            if (at, x) not in following:
                after = tuple(table[c][x] for table, c in zip(tables, at, strict=True))
                following[at, x] = after if min(after) >= 0 else None
            at = following[at, x]
            if at is None:
                break
    return np.array([*dict.fromkeys([begin, *filter(None, following.values())])], dtype=np.int32)


def disagreements(joint: NDArray[np.integer]) -> NDArray[np.float64]:
    """(k,) how far each seed disagrees with another, from 0 (not at all) to 1, on average over all others.

    Pairs need not be looked at one by one: n joint states that are one state to both of two seeds are n²
    ordered pairs, each joint state with itself among them.
    """
    both = np.array([[_one_to_both(a, b) for b in joint.T] for a in joint.T]) - len(joint)
    alone = both.diagonal()
    either = alone[:, None] + alone[None] - both
    apart = (either - both) / np.maximum(either, 1)
    return apart.sum(axis=1) / max(1, joint.shape[1] - 1)


def _one_to_both(a: NDArray[np.integer], b: NDArray[np.integer]) -> int:
    """How many ordered pairs of joint states are one state to both seeds."""
    count = np.bincount(a.astype(np.int64) * (int(b.max()) + 1) + b)
    return int(count @ count)


def sentence(seeds: Sequence[int], apart: Sequence[float]) -> str:
    """What the vote found. apart: how far each seed disagrees with the others."""
    least, most = min(apart), max(apart)
    if most == 0:
        return f"all {len(seeds)} polished seeds found the same machine"
    if least == most:
        return f"a vote of {len(seeds)} seeds decides nothing: each is {most:.2f} apart from the others"
    near = [str(seed) for seed, far in zip(seeds, apart, strict=True) if far == least]
    who = f"seed {near[0]} is" if len(near) == 1 else f"seeds {', '.join(near)} are"
    said = f"{who} nearest to the others, {least:.2f} apart; the farthest {most:.2f}"
    return f"a vote of {len(seeds)} seeds: {said}"
