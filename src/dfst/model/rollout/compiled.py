"""The closed loop in compiled code and constant memory: the grid and one h.

One product a step: A[x], B[x], C[x] are stacked into W[x]; `product` multiplies it with h. And a memory of
bit patterns (`Memory`): a DFST in finite precision is a finite machine (the map ψ of the paper), since the
same bits of h and the same symbol give the same bits again. So hidden states met before are kept, with the
outcome of each symbol once known, and a model that repeats itself to the bit turns into a table as it runs.

Legend: d hidden size, Σ symbols, K room for hidden states.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from os import cpu_count
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst import compiling
from dfst.compiling import inner, sources
from dfst.errors import Overflow
from dfst.machines.agent import MISSING, Agent
from dfst.model.rollout import tile
from dfst.model.rollout.tile import blocked, product
from dfst.model.rollout.transducer import FAR, NEAR, Transducer
from dfst.world import tiles
from dfst.world.grid import Limits, S, first_cell
from dfst.world.run import Run
from dfst.world.tiles import AREA_BITS, EDGE_AT, EDGE_MASK, FULL, LOCAL, STRIDE, WRAP, TiledGrid, cross
from dfst.world.unit import difference

RUNNING, HALTED, NEEDS_TILE, DIFFERS, NOT_FINITE = range(5)
CHUNK = 1 << 24
NO_EXPERT = np.zeros(0, dtype=np.int64)
ROOM = 1 << 13
"""K; a model that has met more is taken for one that never repeats itself, and the others are computed"""
UNKNOWN = -1


@njit(cache=True, nogil=True)
def keep(bits, slots, kept, pattern):
    """The number of the kept hidden state with these bits, kept now if new; UNKNOWN when there is no room."""
    mask = slots.shape[0] - 1
    key = np.int64(0)
    for i in range(pattern.shape[0]):
        key = (key ^ np.int64(pattern[i])) * np.int64(0x1E3779B97F4A7C15)
        key ^= (key >> 29) & np.int64(0x7FFFFFFFF)
    at = key & mask
    while slots[at] >= 0:
        k = slots[at]
        same = True
        for i in range(pattern.shape[0]):
            if bits[k, i] != pattern[i]:
                same = False
                break
        if same:
            return k
        at = (at + 1) & mask
    if kept[0] >= bits.shape[0]:
        return UNKNOWN
    k = kept[0]
    for i in range(pattern.shape[0]):
        bits[k, i] = pattern[i]
    slots[at] = k
    kept[0] = k + 1
    return k


class Memory:
    """What the runs of one model remember, one run at a time."""

    def __init__(self, d: int, symbols: int, width: int, dtype: np.dtype[Any]) -> None:
        self.work: NDArray[Any] = np.empty((2, width), dtype)
        """Room for two outcomes of a step"""
        self.kept_h: NDArray[Any] = np.empty((ROOM, d), dtype)
        self.bits = self.kept_h.view(f"i{self.kept_h.itemsize}")
        self.work_bits = self.work.view(self.bits.dtype)
        self.slots = np.full(2 << (ROOM - 1).bit_length(), -1, np.int32)
        self.kept = np.zeros(1, np.int64)
        self.following = np.full((ROOM, symbols), UNKNOWN, np.int32)
        """(K, Σ) the hidden state after a kept one and a symbol, UNKNOWN until that step was taken"""
        self.actions = np.zeros((ROOM, symbols), np.int32)
        self.leads = np.zeros((ROOM, symbols))

    def enter(self, row: int) -> int:
        """The number of the hidden state in a row of `work`; UNKNOWN where there is no room for it."""
        return int(keep(self.bits, self.slots, self.kept, self.work_bits[row, : self.kept_h.shape[1]]))


@inner
def _decide(scores, row, begin, end):
    """The first best of scores[row, begin:end], its lead over the second; 0, or NaN if one is not finite."""
    row, best, lead = np.uint64(row), begin, np.inf
    top = scores[row, np.uint64(begin)]
    well = top - top
    for i in range(begin + 1, end):
        score = scores[row, np.uint64(i)]
        gap = score - top
        well += gap - gap
        if gap > 0:
            best, top, lead = i, score, np.float64(gap)
        elif -gap < lead:
            lead = np.float64(-gap)
    return best - begin, lead, well


@inner
def _rescale(work, row, d):
    """`transducer.rescaled` of work[row, :d], in place."""
    row, largest = np.uint64(row), 0.0
    if 1 / NEAR <= abs(work[row, np.uint64(0)]) < NEAR:
        return
    for j in range(d):
        largest = max(largest, abs(np.float64(work[row, np.uint64(j)])))
    if largest >= FAR or 0 < largest < 1 / FAR:
        factor = work.dtype.type(1 / FAR if largest >= FAR else FAR)
        for j in range(d):
            work[row, np.uint64(j)] *= factor


def _compiled(version):
    @njit(cache=True, nogil=True)
    def roll(
        cells, links, corner, slots, count, W, symbols, codes, expert, kept_h, kept_bits, kept_slots, kept,
        following, actions, leads, work, work_bits, progress, margin, budget,
    ):  # fmt: skip
        """Close the loop until something ends it; say what did.

        W          (Σ, d · width) stacked A, B, C of each symbol, as `product` takes them
        codes      (M,)           the motion of each row of C
        expert     (Q · Σ,)       rules to hold every action against, from `shown_rules`; empty for none
        kept_*, following, actions  the memory of bit patterns; `following`, `actions`, `leads` (K, Σ)
        work       (2, width)     in one row the hidden state, if it is not a kept one; in the other the
                                  outcome of the step: next hidden state, scores of symbols, of motions
        progress   (7,) int64     position, steps, kept state or -1, expert state, row of the hidden state,
                                  last symbol, last motion
        margin     (2,) float64   smallest lead so far, and the norm of the hidden state that decided there
        """
        _ = version
        d, zero, size = kept_h.shape[1], work.dtype.type(0), work.itemsize
        scores, end_of_symbols, end_of_scores = d, d + symbols, d + symbols + codes.shape[0]
        room, stride = work.shape[1] * size, W.shape[1] * size
        position, steps, current, state, row = progress[0], progress[1], progress[2], progress[3], progress[4]
        checking = expert.shape[0] > 0
        end = steps + budget
        smallest = margin[0]
        status = RUNNING
        while steps < end:
            # Unsigned indices spare numba's test for a negative one.
            x = np.uint64(cells[np.uint64(position)])
            known = current >= 0 and following[np.uint64(current), x] >= 0
            if known:
                action = actions[np.uint64(current), x]
                symbol, motion = np.int64(action & 255), np.int64(action >> 8)
                lead = leads[np.uint64(current), x]
            else:
                h = kept_h.ctypes.data + current * d * size if current >= 0 else work.ctypes.data + row * room
                matrix, into = W.ctypes.data + np.int64(x) * stride, work.ctypes.data + (1 - row) * room
                product(zero, size, matrix, h, into, d, room)
                symbol, lead, well = _decide(work, 1 - row, scores, end_of_symbols)
                which, other, as_well = _decide(work, 1 - row, end_of_symbols, end_of_scores)
                if well + as_well != 0:
                    status = NOT_FINITE
                    break
                lead = min(lead, other)
                motion = np.int64(codes[np.uint64(which)])
            if checking:
                rule = expert[np.uint64(state * symbols) + x]
                if rule >> 16 == MISSING or symbol != (rule & 255) or motion != ((rule >> 8) & 255):
                    progress[5], progress[6] = symbol, motion
                    status = DIFFERS
                    break
            target = position + STRIDE[np.uint64(motion)]
            if (position & EDGE_MASK[np.uint64(motion)]) == EDGE_AT[np.uint64(motion)]:
                # The link is followed here: a call to `cross` costs as much as twenty table steps.
                neighbour = np.int64(links[np.uint64(position >> AREA_BITS), np.uint64(motion)])
                if neighbour >= 0:
                    target = (neighbour << AREA_BITS) + (position & LOCAL) + WRAP[np.uint64(motion)]
                else:
                    target = cross(cells, links, corner, slots, count, position, motion)
                    if target == FULL:
                        status = NEEDS_TILE
                        break
            cells[np.uint64(position)] = symbol
            position = target
            steps += 1
            if lead < smallest:
                smallest, squares = lead, 0.0
                for j in range(d):
                    part = kept_h[current, j] if current >= 0 else work[row, j]
                    squares += np.float64(part) * np.float64(part)
                margin[1] = np.sqrt(squares)
            if checking:
                state = rule >> 16
            if known:
                current = np.int64(following[np.uint64(current), x])
            else:
                row = 1 - row
                _rescale(work, row, d)
                if current >= 0:
                    k = keep(kept_bits, kept_slots, kept, work_bits[row, :d])
                    following[np.uint64(current), x] = k
                    actions[np.uint64(current), x] = symbol | (motion << 8)
                    leads[np.uint64(current), x] = lead
                    current = k
            if motion == S:
                status = HALTED
                break
        progress[0], progress[1], progress[2], progress[3], progress[4] = position, steps, current, state, row
        margin[0] = smallest
        return status

    return roll


roll = _compiled(sources(tiles, compiling, tile))


class Rollout:
    """A DFST made ready to run, on one input or on many at once."""

    def __init__(self, weights: Transducer) -> None:
        self.weights = weights
        self._idle: list[Memory] = []

    @cached_property
    def _stacked(self) -> NDArray[Any]:
        """(Σ, d · width) A, B and C of each symbol, as `product` takes them."""
        return blocked(self.weights.stacked)

    def _memory(self) -> Memory:
        """What an earlier run remembered, if nobody uses it now; parallel runs share none."""
        if self._idle:
            return self._idle.pop()
        k, d = len(self.weights.alphabet), len(self.weights.h0)
        return Memory(d, k, self._stacked.shape[1] // d, self.weights.dtype)

    def run(
        self, text: str, limits: Limits = Limits(), against: Agent | None = None, remember: bool = True
    ) -> Run:
        """Run on one input; with `against`, stop at the first action that is not the expert's.

        A hidden state that overflows is an error where an answer is asked for; a run that is compared with
        an expert just ends there, unfinished.
        """
        began = time.perf_counter()
        weights, memory = self.weights, self._memory()
        symbols, start = weights.encode(text)
        grid = TiledGrid(weights.blank, limits.cells)
        grid.lay(symbols, first_cell(symbols, start))
        d = len(weights.h0)
        memory.work[0, :d] = weights.h0
        current = memory.enter(0) if remember else UNKNOWN
        progress = np.array([grid.position((0, 0)), 0, current, 0, 0, 0, 0], dtype=np.int64)
        margin = np.array([np.inf, np.nan])
        expert = NO_EXPERT if against is None else against.shown_rules
        while True:
            status = roll(
                *grid.arrays, self._stacked, len(weights.alphabet), weights.motion_codes(), expert,
                memory.kept_h, memory.bits, memory.slots, memory.kept, memory.following, memory.actions,
                memory.leads, memory.work, memory.work_bits, progress, margin,
                min(limits.steps - int(progress[1]), CHUNK),
            )  # fmt: skip
            if status == NEEDS_TILE:
                grid.grow(int(progress[1]))
            elif status == NOT_FINITE and against is None:
                raise Overflow(weights.name, int(progress[1]))
            elif status != RUNNING or progress[1] >= limits.steps:
                break
        self._idle.append(memory)
        steps, head = int(progress[1]), grid.cell(int(progress[0]))
        parted = None
        if status == DIFFERS and against is not None:
            read, action = int(grid.cells[int(progress[0])]), (int(progress[5]), int(progress[6]))
            parted = difference(against, steps, head, read, against.shown(int(progress[3]), read), action)
        return Run(
            weights.name, text, weights.alphabet, steps, status == HALTED, head, time.perf_counter() - began,
            world=grid, margin=float(margin[0]), norm=float(margin[1]), difference=parted, unit=weights,
        )  # fmt: skip

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: Agent | None = None,
        threads: int | None = None,
    ) -> Iterator[Run]:  # fmt: skip
        """Run on many inputs, on all cores; runs come in order. A core that is done takes the next input."""
        with ThreadPoolExecutor(threads or cpu_count()) as pool:
            yield from pool.map(lambda text: self.run(text, limits, against), texts)
