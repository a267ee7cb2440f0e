"""Which traces a step sees: a new shuffle of the set every epoch, as a pure function of (seed, step).

Nothing is stored, so a resumed run continues with the very same traces, a seed's order does not depend
on the seeds beside it, and any device computes the same order. The shuffle is a four-round Feistel
network on the smallest square domain that holds the set, walked until it lands inside. All arithmetic
is 32-bit in 64-bit integers.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst.kernels.cpu.noise import mix
from dfst.kernels.reference.noise import MASK

ROUNDS = 4


@njit(cache=True)
def half_bits(n):
    """Bits in one half of the Feistel domain."""
    bits = 1
    while (1 << (2 * bits)) < n:
        bits += 1
    return bits


@njit(cache=True)
def pick(seed, position, n):
    """The trace at `position` of the endless stream of shuffled epochs of n traces."""
    epoch, i = position // n, position % n
    key = mix((mix(seed & MASK) + epoch) & MASK)
    bits = half_bits(n)
    low = (1 << bits) - 1
    while True:
        left, right = i >> bits, i & low
        for r in range(ROUNDS):
            left, right = right, left ^ (mix((right + key + r * 0x9E3779B9) & MASK) & low)
        i = (left << bits) | right
        if i < n:
            return i


@njit(cache=True)
def fill_batch(seed, iteration, n, chosen):
    """Write the traces of one step into `chosen` (b,); the whole set in order when b = n."""
    b = chosen.shape[0]
    for slot in range(b):
        chosen[slot] = slot if b >= n else pick(seed, iteration * b + slot, n)


def batch(seed: int, iteration: int, n: int, size: int) -> NDArray[np.int64]:
    """(min(size, n),) the traces of one step."""
    chosen = np.empty(min(size, n), dtype=np.int64)
    fill_batch(seed, iteration, n, chosen)
    return chosen
