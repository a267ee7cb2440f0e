"""`noise` compiled for the CPU: bit for bit the same."""

from numba import njit

from dfst.compiling import inner
from dfst.kernels.reference import noise
from dfst.kernels.reference.noise import MASK, SALT, WORD, WORDS

mix = njit(cache=True)(noise.mix)


@njit(cache=True)
def noise_key(seed, step):
    """`noise.noise_key`."""
    return mix((mix((seed ^ SALT) & MASK) + step) & MASK)


@inner
def fill_noise(hidden, d, D, token, begin, end, sigma, key):
    """What is added to the state of each token, into the rows (D,) that will hold the states."""
    for row in range(begin, end):
        at = row * D
        for begin in range(0, d, WORD):
            bits = mix(key ^ mix((token[row] * WORDS + begin // WORD) & MASK))
            for j in range(begin, min(d, begin + WORD)):
                hidden[at + j] = sigma if (bits >> (j - begin)) & 1 else -sigma
        for j in range(d, D):
            hidden[at + j] = 0
