"""`settling` on a GPU: powers and gradients of all matrices of all seeds, a program for each tile of each.

Launches wait for each other: nothing is added atomically, a seed's bits do not depend on its neighbours.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from dfst.kernels.settling import SQUARE, steps_to
from dfst.model.weights import Shape


@triton.jit
def forward_kernel(left, left_stride, right, right_stride, result, sizes, k: tl.constexpr, d: tl.constexpr,
                   TILE: tl.constexpr, LAST: tl.constexpr):  # fmt: skip
    """result (s, k, d, d) = left · right, whose seeds lie so many numbers apart.

    With LAST: the products less left; sizes (s·k, tiles²) = Σ result² of each tile.
    """
    matrix = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(2) * TILE + tl.arange(0, TILE)
    a = left + (matrix // k) * left_stride + (matrix % k) * (d * d)
    b = right + (matrix // k) * right_stride + (matrix % k) * (d * d)
    inside = (i < d)[:, None] & (j < d)[None, :]
    total = tl.zeros((TILE, TILE), left.dtype.element_ty)
    for begin in range(0, d, TILE):
        l = begin + tl.arange(0, TILE)
        rows, columns = (i < d)[:, None] & (l < d)[None, :], (l < d)[:, None] & (j < d)[None, :]
        a_part = tl.load(a + i[:, None] * d + l[None, :], mask=rows, other=0.0)
        b_part = tl.load(b + l[:, None] * d + j[None, :], mask=columns, other=0.0)
        total = tl.dot(a_part, b_part, total, input_precision="ieee", out_dtype=total.dtype)
    if LAST:
        total -= tl.load(a + i[:, None] * d + j[None, :], mask=inside, other=0.0)
        tile = (matrix * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(2) + tl.program_id(2)
        tl.store(sizes + tile, tl.sum(tl.sum(total * total, 1), 0))
    tl.store(result + matrix * (d * d) + i[:, None] * d + j[None, :], total, mask=inside)


@triton.jit
def backward_kernel(slopes, left, left_stride, right, right_stride, to_left, to_right, sizes, weight,
                    k: tl.constexpr, d: tl.constexpr, TILE: tl.constexpr, TILES: tl.constexpr,
                    SQUARE: tl.constexpr, FIRST: tl.constexpr):  # fmt: skip
    """From the slopes (s, k, d, d) of left · right those of its factors: slope · rightᵀ and leftᵀ · slope.

    With SQUARE the factors are one matrix, and the sum of both goes to to_left. With FIRST, slopes are the D
    of `settling`, to be scaled by weight[seed] / (1 + ‖D‖²), and left itself was taken from the product.
    """
    matrix = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(2) * TILE + tl.arange(0, TILE)
    a = left + (matrix // k) * left_stride + (matrix % k) * (d * d)
    b = right + (matrix // k) * right_stride + (matrix % k) * (d * d)
    g = slopes + matrix * (d * d)
    inside = (i < d)[:, None] & (j < d)[None, :]
    place = matrix * (d * d) + i[:, None] * d + j[None, :]
    of_left = tl.zeros((TILE, TILE), slopes.dtype.element_ty)
    of_right = tl.zeros((TILE, TILE), slopes.dtype.element_ty)
    for begin in range(0, d, TILE):
        l = begin + tl.arange(0, TILE)
        rows, columns = (i < d)[:, None] & (l < d)[None, :], (l < d)[:, None] & (j < d)[None, :]
        g_left = tl.load(g + i[:, None] * d + l[None, :], mask=rows, other=0.0)
        b_part = tl.load(b + j[:, None] * d + l[None, :], mask=tl.trans(columns), other=0.0)
        of_left = tl.dot(g_left, tl.trans(b_part), of_left, input_precision="ieee", out_dtype=of_left.dtype)
        a_part = tl.load(a + l[:, None] * d + i[None, :], mask=tl.trans(rows), other=0.0)
        g_right = tl.load(g + l[:, None] * d + j[None, :], mask=columns, other=0.0)
        of_right = tl.dot(
            tl.trans(a_part), g_right, of_right, input_precision="ieee", out_dtype=of_right.dtype
        )
    if SQUARE:
        of_left += of_right
    else:
        tl.store(to_right + place, of_right, mask=inside)
    if FIRST:
        of_left -= tl.load(g + i[:, None] * d + j[None, :], mask=inside, other=0.0)
        tiles = tl.arange(0, TILES)
        count = tl.num_programs(1) * tl.num_programs(2)
        size = tl.sum(tl.load(sizes + matrix * count + tiles, mask=tiles < count, other=0.0), 0)
        of_left *= tl.load(weight + matrix // k) / (1 + size)
    tl.store(to_left + place, of_left, mask=inside)


class Settling:
    """Working memory and launches for the seeds of a shape."""

    def __init__(self, shape: Shape, seeds: int, n: int, like: Tensor) -> None:
        k, d = shape.symbols, shape.d
        self._shape, self._seeds = shape, seeds
        self._steps = steps_to(n).tolist()
        self._tile = 16 if d <= 16 else 32
        self._tiles = -(-d // self._tile)
        self._powers = like.new_zeros(len(self._steps), seeds, k, d, d)
        """The powers of A after A; in place of the last, D"""
        self._others = like.new_zeros(2, seeds, k, d, d)
        self._of_A = like.new_zeros(seeds, k, d, d)
        """Slopes of A as a factor of its own"""
        self._sizes = like.new_zeros(seeds * k, self._tiles**2)
        self.slopes = like.new_zeros(seeds, k, d, d)

    def run(self, theta: Tensor, weight: Tensor) -> None:
        """slopes of theta (s, P), times the weight (s,) of each seed."""
        k, d, tile, tiles = self._shape.symbols, self._shape.d, self._tile, self._tiles
        grid = (self._seeds * k, tiles, tiles)
        powers = [(theta, self._shape.size), *((power, k * d * d) for power in self._powers)]
        last = len(self._steps) - 1
        factors = [
            (powers[i], powers[i] if step == SQUARE else powers[0]) for i, step in enumerate(self._steps)
        ]
        for i, (left, right) in enumerate(factors):
            forward_kernel[grid](
                *left, *right, self._powers[i], self._sizes, k=k, d=d, TILE=tile, LAST=i == last, num_warps=4
            )
        slopes = self._powers[last]
        for i in range(last, -1, -1):
            left, right = factors[i]
            backward_kernel[grid](
                slopes, *left, *right, self._others[i % 2], self._of_A, self._sizes, weight,
                k=k, d=d, TILE=tile, TILES=1 << (tiles**2 - 1).bit_length(),
                SQUARE=self._steps[i] == SQUARE, FIRST=i == last, num_warps=4,
            )  # fmt: skip
            slopes = self._others[i % 2]
        torch.add(slopes, self._of_A, out=self.slopes)
