"""One matrix-vector product for compiled loops, its sums kept in vector registers and taken in order.

`product` computes out[i] = Σ_j W[j, i] · h[j] with j ascending and each operation rounded once, never a fused
multiply-add: every entry then has the bits that plain Python or a browser finds for it. It is emitted as
LLVM vectors, since numba's own loops cannot keep sums in registers (out might overlap W).

Columns are cut into blocks of 256, 128, 64 or 32 bytes, as many sums as sixteen NEON or eight AVX registers
hold. `blocked` lays W out block after block, each (d, columns) and read from front to back once: at d = 108
a symbol's W is as large as a first-level cache and has to stream from the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic
from numpy.typing import NDArray

from dfst.compiling import inner

BLOCKS = (256, 128, 64, 32)
"""Bytes of sums in a block."""
VECTOR = 64
"""Bytes of an LLVM vector; back ends split it into what the processor has."""


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


def _make_block(block: int) -> Callable[..., Any]:
    """columns(zero, w, h, out, count): the sums of one block, for `count` ≥ 0 entries of h."""

    @intrinsic
    def columns(typing, zero, w, h, out, count):
        size = zero.bitwidth // 8
        length = min(block, VECTOR) // size

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            real, word = context.get_data_type(zero), ir.IntType(64)
            shape = ir.VectorType(real, length)
            everywhere = ir.Constant(ir.VectorType(ir.IntType(32), length), None)
            undefined = ir.Constant(shape, ir.Undefined)
            _, w_, h_, out_, count_ = args
            offsets = range(0, block, length * size)
            sums = [cgutils.alloca_once_value(builder, ir.Constant(shape, None)) for _ in offsets]

            def vector_at(address: Any, offset: int) -> Any:
                return builder.inttoptr(builder.add(address, word(offset)), shape.as_pointer())

            def add_terms(first: Any, many: int) -> None:
                """The terms of the entries first, first + 1, … of h."""
                entries, rows = [], []
                for j in range(many):
                    at = builder.add(first, word(j))
                    place = builder.add(h_, builder.mul(at, word(size)))
                    value = builder.load(builder.inttoptr(place, real.as_pointer()))
                    seat = builder.insert_element(undefined, value, ir.IntType(32)(0))
                    entries.append(builder.shuffle_vector(seat, undefined, everywhere))
                    rows.append(builder.add(w_, builder.mul(at, word(block))))
                for offset, total in zip(offsets, sums, strict=True):
                    value = builder.load(total)
                    for entry, row in zip(entries, rows, strict=True):
                        term = builder.fmul(builder.load(vector_at(row, offset), align=size), entry)
                        value = builder.fadd(value, term)
                    builder.store(value, total)

            with cgutils.for_range(builder, builder.lshr(count_, word(1)), intp=word) as loop:
                add_terms(builder.shl(loop.index, word(1)), 2)
            odd = builder.trunc(count_, ir.IntType(1))
            with builder.if_then(odd):
                add_terms(builder.sub(count_, word(1)), 1)
            for offset, total in zip(offsets, sums, strict=True):
                builder.store(builder.load(total), vector_at(out_, offset), align=size)
            return context.get_dummy_value()

        return types.void(zero, *[types.int64] * 4), codegen

    return columns


_columns_256, _columns_128, _columns_64, _columns_32 = (_make_block(block) for block in BLOCKS)


@inner
def product(zero, w, h, out, count, room):
    """out = W h for W in blocks. w, h, out: addresses; room: bytes of out; zero: a number of its type."""
    while room > 0:
        if room >= 256:
            _columns_256(zero, w, h, out, count)
            block = 256
        elif room >= 128:
            _columns_128(zero, w, h, out, count)
            block = 128
        elif room >= 64:
            _columns_64(zero, w, h, out, count)
            block = 64
        else:
            _columns_32(zero, w, h, out, count)
            block = 32
        w += count * block
        out += block
        room -= block
