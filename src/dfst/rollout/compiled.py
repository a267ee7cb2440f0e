"""The closed loop in compiled code and constant memory: the grid and one h.

Where the paper unrolled a run and filled 80 GB, a run here keeps its grid and one hidden state. Two things
make it fast.

One product a step. A[x], B[x], C[x] are stacked and transposed into W[x] (d, width), so that a step adds
h[j] · W[x, j, :] over j: contiguous, vectorised over outputs, and each output still sums over j in order.

Memory of bit patterns. A DFST in finite precision is a finite machine (the map ψ of the paper): the same
bits of h and the same symbol give the same bits again. Every hidden state met is kept, with the outcome of
each symbol once known, so a model that repeats itself to the bit turns into a table as it runs and is
computed no more. Models that do not repeat are computed step by step. Both give the same bits.

Legend: d hidden size, Σ symbols, K kept hidden states.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from os import cpu_count
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.agents.agent import MISSING, Agent
from dfst.errors import DfstError
from dfst.grid import MOTION_NAMES, Limits, S
from dfst.model.weights import Weights
from dfst.run import Difference, Run
from dfst.tiles import EDGE_AT, EDGE_MASK, FULL, STRIDE, TiledGrid, cross

RUNNING, HALTED, NEEDS_TILE, DIFFERS, NOT_FINITE = range(5)
CHUNK = 1 << 24
LANES = 16
"""W's width is a multiple of this, so that vector loops have no remainder."""
KEPT = 1 << 17
UNKNOWN = -1
FORGOTTEN = -2
"""The hidden state after this (kept state, symbol) was not kept: there was no room."""
NO_EXPERT = np.zeros(0, dtype=np.int64)


@njit(cache=True, nogil=True, inline="always")
def _decide(scores, begin, end):
    """The first best of scores[begin:end], and its lead over the second."""
    best, lead = begin, np.inf
    for i in range(begin + 1, end):
        if scores[i] > scores[best]:
            lead = scores[i] - scores[best]
            best = i
        elif scores[best] - scores[i] < lead:
            lead = scores[best] - scores[i]
    return best - begin, lead


@njit(cache=True, nogil=True, inline="always")
def _compute(W, h, x, d, symbols, motions, out):
    """out = W[x]ᵀ h in order; the decision (symbol, motion row) and its lead, NaN if out is not finite."""
    width = out.shape[0]
    for i in range(width):
        out[i] = 0
    fours = d - d % 4
    for j in range(0, fours, 4):
        a, b, c, e = h[j], h[j + 1], h[j + 2], h[j + 3]
        for i in range(width):
            out[i] = out[i] + W[x, j, i] * a + W[x, j + 1, i] * b + W[x, j + 2, i] * c + W[x, j + 3, i] * e
    for j in range(fours, d):
        for i in range(width):
            out[i] += W[x, j, i] * h[j]
    symbol, lead = _decide(out, d, d + symbols)
    motion, other = _decide(out, d + symbols, d + symbols + motions)
    if other < lead:
        lead = other
    total = lead - lead
    for i in range(d + symbols + motions):
        total += out[i] - out[i]
    return symbol, motion, lead + total


@njit(cache=True, nogil=True)
def _keep(bits, slots, kept, pattern):
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
    bits[k] = pattern
    slots[at] = k
    kept[0] = k + 1
    return k


@njit(cache=True, nogil=True)
def roll(
    cells, links, corner, slots, count, W, symbols, codes, expert, kept_h, kept_bits, kept_slots, kept,
    following, actions, leads, h, out, out_bits, progress, margin, budget,
):  # fmt: skip
    """Close the loop until something ends it; say what did.

    W          (Σ, d, width)  stacked A, B, C, transposed
    codes      (M,)           the motion of each row of C
    expert     (Q · Σ,)       rules to hold every action against, from `_shown_rules`; empty for none
    kept_*, following, actions  the memory of bit patterns; `following`, `actions`, `leads` (K, Σ)
    h, out     (d,), (width,) hidden state and work space; out_bits is a view of the latter's bits
    progress   (6,) int64     position, steps, kept state or -1, expert state, last symbol, last motion
    margin     (1,) float64   smallest lead so far
    """
    d = h.shape[0]
    motions = codes.shape[0]
    position, steps, current, state = progress[0], progress[1], progress[2], progress[3]
    checking = expert.shape[0] > 0
    end = steps + budget
    smallest = margin[0]
    status = RUNNING
    while steps < end:
        x = np.int64(cells[position])
        known = current >= 0 and following[current, x] >= 0
        if known:
            action = actions[current, x]
            symbol, motion = action & 255, action >> 8
            lead = leads[current, x]
        else:
            if current >= 0:
                h[:] = kept_h[current]
            symbol, row, lead = _compute(W, h, x, d, symbols, motions, out)
            if lead != lead:
                status = NOT_FINITE
                break
            motion = np.int64(codes[row])
        if checking:
            rule = expert[state * symbols + x]
            if rule >> 16 == MISSING or symbol != (rule & 255) or motion != ((rule >> 8) & 255):
                progress[4], progress[5] = symbol, motion
                status = DIFFERS
                break
        if (position & EDGE_MASK[motion]) == EDGE_AT[motion]:
            target = cross(cells, links, corner, slots, count, position, motion)
            if target == FULL:
                status = NEEDS_TILE
                break
        else:
            target = position + STRIDE[motion]
        cells[position] = symbol
        position = target
        steps += 1
        if lead < smallest:
            smallest = lead
        if checking:
            state = rule >> 16
        if known:
            current = following[current, x]
        else:
            if current >= 0 and following[current, x] == UNKNOWN:
                k = _keep(kept_bits, kept_slots, kept, out_bits[:d])
                following[current, x] = k if k >= 0 else FORGOTTEN
                actions[current, x] = symbol | (motion << 8)
                leads[current, x] = lead
                current = k
            else:
                current = -1
            h[:] = out[:d]
        if motion == S:
            status = HALTED
            break
    progress[0], progress[1], progress[2], progress[3] = position, steps, current, state
    margin[0] = smallest
    return status


@dataclass
class _Memory:
    """The bit patterns one run at a time may use, and its work space."""

    kept_h: NDArray[Any]
    slots: NDArray[np.int32]
    kept: NDArray[np.int64]
    following: NDArray[np.int32]
    actions: NDArray[np.int32]
    leads: NDArray[np.float64]
    out: NDArray[Any]

    @property
    def bits(self) -> NDArray[Any]:
        return self.kept_h.view(f"i{self.kept_h.itemsize}")


class Rollout:
    """A DFST made ready to run, on one input or on many at once."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._idle: list[_Memory] = []

    @cached_property
    def _stacked(self) -> NDArray[Any]:
        """(Σ, d, width) A, B and C of each symbol, stacked and transposed."""
        stacked = np.concatenate([self.weights.A, self.weights.B, self.weights.C], axis=1)
        padding = -stacked.shape[1] % LANES
        return np.ascontiguousarray(np.pad(stacked, ((0, 0), (0, padding), (0, 0))).transpose(0, 2, 1))

    def _memory(self) -> _Memory:
        """Bit patterns nobody uses now, from an earlier run if there was one; parallel runs share none."""
        if self._idle:
            return self._idle.pop()
        k, d, width = self._stacked.shape
        return _Memory(
            kept_h=np.empty((KEPT, d), dtype=self.weights.dtype),
            slots=np.full(2 * KEPT, -1, dtype=np.int32),
            kept=np.zeros(1, dtype=np.int64),
            following=np.full((KEPT, k), UNKNOWN, dtype=np.int32),
            actions=np.zeros((KEPT, k), dtype=np.int32),
            leads=np.zeros((KEPT, k)),
            out=np.empty(width, dtype=self.weights.dtype),
        )

    def run(
        self, text: str, limits: Limits = Limits(), against: Agent | None = None, remember: bool = True
    ) -> Run:
        """Run on one input; with `against`, stop at the first action that is not the expert's."""
        began = time.perf_counter()
        weights, memory = self.weights, self._memory()
        symbols, start = weights.encode(text)
        grid = TiledGrid(weights.blank, limits.cells)
        grid.lay(symbols, (-start, 0))
        h = weights.h0.copy()
        out_bits = memory.out.view(f"i{h.itemsize}")
        current = (
            int(_keep(memory.bits, memory.slots, memory.kept, h.view(out_bits.dtype))) if remember else -1
        )
        progress = np.array([grid.position((0, 0)), 0, current, 0, 0, 0], dtype=np.int64)
        margin = np.array([np.inf])
        expert = NO_EXPERT if against is None else _shown_rules(against)
        while True:
            budget = min(limits.steps - int(progress[1]), CHUNK)
            status = roll(
                *grid.arrays, self._stacked, len(weights.alphabet), weights.motion_codes(), expert,
                memory.kept_h, memory.bits, memory.slots, memory.kept, memory.following, memory.actions,
                memory.leads, h, memory.out, out_bits, progress, margin, budget,
            )  # fmt: skip
            if status == NEEDS_TILE:
                grid.grow(int(progress[1]))
            elif status == NOT_FINITE:
                raise DfstError(f"{weights.name}: the hidden state overflowed at step {int(progress[1]):,}")
            elif status != RUNNING or progress[1] >= limits.steps:
                break
        self._idle.append(memory)
        steps, head = int(progress[1]), grid.cell(int(progress[0]))
        difference = None
        if status == DIFFERS and against is not None:
            difference = _describe(progress, int(grid.cells[int(progress[0])]), head, against)
        return Run(
            weights.name, text, weights.alphabet, steps, status == HALTED, head, time.perf_counter() - began,
            world=grid, margin=float(margin[0]), difference=difference, unit=weights,
        )  # fmt: skip

    def run_many(
        self,
        texts: Sequence[str],
        limits: Limits = Limits(),
        against: Agent | None = None,
        threads: int | None = None,
    ) -> list[Run]:
        """Run on many inputs, on all cores."""
        with ThreadPoolExecutor(threads or cpu_count()) as pool:
            return list(pool.map(lambda text: self.run(text, limits, against), texts))


def _shown_rules(agent: Agent) -> NDArray[np.int64]:
    """(Q · Σ,) what an onlooker sees of each rule: next state · 2¹⁶ + motion shown · 2⁸ + symbol written."""
    following = agent.next.astype(np.int64) << 16
    return (following | (agent.action.astype(np.int64) << 8) | agent.write).ravel()


def _describe(progress: NDArray[np.int64], read: int, head: tuple[int, int], expert: Agent) -> Difference:
    state = int(progress[3])
    expected = ("no rule", "")
    if expert.next[state, read] >= -1:
        expected = (expert.alphabet[expert.write[state, read]], MOTION_NAMES[expert.action[state, read]])
    found = (expert.alphabet[int(progress[4])], MOTION_NAMES[int(progress[5])])
    return Difference(int(progress[1]), head, expert.alphabet[read], expected, found)


def run_compiled(weights: Weights, text: str, limits: Limits = Limits(), against: Agent | None = None) -> Run:
    """Run a DFST on one input."""
    return Rollout(weights).run(text, limits, against)
