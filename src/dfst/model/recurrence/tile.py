"""Matrix products of a few rows for numba code: sums stay in vector registers, on any processor.

`multiply` computes  C[to[r], :] (+)= Σ_k a[r, k] · b[k, :]  for strided a and row-contiguous b and C. It cuts
the result into tiles of 4, 2 or 1 rows and 16, 12, 8 or 4 columns. A tile is emitted as LLVM vectors of
fixed length, which the back end maps to NEON, AVX or AVX-512 registers; numba's own loops over memory
cannot keep the sums in registers, because C might overlap a or b.

Every entry of C is one chain of multiply-adds in the order of k, whatever the tile: results do not
depend on how rows are grouped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.extending import intrinsic

COLUMNS = 4
"""Columns of b and C come in multiples of this; callers pad."""
VECTORS = {16: (16,), 12: (8, 4), 8: (8,), 4: (4,)}
"""Tile widths as powers of two, the lengths that every back end splits well."""


def padded(n: int) -> int:
    """n rounded up to whole vectors."""
    return -(-n // COLUMNS) * COLUMNS


def _make_tile(rows: int, width: int) -> Callable[..., Any]:
    """tile(a, a0, a_row, a_step, b, b0, b_step, c, c0, c_row, to, to0, count, fresh) of rows × width."""
    vectors = VECTORS[width]

    @intrinsic
    def tile(typing, a, a0, a_row, a_step, b, b0, b_step, c, c0, c_row, to, to0, count, fresh):
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            types_of = signature.args
            real = context.get_data_type(a.dtype)
            size = 4 if a.dtype == types.float32 else 8
            shapes = [ir.VectorType(real, n) for n in vectors]

            def data(index: int) -> Any:
                return context.make_array(types_of[index])(context, builder, args[index]).data

            def vectors_at(pointer: Any) -> list[Any]:
                places, column = [], 0
                for shape in shapes:
                    place = builder.gep(pointer, [ir.IntType(64)(column)])
                    places.append(builder.bitcast(place, shape.as_pointer()))
                    column += shape.count
                return places

            def moved(pointer: Any, offset: Any) -> Any:
                return builder.gep(pointer, [offset])

            _, a_from, a_row_, a_step_, _, b_from, b_step_, _, c_from, c_row_, _, to_from, count_, fresh_ = args
            a_data, b_data, c_data = moved(data(0), a_from), moved(data(4), b_from), moved(data(7), c_from)
            word = ir.IntType(64)
            targets = []
            for r in range(rows):
                place = builder.gep(data(10), [builder.add(to_from, word(r))])
                row = builder.load(place)
                targets.append(vectors_at(moved(c_data, builder.mul(row, c_row_))))

            sums = [[cgutils.alloca_once_value(builder, ir.Constant(s, None)) for s in shapes] for _ in range(rows)]
            with builder.if_then(builder.not_(fresh_)):
                for r in range(rows):
                    for v, shape in enumerate(shapes):
                        builder.store(builder.load(targets[r][v], align=size), sums[r][v])
            with cgutils.for_range(builder, count_, intp=word) as loop:
                b_here = vectors_at(moved(b_data, builder.mul(loop.index, b_step_)))
                b_values = [builder.load(p, align=size) for p in b_here]
                a_here = moved(a_data, builder.mul(loop.index, a_step_))
                for r in range(rows):
                    value = builder.load(moved(a_here, builder.mul(a_row_, word(r))))
                    for v, shape in enumerate(shapes):
                        seat = ir.Constant(ir.VectorType(ir.IntType(32), shape.count), None)
                        lane = builder.insert_element(ir.Constant(shape, ir.Undefined), value, ir.IntType(32)(0))
                        factor = builder.shuffle_vector(lane, ir.Constant(shape, ir.Undefined), seat)
                        name = f"llvm.fmuladd.v{shape.count}f{8 * size}"
                        kind = ir.FunctionType(shape, [shape] * 3)
                        add = cgutils.get_or_insert_function(builder.module, kind, name)
                        total = builder.call(add, [factor, b_values[v], builder.load(sums[r][v])])
                        builder.store(total, sums[r][v])
            for r in range(rows):
                for v, shape in enumerate(shapes):
                    builder.store(builder.load(sums[r][v]), targets[r][v], align=size)
            return context.get_dummy_value()

        i = types.int64
        return types.void(a, i, i, i, b, i, i, c, i, i, to, i, i, types.boolean), codegen

    return tile


tile_4_16, tile_4_12, tile_4_8, tile_4_4 = (_make_tile(4, w) for w in VECTORS)
tile_2_16, tile_2_12, tile_2_8, tile_2_4 = (_make_tile(2, w) for w in VECTORS)
tile_1_16, tile_1_12, tile_1_8, tile_1_4 = (_make_tile(1, w) for w in VECTORS)


@njit(cache=True, nogil=True)
def multiply(a, a0, a_row, a_step, b, b0, b_step, c, c_row, to, to0, rows, count, columns, fresh):
    """C[to[to0 + r], :] = (fresh or +=) Σ_k a[a0 + r·a_row + k·a_step] · b[b0 + k·b_step + :], all arrays flat."""
    widest = 64 // a.itemsize
    column = 0
    while column < columns:
        left = columns - column
        width = min(12 if left == 20 or left == 24 else min(left, 16), widest)
        if width == 12 and widest == 8:
            width = 8
        r = 0
        while r < rows:
            ar, tr = a0 + r * a_row, to0 + r
            if rows - r >= 4:
                if width == 16:
                    tile_4_16(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                elif width == 12:
                    tile_4_12(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                elif width == 8:
                    tile_4_8(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                else:
                    tile_4_4(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                r += 4
            elif rows - r >= 2:
                if width == 16:
                    tile_2_16(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                elif width == 12:
                    tile_2_12(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                elif width == 8:
                    tile_2_8(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                else:
                    tile_2_4(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                r += 2
            else:
                if width == 16:
                    tile_1_16(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                elif width == 12:
                    tile_1_12(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                elif width == 8:
                    tile_1_8(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                else:
                    tile_1_4(a, ar, a_row, a_step, b, b0 + column, b_step, c, column, c_row, to, tr, count, fresh)
                r += 1
        column += width
