"""`settling` on a GPU: powers and gradients of all matrices of all seeds, a program for each tile of each.

Launches wait for each other: nothing is added atomically, a seed's bits do not depend on its neighbours.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from dfst.kernels.settling import SQUARINGS
from dfst.model.weights import Shape


@triton.jit
def square_kernel(source, stride, result, sizes, k: tl.constexpr, d: tl.constexpr, TILE: tl.constexpr,
                  LAST: tl.constexpr):  # fmt: skip
    """result (s, k, d, d) = the squares of the matrices in source, whose seeds lie `stride` numbers apart.

    With LAST: the squares less what was squared; sizes (s·k, tiles²) = Σ result² of each tile.
    """
    matrix = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(2) * TILE + tl.arange(0, TILE)
    a = source + (matrix // k) * stride + (matrix % k) * (d * d)
    inside = (i < d)[:, None] & (j < d)[None, :]
    total = tl.zeros((TILE, TILE), source.dtype.element_ty)
    for begin in range(0, d, TILE):
        l = begin + tl.arange(0, TILE)
        left = tl.load(a + i[:, None] * d + l[None, :], mask=(i < d)[:, None] & (l < d)[None, :], other=0.0)
        right = tl.load(a + l[:, None] * d + j[None, :], mask=(l < d)[:, None] & (j < d)[None, :], other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee", out_dtype=total.dtype)
    if LAST:
        total -= tl.load(a + i[:, None] * d + j[None, :], mask=inside, other=0.0)
        tile = (matrix * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(2) + tl.program_id(2)
        tl.store(sizes + tile, tl.sum(tl.sum(total * total, 1), 0))
    tl.store(result + matrix * (d * d) + i[:, None] * d + j[None, :], total, mask=inside)


@triton.jit
def back_kernel(slopes, power, stride, result, sizes, weight, k: tl.constexpr, d: tl.constexpr,
                TILE: tl.constexpr, TILES: tl.constexpr, FIRST: tl.constexpr):  # fmt: skip
    """result (s, k, d, d) = the gradient of each matrix in power, from the slopes of its square.

    With FIRST: slopes are the D of `settling`, to be scaled by weight[seed] / (1 + ‖D‖²), and the matrix
    itself was taken from its square.
    """
    matrix = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(2) * TILE + tl.arange(0, TILE)
    a = power + (matrix // k) * stride + (matrix % k) * (d * d)
    g = slopes + matrix * (d * d)
    inside = (i < d)[:, None] & (j < d)[None, :]
    total = tl.zeros((TILE, TILE), slopes.dtype.element_ty)
    for begin in range(0, d, TILE):
        l = begin + tl.arange(0, TILE)
        rows, columns = (i < d)[:, None] & (l < d)[None, :], (l < d)[:, None] & (j < d)[None, :]
        g_left = tl.load(g + i[:, None] * d + l[None, :], mask=rows, other=0.0)
        a_right = tl.load(a + j[:, None] * d + l[None, :], mask=tl.trans(columns), other=0.0)
        total = tl.dot(g_left, tl.trans(a_right), total, input_precision="ieee", out_dtype=total.dtype)
        a_left = tl.load(a + l[:, None] * d + i[None, :], mask=tl.trans(rows), other=0.0)
        g_right = tl.load(g + l[:, None] * d + j[None, :], mask=columns, other=0.0)
        total = tl.dot(tl.trans(a_left), g_right, total, input_precision="ieee", out_dtype=total.dtype)
    if FIRST:
        total -= tl.load(g + i[:, None] * d + j[None, :], mask=inside, other=0.0)
        tiles = tl.arange(0, TILES)
        count = tl.num_programs(1) * tl.num_programs(2)
        size = tl.sum(tl.load(sizes + matrix * count + tiles, mask=tiles < count, other=0.0), 0)
        total *= tl.load(weight + matrix // k) / (1 + size)
    tl.store(result + matrix * (d * d) + i[:, None] * d + j[None, :], total, mask=inside)


class Settling:
    """Working memory and launches for the seeds of a shape."""

    def __init__(self, shape: Shape, seeds: int, like: Tensor) -> None:
        k, d = shape.symbols, shape.d
        self._shape, self._seeds = shape, seeds
        self._tile = 16 if d <= 16 else 32
        self._tiles = -(-d // self._tile)
        self._powers = like.new_zeros(SQUARINGS, seeds, k, d, d)
        """A^2, A^4, …; the last is D"""
        self._others = like.new_zeros(2, seeds, k, d, d)
        self._sizes = like.new_zeros(seeds * k, self._tiles**2)
        self.slopes = self._others[(SQUARINGS - 1) % 2]
        """(s, k, d, d)"""

    def run(self, theta: Tensor, weight: Tensor) -> None:
        """slopes of theta (s, P), times the weight (s,) of each seed."""
        k, d, tile, tiles = self._shape.symbols, self._shape.d, self._tile, self._tiles
        grid = (self._seeds * k, tiles, tiles)
        sources = [(theta, self._shape.size), *((power, k * d * d) for power in self._powers)]
        for turn in range(SQUARINGS):
            square_kernel[grid](
                *sources[turn], self._powers[turn], self._sizes,
                k=k, d=d, TILE=tile, LAST=turn == SQUARINGS - 1, num_warps=4,
            )  # fmt: skip
        slopes = self._powers[-1]
        for turn in range(SQUARINGS):
            back_kernel[grid](
                slopes, *sources[SQUARINGS - 1 - turn], self._others[turn % 2], self._sizes, weight,
                k=k, d=d, TILE=tile, TILES=1 << (tiles**2 - 1).bit_length(), FIRST=turn == 0, num_warps=4,
            )  # fmt: skip
            slopes = self._others[turn % 2]
