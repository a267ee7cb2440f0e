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
from dfst.traces.telling_apart import PER_STEP, shown_by, visible
from dfst.traces.traceset import TraceSet


def cover(
    agent: Agent, candidates: TraceSet, lacking: NDArray[np.int64], per_step: float = 0.0,
    within: NDArray[np.int32] | None = None,
) -> list[int]:  # fmt: skip
    """Which candidates to take so that nothing is lacking any more, in the order they were taken.

    lacking:  (R, C) how often each place is to be shown; no more often than all candidates together do
    per_step: what a step costs against an input; 0 for the fewest inputs, 1 for about the fewest steps
    within:   (R, C) after so many steps at most each is to be told; None: whenever
    """
    lengths = candidates.lengths
    places = np.cumsum(lacking > 0).reshape(lacking.shape) - 1
    places[lacking <= 0] = -1
    table, states = (visible(agent), agent.next), replayed_states(agent, candidates)
    within = np.full(lacking.shape, candidates.tokens) if within is None else within
    shown, start = _shown(*table, candidates.x, states, candidates.start, places, within.astype(np.int64))
    left = lacking[lacking > 0].astype(np.int64)

    def worth(i: int) -> float:
        return -int(_gain(shown[start[i] : start[i + 1]], left)) / (1 + per_step * float(lengths[i]))

    queue = [(worth(i), i) for i in range(len(candidates))]
    heapify(queue)
    taken: list[int] = []
    spare = -left
    while queue and left.any():
        i = heappop(queue)[1]
        now = worth(i)
        if queue and now > queue[0][0]:  # it has lost to those taken since
            heappush(queue, (now, i))
        elif now < 0:
            place, times = shown[start[i] : start[i + 1]].T
            spare[place] += times
            left[place] -= np.minimum(left[place], times)
            taken.append(i)
    spare += left  # what none of them shows is not asked of them
    needless = set()
    for i in sorted(taken, key=lambda i: -int(lengths[i])):
        place, times = shown[start[i] : start[i + 1]].T
        if (spare[place] >= times).all():
            spare[place] -= times
            needless.add(i)
    return [i for i in taken if i not in needless]


@njit(cache=True, nogil=True)
def _gain(shown, left):
    """How much of what is left to show one trace shows."""
    gain = 0
    for place, times in shown:
        gain += min(left[place], times)
    return gain


@njit(cache=True, nogil=True)
def _shown(seen, following, x, states, start, places, within):
    """(n, 2) the numbered places that each trace shows, and how often; where the rows of each trace start."""
    longest = 0
    for trace in range(start.shape[0] - 1):
        longest = max(longest, start[trace + 1] - start[trace])
    pairs = np.empty((longest * (seen.shape[0] + PER_STEP), 3), dtype=np.int64)
    times = np.zeros(places.max() + 1, dtype=np.int64)
    rows, n = np.empty((1 << 10, 2), dtype=np.int64), 0
    begins = np.zeros(start.shape[0], dtype=np.int64)
    for trace in range(start.shape[0] - 1):
        piece = slice(start[trace], start[trace + 1])
        for i in range(shown_by(seen, following, x[piece], states[piece], pairs)):
            place = places[pairs[i, 0], pairs[i, 1]]
            if place < 0 or pairs[i, 2] > within[pairs[i, 0], pairs[i, 1]]:
                continue
            if times[place] == 0:
                if n == len(rows):
                    rows = np.concatenate((rows, np.empty_like(rows)))
                rows[n, 0] = place
                n += 1
            times[place] += 1
        for i in range(begins[trace], n):
            rows[i, 1] = times[rows[i, 0]]
            times[rows[i, 0]] = 0
        begins[trace + 1] = n
    return rows[:n], begins
