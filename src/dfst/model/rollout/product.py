"""One matrix-vector product for compiled loops, its sums kept in vector registers and taken in order.

`product` computes out[i] = Σ_j W[j, i] · h[j] with j ascending and each operation rounded once, never a fused
multiply-add: every entry then has the bits that plain Python or a browser finds for it. Columns are cut into
blocks of 256, 128, 64 or 32 bytes. `blocked` lays W out block after block, each (d, columns) and read from
front to back once: at d = 108 a symbol's W has to stream from the second-level cache.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.compiling import inner
from dfst.model.rollout.tile import make_tiles

BLOCKS = (256, 128, 64, 32)  # bytes of sums in a block: up to 64 of float32, 4 or more of float64

_columns = make_tiles(1, widths=(64, 32, 16, 8, 4), exact=True)


def blocked(matrices: NDArray[Any]) -> NDArray[Any]:
    """(k, d · padded columns) for matrices (k, columns, d): transposed, padded with zeros, in blocks."""
    k, columns, d = matrices.shape
    size, least = matrices.itemsize, BLOCKS[-1] // matrices.itemsize
    wide = np.pad(matrices, ((0, 0), (0, -columns % least), (0, 0))).transpose(0, 2, 1)
    blocks, at = [], 0
    while at < wide.shape[2]:
        width = next(b for b in BLOCKS if b <= (wide.shape[2] - at) * size) // size
        blocks.append(wide[:, :, at : at + width].reshape(k, d * width))
        at += width
    return np.ascontiguousarray(np.concatenate(blocks, axis=1))


@inner
def product(zero, size, w, h, out, count, room):
    """out = W h for W in blocks. w, h, out: addresses; room: bytes of out; zero: a number of its type, `size`
    bytes long."""
    none, fresh = np.int64(0), np.int64(1)
    while room > 0:
        block = np.int64(256 if room >= 256 else 128 if room >= 128 else 64 if room >= 64 else 32)
        _columns(block // size, zero, h, none, size, none, w, block, out, none, none, count, fresh)
        w += count * block
        out += block
        room -= block
