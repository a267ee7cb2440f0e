"""Matrix products of a few rows for numba code: sums stay in vector registers, on any processor.

`multiply` computes  C[to[r], :] (+)= Σ_k a[of[r], k] · b[k, :]  for strided a and row-contiguous b and C, in
tiles of 1 to 4 rows and 4 to 64 columns, emitted as LLVM vectors of fixed length; numba's own loops cannot
keep the sums in registers, because C might overlap a or b. A sum waits for the one before it, so a tile
should hold as many sums as there are registers for: few rows make wide tiles. Every entry of C is one chain
of multiply-adds in the order of k, whatever the tile: results do not depend on how rows are grouped.

`product` is one matrix times a vector, out[i] = Σ_j W[j, i] · h[j] with j ascending and each operation
rounded once, never a fused multiply-add: every entry has the bits that plain Python or a browser finds for
it. `blocked` lays W out block of columns after block, each (d, columns) and read from front to back once: at
d = 108 a symbol's W has to stream from the second-level cache.
"""

from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, register_jitable
from numpy.typing import NDArray

from dfst.compiling import inner

COLUMNS, WHOLE, SMALL = 4, 16, 40
"""Columns of b and C come in multiples of COLUMNS, beyond SMALL of WHOLE; callers pad."""
VECTORS = {64: (16,) * 4, 48: (16,) * 3, 32: (16, 16), 16: (16,), 12: (8, 4), 8: (8,), 4: (4,)}
"""Tile widths as powers of two, the lengths that every back end splits well."""
WIDEST = np.array(
    [64, 64, 64, 64, 64] if llvm.get_host_cpu_features().get("avx512f") else [64, 64, 32, 16, 16]
)
"""Columns of float32 in a tile of so many rows; the sums of a tile must fit into the registers."""

BLOCKS = (256, 128, 64, 32)  # bytes of sums in a block: up to 64 of float32, 4 or more of float64


@register_jitable
def padded(n: int) -> int:
    """n rounded up to whole vectors."""
    step = COLUMNS if n <= SMALL else WHOLE
    return -(-n // step) * step


def make_tiles(rows: int, widths: Sequence[int] = tuple(VECTORS), exact: bool = False) -> Callable[..., Any]:
    """tiles(width, zero, a, a_row, a_step, of, b, b_step, c, c_row, to, count, fresh) of so many rows.

    exact: products are rounded before they are added; then rows are the first ones, and nobody lists them
    """

    @intrinsic
    def tiles(typing, width, zero, a, a_row, a_step, of, b, b_step, c, c_row, to, count, fresh):
        size = zero.bitwidth // 8

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            real, word = context.get_data_type(zero), ir.IntType(64)
            width_, _, a_, a_row_, a_step_, of_, b_, b_step_, c_, c_row_, to_, count_, fresh_ = args

            def row_of(list_: Any, r: int) -> Any:
                place = builder.inttoptr(builder.add(list_, word(8 * r)), word.as_pointer())
                return word(r) if exact else builder.load(place)

            def plus_product(shape: Any, *operands: Any) -> Any:
                if exact:
                    return builder.fadd(operands[2], builder.fmul(*operands[:2]))
                kind = ir.FunctionType(shape, [shape] * 3)
                name = f"llvm.fmuladd.v{shape.count}f{8 * size}"
                return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), operands)

            def spread(value: Any, shape: Any) -> Any:
                """A vector of equal entries."""
                undefined, seat = ir.Constant(shape, ir.Undefined), ir.VectorType(ir.IntType(32), shape.count)
                first = builder.insert_element(undefined, value, ir.IntType(32)(0))
                return builder.shuffle_vector(first, undefined, ir.Constant(seat, None))

            def tile(vectors: tuple[int, ...]) -> None:
                shapes = [ir.VectorType(real, n) for n in vectors]

                def vectors_at(address: Any) -> list[Any]:
                    """Pointers to the vectors of a row of the tile."""
                    first = [sum(vectors[:v]) * size for v in range(len(vectors))]
                    places = [builder.add(address, word(offset)) for offset in first]
                    return [builder.inttoptr(p, s.as_pointer()) for p, s in zip(places, shapes, strict=True)]

                sources, targets, sums = [], [], []
                for r in range(rows):
                    sources.append(builder.add(a_, builder.mul(row_of(of_, r), a_row_)))
                    targets.append(vectors_at(builder.add(c_, builder.mul(row_of(to_, r), c_row_))))
                    sums.append([cgutils.alloca_once_value(builder, ir.Constant(s, None)) for s in shapes])
                with builder.if_then(builder.icmp_signed("==", fresh_, word(0))):
                    for target, total in zip(targets, sums, strict=True):
                        for place, vector in zip(target, total, strict=True):
                            builder.store(builder.load(place, align=size), vector)
                with cgutils.for_range(builder, count_, intp=word) as loop:
                    b_here = vectors_at(builder.add(b_, builder.mul(loop.index, b_step_)))
                    b_values = [builder.load(place, align=size) for place in b_here]
                    offset = builder.mul(loop.index, a_step_)
                    for r in range(rows):
                        place = builder.inttoptr(builder.add(sources[r], offset), real.as_pointer())
                        value = builder.load(place)
                        for v, shape in enumerate(shapes):
                            total = plus_product(
                                shape, spread(value, shape), b_values[v], builder.load(sums[r][v])
                            )
                            builder.store(total, sums[r][v])
                for target, total in zip(targets, sums, strict=True):
                    for place, vector in zip(target, total, strict=True):
                        builder.store(builder.load(vector), place, align=size)

            after = builder.append_basic_block("after")
            choice = builder.switch(width_, after)
            for columns in widths:
                block = builder.append_basic_block(f"columns{columns}")
                choice.add_case(word(columns), block)
                builder.position_at_end(block)
                tile(VECTORS[columns])
                builder.branch(after)
            builder.position_at_end(after)
            return context.get_dummy_value()

        i = types.int64
        return types.void(i, zero, i, i, i, i, i, i, i, i, i, i, i), codegen

    return tiles


tiles_of_4, tiles_of_3, tiles_of_2, tiles_of_1 = (make_tiles(rows) for rows in (4, 3, 2, 1))


@inner
def multiply(zero, size, a, a_row, a_step, of, b, b_step, c, c_row, to, rows, count, columns, fresh):
    """C[to[r], :] = (if not fresh, +=) Σ_k a[of[r], k] · b[k, :].

    a, b, c, of, to: addresses of the first entries; *_row, *_step: bytes from one row or k to the next; zero:
    a number of the type, `size` bytes long. Addresses, because numba passes an array as seven values and
    counts its users.
    """
    widest = WIDEST[min(rows, 4)] * 4 // size
    while columns > 0:
        if columns == 20 or columns == 24:
            width = 12 if size == 4 else 8
        else:
            width = min(columns if columns < 16 else columns // 16 * 16, widest)
        if size == 8 and width == 12:
            width = 8
        o, t, left = of, to, rows
        while left >= 4:
            tiles_of_4(width, zero, a, a_row, a_step, o, b, b_step, c, c_row, t, count, fresh)
            o, t, left = o + 32, t + 32, left - 4
        if left == 3:
            tiles_of_3(width, zero, a, a_row, a_step, o, b, b_step, c, c_row, t, count, fresh)
        elif left == 2:
            tiles_of_2(width, zero, a, a_row, a_step, o, b, b_step, c, c_row, t, count, fresh)
        elif left == 1:
            tiles_of_1(width, zero, a, a_row, a_step, o, b, b_step, c, c_row, t, count, fresh)
        b, c, columns = b + width * size, c + width * size, columns - width


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
