"""The cover: few inputs that together tell everything apart that can be.

Greedy (Johnson 1974): of many candidates the one that shows most of what is still lacking is taken, again and
again. What an input adds only shrinks, so an old figure is an upper bound, and few candidates are looked at
anew (Minoux 1978). Afterwards each input that the others make needless is dropped.
"""

from heapq import heapify, heappop, heappush

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.machines.agent import Agent
from dfst.traces.replay import replayed_states
from dfst.traces.telling_apart import PER_STEP, shown_by, telling_apart, visible
from dfst.traces.traceset import TraceSet


def cover(agent: Agent, candidates: TraceSet, lacking: NDArray[np.int64], per_step: float = 0.0) -> list[int]:
    """Which candidates to take so that nothing is lacking any more, in the order they were taken.

    lacking:  (R, C) how often each place is to be shown; no more often than all candidates together do
    per_step: what a step costs against an input; 0 for the fewest inputs, 1 for about the fewest steps
    """
    left, lengths = lacking.astype(np.int64), candidates.lengths
    table, states = (visible(agent), agent.next), replayed_states(agent, candidates)
    pairs = np.empty((int(lengths.max(initial=0)) * (len(agent.states) + PER_STEP), 2), dtype=np.int64)

    def pieces(i: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        piece = slice(candidates.start[i], candidates.start[i + 1])
        return candidates.x[piece], states[piece]

    def gain(i: int, keep: bool) -> int:
        return int(_gain(*table, *pieces(i), left, pairs, keep))

    def worth(i: int) -> float:
        return -gain(i, keep=False) / (1 + per_step * float(lengths[i]))

    queue = [(worth(i), i) for i in range(len(candidates))]
    heapify(queue)
    taken: list[int] = []
    missing = int(left.sum())
    while queue and missing:
        i = heappop(queue)[1]
        now = worth(i)
        if queue and now > queue[0][0]:  # it has lost to those taken since
            heappush(queue, (now, i))
        elif now < 0:
            missing -= gain(i, keep=True)
            taken.append(i)
    spare = telling_apart(agent, candidates.subset(taken)).counts - (lacking - left)
    longest_first = sorted(taken, key=lambda i: -int(lengths[i]))
    needless = {i for i in longest_first if _dropped(*table, *pieces(i), spare, pairs)}
    return [i for i in taken if i not in needless]


@njit(cache=True, nogil=True)
def _gain(seen, following, x, states, left, pairs, keep):
    """How much of what is left to show one trace shows; kept, it is shown from now on."""
    gain = 0
    for i in range(shown_by(seen, following, x, states, pairs)):
        place, column = pairs[i]
        if left[place, column] > 0:
            left[place, column] -= 1
            pairs[gain] = place, column
            gain += 1
    if not keep:
        for place, column in pairs[:gain]:
            left[place, column] += 1
    return gain


@njit(cache=True, nogil=True)
def _dropped(seen, following, x, states, spare, pairs):
    """Whether all that one trace shows is shown often enough without it; then it shows it no longer."""
    found = shown_by(seen, following, x, states, pairs)
    for i in range(found):
        place, column = pairs[i]
        spare[place, column] -= 1
        if spare[place, column] < 0:
            for place, column in pairs[: i + 1]:
                spare[place, column] += 1
            return False
    return True
