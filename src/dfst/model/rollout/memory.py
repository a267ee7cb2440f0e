"""Hidden states met before, kept while that pays.

A DFST in finite precision is a finite machine (the map ψ of the paper): the same bits of h and the same
symbol give the same bits again. A model that repeats itself to the bit turns into a table as it runs; for one
that never does, every step searches the table in vain. Which of them a model is gets measured. When the table
is full, some steps are computed without it. If they took longer than those before, the table is made larger
and used on; if not, it is emptied and left alone for a while, and tried again with more room. Both ways give
the same bits.

Legend: d hidden size, Σ symbols, K room for hidden states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

FIRST = 1 << 11
"""Hidden states that a new memory has room for, and steps computed without it when it is full."""
PAUSE = 256
"""Steps a hidden state of its room before a memory that did not pay is tried again: what trying costs."""
MOST_BYTES = 1 << 26
"""Of one memory; where it pays and is full, it begins anew."""
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


@njit(cache=True, nogil=True)
def keep_all(bits, slots, kept, patterns):
    """Keep patterns (n, d), all different: they get the numbers 0, 1, …"""
    for i in range(patterns.shape[0]):
        keep(bits, slots, kept, patterns[i])


class Memory:
    """What one run at a time may remember, and whether it does so now."""

    def __init__(self, d: int, symbols: int, width: int, dtype: np.dtype[Any]) -> None:
        self._symbols = symbols
        self.work: NDArray[Any] = np.empty((2, width), dtype)
        """Room for two outcomes of a step"""
        self._most = max(FIRST, MOST_BYTES // (d * dtype.itemsize + 16 * symbols + 8))
        self.on = True
        self._left = 0
        """Steps to compute before the next `turn`, while it is off"""
        self._seconds, self._steps = 0.0, 0
        """Since the last `turn`"""
        self._remembered: float | None = None
        """Seconds a step took until it was full; None where that did not pay"""
        self._make_room(d, FIRST)

    def _make_room(self, d: int, room: int) -> None:
        self.kept_h: NDArray[Any] = np.empty((room, d), self.work.dtype)
        self.bits = self.kept_h.view(f"i{self.kept_h.itemsize}")
        self.slots = np.full(2 << (room - 1).bit_length(), -1, np.int32)
        self.kept = np.zeros(1, np.int64)
        self.following = np.full((room, self._symbols), UNKNOWN, np.int32)
        """(K, Σ) the hidden state after a kept one and a symbol, UNKNOWN until that step was taken"""
        self.actions = np.zeros((room, self._symbols), np.int32)
        self.leads = np.zeros((room, self._symbols))

    @property
    def work_bits(self) -> NDArray[Any]:
        return self.work.view(self.bits.dtype)

    @property
    def patience(self) -> int | None:
        """Steps that may be taken before `turn` is due; None for as many as there are."""
        return None if self.on else self._left

    def enter(self, row: int) -> int:
        """The number of the hidden state in a row of `work`; UNKNOWN where it is not to be remembered."""
        found = UNKNOWN
        if self.on:
            found = keep(self.bits, self.slots, self.kept, self.work_bits[row, : self.kept_h.shape[1]])
            if found == UNKNOWN:
                self.turn()
        return int(found)

    def note(self, seconds: float, steps: int) -> None:
        """So long so many steps took."""
        self._seconds += seconds
        self._steps += steps
        self._left -= steps

    def turn(self) -> None:
        """What comes next, now that there is no more room or enough steps were computed without it."""
        seconds_a_step = self._seconds / max(1, self._steps)
        room, d = self.kept_h.shape
        if self.on:
            self.on, self._left, self._remembered = False, FIRST, seconds_a_step
        elif self._remembered is None:
            self.on = True
            self._make_room(d, min(2 * room, self._most))
        elif self._pays(self._remembered, seconds_a_step):
            self.on = True
            self._grow()
        else:
            self._left, self._remembered = PAUSE * room, None
        self._seconds, self._steps = 0.0, 0

    def _pays(self, remembered: float, computed: float) -> bool:
        """Seconds a step, with the memory while it filled and without it right after."""
        return remembered < computed

    def _grow(self) -> None:
        """Twice the room, what is known kept; as much as before and empty, where that would be too much."""
        known, following, actions, leads = self.bits, self.following, self.actions, self.leads
        room, d = self.kept_h.shape
        self._make_room(d, min(2 * room, self._most))
        if len(self.kept_h) == 2 * room:
            keep_all(self.bits, self.slots, self.kept, known)
            self.following[:room], self.actions[:room], self.leads[:room] = following, actions, leads
