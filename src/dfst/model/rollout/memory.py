"""Hidden states met before, by their bits.

A DFST in finite precision is a finite machine (the map ψ of the paper): the same bits of h and the same
symbol give the same bits again. A model that has met `ROOM` different hidden states is taken for one that
never repeats itself: from then on, what is not in the table is computed.

Legend: d hidden size, Σ symbols, K room for hidden states.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

ROOM = 1 << 13  # K
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
