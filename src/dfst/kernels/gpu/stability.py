"""`stability_penalty` on a GPU: all words of all seeds, a program for each tile of each product.

Launches wait for each other: nothing is added atomically, a seed's bits do not depend on its neighbours.

Legend: s seeds, k symbols, which is also how many words a seed has; d hidden size. A factor is a pointer to
matrices (s, …, d, d), how many numbers its seeds lie apart, and (s·k,) which matrix of its seed a word takes,
or NO_SYMBOL for the identity, by which shorter words are filled up.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from dfst.kernels.gpu.kernels import mix
from dfst.kernels.reference.noise import MASK, SALT
from dfst.kernels.reference.stability import EIGHTH, FOURTH, SQUARINGS
from dfst.model.weights import Shape
from dfst.traces.reweighting import NO_SYMBOL

WIDE = 32
"""Matrices wider than this take tiles of 64, and in float32 the tensor cores: three products for one, which
is as near as float32. Measured: docs/research/performance.md."""
_MASK, _SALT, _NO_SYMBOL = tl.constexpr(MASK), tl.constexpr(SALT), tl.constexpr(NO_SYMBOL)


@triton.jit
def words_kernel(seeds, now, shown, n_shown, words, count, k, K: tl.constexpr, LENGTH: tl.constexpr):
    """words (batches, LENGTH, s, k): `words_of` from step now[0] on, n_shown > 0. count: s."""
    program = tl.program_id(0).to(tl.int64)
    step = tl.load(now) + program // count
    seed = tl.load(seeds + program % count)
    key = mix((mix((seed ^ _SALT) & _MASK) + step) & _MASK)
    slots = tl.arange(0, K).to(tl.int64)
    at = mix((key + slots + 1) & _MASK) % n_shown
    drawn = (slots < k) & ((slots * 0 + step) % 2 == 1)
    for l in tl.static_range(LENGTH):
        symbol = tl.load(shown + at * LENGTH + l, mask=drawn, other=0).to(tl.int64)
        place = ((program // count) * LENGTH + l) * count + program % count
        alone = slots if l == 0 else slots * 0 + _NO_SYMBOL
        tl.store(words + place * k + slots, tl.where(drawn, symbol, alone).to(tl.int32), mask=slots < k)


@triton.jit
def _or_identity(part, at, i, j):
    """The rows i and columns j of a matrix, or of the identity where there is no symbol to read."""
    identity = (i[:, None] == j[None, :]).to(part.dtype)
    return tl.where(i[:, None] * 0 + at == _NO_SYMBOL, identity, part)


@triton.jit
def forward_kernel(left, left_stride, left_at, right, right_stride, right_at, result, near, sizes,
                   k: tl.constexpr, d: tl.constexpr, TILE: tl.constexpr, PRECISION: tl.constexpr,
                   FAR: tl.constexpr):  # fmt: skip
    """result (s, k, d, d) = left · right.

    With FAR: sizes (s·k, tiles²) = Σ (result − near)² of each tile.
    """
    matrix = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(2) * TILE + tl.arange(0, TILE)
    at = tl.load(left_at + matrix).to(tl.int64)
    a = left + (matrix // k) * left_stride + tl.maximum(at, 0) * (d * d)
    b = right + (matrix // k) * right_stride + tl.load(right_at + matrix).to(tl.int64) * (d * d)
    inside = (i < d)[:, None] & (j < d)[None, :]
    total = tl.zeros((TILE, TILE), left.dtype.element_ty)
    for begin in range(0, d, TILE):
        l = begin + tl.arange(0, TILE)
        rows, columns = (i < d)[:, None] & (l < d)[None, :], (l < d)[:, None] & (j < d)[None, :]
        a_part = tl.load(a + i[:, None] * d + l[None, :], mask=rows, other=0.0)
        a_part = _or_identity(a_part, at, i, l)
        b_part = tl.load(b + l[:, None] * d + j[None, :], mask=columns, other=0.0)
        total = tl.dot(a_part, b_part, total, input_precision=PRECISION, out_dtype=total.dtype)
    tl.store(result + matrix * (d * d) + i[:, None] * d + j[None, :], total, mask=inside)
    if FAR:
        total -= tl.load(near + matrix * (d * d) + i[:, None] * d + j[None, :], mask=inside, other=0.0)
        tile = matrix * tl.num_programs(1) + tl.program_id(1)
        tile = tile * tl.num_programs(2) + tl.program_id(2)
        tl.store(sizes + tile, tl.sum(tl.sum(total * total, 1), 0))


@triton.jit
def choose_kernel(far, further, near, sizes, sizes_further, weight, slopes, slopes_further,
                  k: tl.constexpr, d: tl.constexpr, COUNT: tl.constexpr, TILES: tl.constexpr,
                  BLOCK: tl.constexpr):  # fmt: skip
    """The slopes (s, k, d, d) by both far powers: of the one that is nearer to `near`; 0 of the other."""
    matrix = tl.program_id(0).to(tl.int64)
    number = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside, place = number < d * d, matrix * (d * d) + number
    tiles = tl.arange(0, TILES)
    size = tl.sum(tl.load(sizes + matrix * COUNT + tiles, mask=tiles < COUNT, other=0.0), 0)
    of_further = tl.load(sizes_further + matrix * COUNT + tiles, mask=tiles < COUNT, other=0.0)
    size_further = tl.sum(of_further, 0)
    w, twenty = tl.load(weight + matrix // k), size_further < size
    at = tl.load(near + place, mask=inside, other=0.0)
    of_far = (tl.load(far + place, mask=inside, other=0.0) - at) * (w / (1 + size))
    of_further = (tl.load(further + place, mask=inside, other=0.0) - at) * (w / (1 + size_further))
    # powers beyond this precision are left out
    of_far = tl.where(tl.abs(of_far) < float("inf"), of_far, 0.0)
    of_further = tl.where(tl.abs(of_further) < float("inf"), of_further, 0.0)
    tl.store(slopes + place, tl.where(twenty, 0.0, of_far), mask=inside)
    tl.store(slopes_further + place, tl.where(twenty, of_further, 0.0), mask=inside)


@triton.jit
def backward_kernel(slopes, left, left_stride, left_at, right, right_stride, right_at, to_left, to_right,
                    more, k: tl.constexpr, d: tl.constexpr, TILE: tl.constexpr, PRECISION: tl.constexpr,
                    SQUARE: tl.constexpr, MORE: tl.constexpr):  # fmt: skip
    """From the slopes (s, k, d, d) of left · right those of its factors: slope · rightᵀ and leftᵀ · slope.

    With SQUARE the factors are one matrix, and the sum of both goes to to_left; with MORE so do the slopes in
    `more`, of the left factor's other uses.
    """
    matrix = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(2) * TILE + tl.arange(0, TILE)
    at = tl.load(left_at + matrix).to(tl.int64)
    a = left + (matrix // k) * left_stride + tl.maximum(at, 0) * (d * d)
    b = right + (matrix // k) * right_stride + tl.load(right_at + matrix).to(tl.int64) * (d * d)
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
        of_left = tl.dot(
            g_left, tl.trans(b_part), of_left, input_precision=PRECISION, out_dtype=of_left.dtype
        )
        a_part = tl.load(a + l[:, None] * d + i[None, :], mask=tl.trans(rows), other=0.0)
        a_part = _or_identity(a_part, at, l, i)
        g_right = tl.load(g + l[:, None] * d + j[None, :], mask=columns, other=0.0)
        of_right = tl.dot(
            tl.trans(a_part), g_right, of_right, input_precision=PRECISION, out_dtype=of_right.dtype
        )
    # powers beyond this precision are left out
    of_right = tl.where(tl.abs(of_right) < float("inf"), of_right, 0.0)
    if SQUARE:
        of_left += of_right
    else:
        tl.store(to_right + place, of_right, mask=inside)
    if MORE:
        of_left += tl.load(more + place, mask=inside, other=0.0)
    of_left = tl.where(tl.abs(of_left) < float("inf"), of_left, 0.0)
    tl.store(to_left + place, of_left, mask=inside)


@triton.jit
def gather_kernel(parts, words, slopes, k: tl.constexpr, d: tl.constexpr, LENGTH: tl.constexpr,
                  BLOCK: tl.constexpr):  # fmt: skip
    """slopes (s, k, d, d): of each symbol the sum of its parts (LENGTH, s, k, d, d), word by word."""
    matrix = tl.program_id(0).to(tl.int64)
    count = tl.num_programs(0)
    number = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = number < d * d
    total = tl.zeros((BLOCK,), parts.dtype.element_ty)
    for word in range(k):
        for l in tl.static_range(LENGTH):
            place = l * count + (matrix // k) * k + word
            if tl.load(words + place) == matrix % k:
                total += tl.load(parts + place * (d * d) + number, mask=inside, other=0.0)
    tl.store(slopes + matrix * (d * d) + number, total, mask=inside)


class Stability:
    """Working memory and launches for the seeds of a shape."""

    def __init__(self, shape: Shape, seeds: int, length: int, like: Tensor) -> None:
        k, d = shape.symbols, shape.d
        self._shape, self._seeds = shape, seeds
        self._tile = 16 if d <= 16 else 32 if d <= WIDE else 64
        self._precision = "tf32x3" if d > WIDE and like.dtype == torch.float32 else "ieee"
        self._tiles = -(-d // self._tile)
        self._products = like.new_zeros(length + SQUARINGS + 2, seeds, k, d, d)
        """What a word's matrices come to one by one, then its squares, then P^20, P^52 and P^72"""
        self._own = torch.arange(k, dtype=torch.int32, device=like.device).repeat(seeds)
        """(s·k,) of its own products every word takes its own"""
        self._turns = like.new_zeros(2, seeds, k, d, d)
        """Slopes on their way back"""
        self._of_far, self._of_further, self._of_eighth = like.new_zeros(3, seeds, k, d, d)
        self._parts = like.new_zeros(length, seeds, k, d, d)
        """Slopes of the matrices of a word"""
        self._sizes = like.new_zeros(2, seeds * k, self._tiles**2)
        self.slopes = like.new_zeros(seeds, k, d, d)
        self._stream = torch.cuda.Stream(like.device) if like.is_cuda else None

    def run(self, theta: Tensor, words: Tensor, weight: Tensor) -> None:
        """slopes of theta (s, P), times the weight (s,) of each seed; words (length, s, k) int32."""
        k, d, tile, tiles = self._shape.symbols, self._shape.d, self._tile, self._tiles
        length, blocks = len(words), (self._seeds * k, -(-d * d // 1024))
        word = length - 1  # the place of P among the products; of its powers
        eighth, last = word + EIGHTH, word + SQUARINGS
        read = [(theta, self._shape.size, symbols) for symbols in words]
        made = [read[0], *((product, k * d * d, self._own) for product in self._products)]
        factors = [(read[i + 1], made[i]) for i in range(word)]
        factors += [(made[i], made[i]) for i in range(word, last)]
        factors.append((made[last - 2], made[word + FOURTH]))  # P^20
        factors += [(made[last - 1], made[last + 1]), (made[last], made[eighth])]
        grid, (far, _, near, further) = (self._seeds * k, tiles, tiles), self._products[last - 1 :][:4]
        sizes = {last - 1: self._sizes[0], last + 2: self._sizes[1]}  # of what is held against `near`
        for i in (*range(last - 1), last, last + 1, last - 1, last + 2):
            left, right = factors[i]
            forward_kernel[grid](
                *left, *right, self._products[i], near, sizes.get(i, self._sizes), k=k, d=d,
                TILE=tile, PRECISION=self._precision, FAR=i in sizes, num_warps=4,
            )  # fmt: skip
        choose_kernel[blocks](
            far, further, near, *self._sizes, weight, self._of_far, self._of_further, k=k, d=d,
            COUNT=tiles**2, TILES=1 << (tiles**2 - 1).bit_length(), BLOCK=1024, num_warps=4,
        )  # fmt: skip
        more, slopes = {last + 2: self._of_far, eighth: self._of_eighth}, self._of_further
        for i in (last + 2, *range(last - 1, -1, -1)):
            onwards = self._turns[i % 2]
            to_left, to_right = (onwards, self._of_eighth) if i >= word else (self._parts[i + 1], onwards)
            left, right = factors[i]
            backward_kernel[grid](
                slopes, *left, *right, to_left, to_right, more.get(i, slopes), k=k, d=d, TILE=tile,
                PRECISION=self._precision, SQUARE=word <= i < last, MORE=i in more, num_warps=4,
            )  # fmt: skip
            slopes = onwards
        self._parts[0].copy_(slopes)
        gather_kernel[blocks](
            self._parts, words, self.slopes, k=k, d=d, LENGTH=length, BLOCK=1024, num_warps=4
        )

    def begin(self, theta: Tensor, words: Tensor, weight: Tensor) -> None:
        """`run` on a stream of its own, beside what the current one does until `end`."""
        if self._stream is None:
            self.run(theta, words, weight)
            return
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            self.run(theta, words, weight)

    def end(self) -> None:
        """What follows waits for the slopes."""
        if self._stream is not None:
            torch.cuda.current_stream().wait_stream(self._stream)
