"""A vote of the seeds: whose learnt states are those that the others found, too?

Every seed's graph of learnt states acts as the traces show, so no trace tells a right graph from a wrong one.
But a mistake is mostly one seed's own: it takes two states for one that the others tell apart, or tells apart
what is one to them. So all graphs are run in step along the training traces. At each moment each seed is in
one of its learnt states; together that is a *joint state*. For every two joint states each seed says whether
they are one state or two, and two seeds disagree on those where one says so and the other not. The seed that
has the fewest such disagreements with all others is believed.

A machine that more than half of the seeds found always wins: seeing this takes no more than the triangle
inequality. Of two seeds neither has a majority, and both have as many disagreements.

Legend: k seeds, J joint states.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dfst.agents.agent import HALT
from dfst.states.graph import StateGraph
from dfst.traces.traceset import TraceSet


def joint_states(graphs: Sequence[StateGraph], traces: TraceSet) -> NDArray[np.int32]:
    """(J, k) the learnt state of every seed, at each moment of the traces that differs from those before.

    The graphs must act as the traces show. A step that was taken before is a look-up, as in `follow`.
    """
    tables = [graph.next.tolist() for graph in graphs]
    read, start = traces.x.tolist(), traces.start.tolist()
    joint: list[tuple[int, ...]] = [(0,) * len(graphs)]
    number = {joint[0]: 0}
    following: list[dict[int, int]] = [{}]
    for i in range(len(traces)):
        at = 0
        for x in read[start[i] : start[i + 1]]:
            after = following[at].get(x)
            if after is None:
                states = tuple(table[c][x] for table, c in zip(tables, joint[at], strict=True))
                after = HALT if HALT in states else number.setdefault(states, len(joint))
                if after == len(joint):
                    joint.append(states)
                    following.append({})
                following[at][x] = after
            if after == HALT:
                break
            at = after
    return np.array(joint, dtype=np.int32)


def disagreements(joint: NDArray[np.integer]) -> NDArray[np.int64]:
    """(k,) on how many pairs of joint states a seed says otherwise than another, summed over all others.

    Pairs need not be looked at one by one: what two seeds both take for one state, n joint states say, is n²
    ordered pairs (each with itself among them) on which both say "one".
    """
    one = np.array([[_taken_for_one(a, b) for b in joint.T] for a in joint.T], dtype=np.int64)
    said = one.diagonal()
    return (said[:, None] + said[None] - 2 * one).sum(axis=1) // 2


def _taken_for_one(a: NDArray[np.integer], b: NDArray[np.integer]) -> int:
    """How many ordered pairs of joint states both seeds take for one."""
    count = np.bincount(a.astype(np.int64) * (int(b.max()) + 1) + b)
    return int(count @ count)


def sentence(seeds: Sequence[int], against: Sequence[int]) -> str:
    """What the vote found. against: the disagreements of each seed."""
    least, most = min(against), max(against)
    if most == 0:
        return f"all {len(seeds)} polished seeds found the same machine"
    if least == most:
        return f"a vote of {len(seeds)} seeds decides nothing: each disagrees {most:,} times with the others"
    believed = [seed for seed, times in zip(seeds, against, strict=True) if times == least]
    who = ", ".join(map(str, believed))
    who = f"seed {who} disagrees" if len(believed) == 1 else f"seeds {who} disagree"
    return f"a vote of {len(seeds)} seeds: {who} least with the others, {least:,} times; at most {most:,}"
