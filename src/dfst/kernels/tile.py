"""Matrix products of a few rows for numba code: sums stay in vector registers, on any processor.

`multiply` computes  C[to[r], :] (+)= Σ_k a[r, k] · b[k, :]  for strided a and row-contiguous b and C. It cuts
the result into tiles of 1 to 4 rows and 16, 12, 8 or 4 columns. A tile is emitted as LLVM vectors of
fixed length, which the back end maps to NEON, AVX or AVX-512 registers; numba's own loops over memory
cannot keep the sums in registers, because C might overlap a or b.

Every entry of C is one chain of multiply-adds in the order of k, whatever the tile: results do not
depend on how rows are grouped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic

from dfst.compiling import inner

COLUMNS = 4
"""Columns of b and C come in multiples of this; callers pad."""
VECTORS = {16: (16,), 12: (8, 4), 8: (8,), 4: (4,)}
"""Tile widths as powers of two, the lengths that every back end splits well."""


def padded(n: int) -> int:
    """n rounded up to whole vectors."""
    return -(-n // COLUMNS) * COLUMNS


def _make_tile(rows: int, width: int) -> Callable[..., Any]:
    """tile(zero, a, a_row, a_step, b, b_step, c, c_row, to, count, fresh) of rows × width."""
    vectors = VECTORS[width]

    @intrinsic
    def tile(typing, zero, a, a_row, a_step, b, b_step, c, c_row, to, count, fresh):
        size = zero.bitwidth // 8

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            real, word = context.get_data_type(zero), ir.IntType(64)
            shapes = [ir.VectorType(real, n) for n in vectors]
            _, a_, a_row_, a_step_, b_, b_step_, c_, c_row_, to_, count_, fresh_ = args

            def vectors_at(address: Any) -> list[Any]:
                """Pointers to the vectors of a row of the tile."""
                first = [sum(vectors[:v]) * size for v in range(len(vectors))]
                places = [builder.add(address, word(offset)) for offset in first]
                return [builder.inttoptr(p, s.as_pointer()) for p, s in zip(places, shapes, strict=True)]

            def fused(shape: Any, *operands: Any) -> Any:
                kind = ir.FunctionType(shape, [shape] * 3)
                name = f"llvm.fmuladd.v{shape.count}f{8 * size}"
                return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), operands)

            def spread(value: Any, shape: Any) -> Any:
                """A vector of equal entries."""
                undefined, seat = ir.Constant(shape, ir.Undefined), ir.VectorType(ir.IntType(32), shape.count)
                first = builder.insert_element(undefined, value, ir.IntType(32)(0))
                return builder.shuffle_vector(first, undefined, ir.Constant(seat, None))

            targets, sums = [], []
            for r in range(rows):
                row = builder.load(builder.inttoptr(builder.add(to_, word(8 * r)), word.as_pointer()))
                targets.append(vectors_at(builder.add(c_, builder.mul(row, c_row_))))
                sums.append([cgutils.alloca_once_value(builder, ir.Constant(s, None)) for s in shapes])
            with builder.if_then(builder.icmp_signed("==", fresh_, word(0))):
                for target, total in zip(targets, sums, strict=True):
                    for place, vector in zip(target, total, strict=True):
                        builder.store(builder.load(place, align=size), vector)
            with cgutils.for_range(builder, count_, intp=word) as loop:
                b_here = vectors_at(builder.add(b_, builder.mul(loop.index, b_step_)))
                b_values = [builder.load(place, align=size) for place in b_here]
                a_here = builder.add(a_, builder.mul(loop.index, a_step_))
                for r in range(rows):
                    place = builder.add(a_here, builder.mul(a_row_, word(r)))
                    value = builder.load(builder.inttoptr(place, real.as_pointer()))
                    for v, shape in enumerate(shapes):
                        total = fused(shape, spread(value, shape), b_values[v], builder.load(sums[r][v]))
                        builder.store(total, sums[r][v])
            for target, total in zip(targets, sums, strict=True):
                for place, vector in zip(target, total, strict=True):
                    builder.store(builder.load(vector), place, align=size)
            return context.get_dummy_value()

        i = types.int64
        return types.void(zero, i, i, i, i, i, i, i, i, i, i), codegen

    return tile


tile_4_16, tile_4_12, tile_4_8, tile_4_4 = (_make_tile(4, w) for w in VECTORS)
tile_3_16, tile_3_12, tile_3_8, tile_3_4 = (_make_tile(3, w) for w in VECTORS)
tile_2_16, tile_2_12, tile_2_8, tile_2_4 = (_make_tile(2, w) for w in VECTORS)
tile_1_16, tile_1_12, tile_1_8, tile_1_4 = (_make_tile(1, w) for w in VECTORS)


@inner
def multiply(zero, size, a, a_row, a_step, b, b_step, c, c_row, to, rows, count, columns, fresh):
    """C[to[r], :] = (if not fresh, +=) Σ_k a[r, k] · b[k, :].

    a, b, c, to: addresses of the first entries; *_row, *_step: bytes from one r or k to the next; zero: a
    number of the type, `size` bytes long. Addresses, because numba passes an array as seven values and
    counts its users.
    """
    while columns > 0:
        width = 12 if columns == 20 or columns == 24 else min(columns, 16)
        if size == 8 and width > 8:
            width = 8
        ar, tr, left = a, to, rows
        while left >= 4:
            if width == 16:
                tile_4_16(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 12:
                tile_4_12(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 8:
                tile_4_8(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            else:
                tile_4_4(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            ar, tr, left = ar + 4 * a_row, tr + 32, left - 4
        if left == 3:
            if width == 16:
                tile_3_16(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 12:
                tile_3_12(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 8:
                tile_3_8(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            else:
                tile_3_4(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
        elif left == 2:
            if width == 16:
                tile_2_16(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 12:
                tile_2_12(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 8:
                tile_2_8(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            else:
                tile_2_4(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
        elif left == 1:
            if width == 16:
                tile_1_16(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 12:
                tile_1_12(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            elif width == 8:
                tile_1_8(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
            else:
                tile_1_4(zero, ar, a_row, a_step, b, b_step, c, c_row, tr, count, fresh)
        b, c, columns = b + width * size, c + width * size, columns - width
