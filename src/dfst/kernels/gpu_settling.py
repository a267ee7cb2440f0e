"""`settling` on a GPU: a program for each symbol of each seed, all its powers in registers."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from dfst.errors import InputError
from dfst.model.weights import Shape

WIDEST = 128
"""Largest hidden size: beyond, the powers of a matrix do not fit one program."""


@triton.jit
def _square(a):
    return tl.dot(a, a, input_precision="ieee", out_dtype=a.dtype)


@triton.jit
def _back(slope, power):
    """The gradient of a matrix from that of its square."""
    turned = tl.trans(power)
    onto = tl.dot(slope, turned, input_precision="ieee", out_dtype=slope.dtype)
    return tl.dot(turned, slope, onto, input_precision="ieee", out_dtype=slope.dtype)


@triton.jit
def settle_kernel(theta, slopes, weight, P: tl.constexpr, k: tl.constexpr, d: tl.constexpr,
                  D: tl.constexpr):  # fmt: skip
    """slopes (s, k, d, d) = weight[0] · the gradient of the penalty. D: d padded to a power of two."""
    program = tl.program_id(0).to(tl.int64)
    seed, symbol = program // k, program % k
    rows, columns = tl.arange(0, D)[:, None], tl.arange(0, D)[None, :]
    inside = (rows < d) & (columns < d)
    place = rows * d + columns
    one = tl.load(theta + seed * P + symbol * (d * d) + place, mask=inside, other=0.0)
    two = _square(one)
    four = _square(two)
    eight = _square(four)
    away = _square(eight) - eight
    slope = away / (1 + tl.sum(tl.sum(away * away, 1), 0))
    slope = _back(slope, eight) - slope
    slope = _back(_back(_back(slope, four), two), one)
    slope *= tl.load(weight).to(slope.dtype)
    tl.store(slopes + program * (d * d) + place, slope, mask=inside)


class Settling:
    """Working memory and launch for the seeds of a shape."""

    def __init__(self, shape: Shape, seeds: int, weight: float, like: Tensor) -> None:
        if shape.d > WIDEST:
            raise InputError(
                f"settle takes a hidden size of at most {WIDEST} on a GPU, found {shape.d}; use the CPU"
            )
        self._shape = shape
        self._weight = torch.tensor([weight], dtype=torch.float64, device=like.device)
        self.slopes = like.new_zeros(seeds, shape.symbols, shape.d, shape.d)

    def run(self, theta: Tensor) -> None:
        """slopes of theta (s, P)."""
        shape = self._shape
        side = max(16, 1 << (shape.d - 1).bit_length())
        settle_kernel[(len(self.slopes) * shape.symbols,)](
            theta, self.slopes, self._weight,
            P=shape.size, k=shape.symbols, d=shape.d, D=side, num_warps=4 if side <= 32 else 8,
        )  # fmt: skip
