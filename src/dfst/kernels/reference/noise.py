"""Noise on the hidden state, as a pure function of (seed, step, token, component): h_{t+1} = A h_t ± σ.

Nothing is stored and no generator is advanced: any device draws the same noise, a resumed run draws it again.
Each component is σ or −σ, by one bit of a hash: only the second moments matter to a linear model. All
arithmetic is 32-bit in 64-bit integers. Compiled in `cpu.noise`, `gpu.kernels` and `recur.cu`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MASK = 0xFFFFFFFF
WORD = 32  # components that one hash serves
WORDS = 32  # hashes of a token that are told apart: hidden sizes to WORD · WORDS
SALT = 0x6E6F6973  # keeps the noise apart from the order of the traces, which is hashed from the seed as well


def mix(z: int) -> int:
    """A 32-bit avalanche."""
    z = ((z ^ (z >> 16)) * 0x7FEB352D) & MASK
    z = ((z ^ (z >> 15)) * 0x846CA68B) & MASK
    return z ^ (z >> 16)


def noise_key(seed: int, step: int) -> int:
    """What the noise of one step of one seed is hashed from."""
    return mix((mix((seed ^ SALT) & MASK) + step) & MASK)


@dataclass(frozen=True)
class Noise:
    """The noise of one step of several seeds."""

    sigma: float
    keys: NDArray[np.int64]  # (s,) `noise_key` of each seed

    def of(self, seed: int, token: int, d: int) -> NDArray[np.float64]:
        """(d,) what is added to the state that a token reads."""
        key = int(self.keys[seed])
        words = [mix(key ^ mix((token * WORDS + word) & MASK)) for word in range(-(-d // WORD))]
        bits = [words[j // WORD] >> (j % WORD) & 1 for j in range(d)]
        return self.sigma * (2.0 * np.array(bits) - 1)
