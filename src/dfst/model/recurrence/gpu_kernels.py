"""Triton kernels of the recurrence: plan the grouped product, sweep the traces, multiply, add up.

    plan      tokens of a batch in the order of their symbols, in chunks that hold one symbol each
    sweep     one program a trace: h forward in registers, errors and loss, then the gradient g backward
    products  one program a chunk: Σ u_t h_tᵀ over its tokens, u = [g_{t+1}; e_t], so dA, dB and dC at once
    sums      chunks of a symbol added in a fixed order; Σ gradient²; the loss

No kernel adds atomically: results are the same bits in every run, whatever other seeds run beside.

Legend: s seeds, b traces a batch, T longest trace, k symbols, m motions, d hidden size, r = d + k + m rows of u.
D, O, R, B, K: d, k + m, r, b and k padded to powers of two. Parameters (s, P) flat, as in `Shape.split`.
    hidden (s·b·T, hs) h_t             signal (s·b·T, us) [g_{t+1} (d); e_t (k + m)]
    partial (s, chunks, r·d)           rows (s, chunks·CHUNK) row of `hidden` within the seed's b·T
    first_chunk (s, k + 1)             totals (s, k) tokens of a symbol     before (s, k, b) of them in earlier slots
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def count_kernel(chosen, symbol_start, before, totals, first_chunk, b, k: tl.constexpr, B: tl.constexpr,
                 CHUNK: tl.constexpr):  # fmt: skip
    """How many tokens of each symbol each slot of a batch brings, and where the symbol's chunks begin."""
    batch = tl.program_id(0).to(tl.int64)
    slots = tl.arange(0, B)
    real = slots < b
    trace = tl.load(chosen + batch * b + slots, mask=real, other=0)
    first = batch.to(tl.int32) * 0
    tl.store(first_chunk + batch * (k + 1), first)
    for symbol in range(k):
        at = symbol_start + trace * (k + 1) + symbol
        tokens = tl.load(at + 1, mask=real, other=0) - tl.load(at, mask=real, other=0)
        tl.store(before + (batch * k + symbol) * b + slots, tl.cumsum(tokens, 0) - tokens, mask=real)
        total = tl.sum(tokens, 0)
        tl.store(totals + batch * k + symbol, total)
        first += (total + CHUNK - 1) // CHUNK
        tl.store(first_chunk + batch * (k + 1) + symbol + 1, first)


@triton.jit
def scatter_kernel(chosen, x, start, order, symbol_start, before, first_chunk, rows, b, longest, rows_stride,
                   k: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    """Write each token's row where the chunk of its symbol expects it."""
    program = tl.program_id(0).to(tl.int64)
    batch, slot = program // b, program % b
    trace = tl.load(chosen + program)
    begin = tl.load(start + trace)
    steps = (tl.load(start + trace + 1) - begin).to(tl.int32)
    for i in range(0, steps, BLOCK):
        j = i + tl.arange(0, BLOCK)
        real = j < steps
        t = tl.load(order + begin + j, mask=real, other=0)
        symbol = tl.load(x + begin + t, mask=real, other=0).to(tl.int32)
        rank = j - tl.load(symbol_start + trace * (k + 1) + symbol, mask=real, other=0)
        rank += tl.load(before + (batch * k + symbol) * b + slot, mask=real, other=0)
        rank += tl.load(first_chunk + batch * (k + 1) + symbol, mask=real, other=0) * CHUNK
        tl.store(rows + batch * rows_stride + rank, (slot * longest + t).to(tl.int32), mask=real)


@triton.jit(do_not_specialize_on_alignment=["chosen"])
def sweep_kernel(theta, x, s, m, start, chosen, alive, hidden, signal, slope0, losses, b, longest,
                 P: tl.constexpr, k: tl.constexpr, moves: tl.constexpr, d: tl.constexpr,
                 hs: tl.constexpr, us: tl.constexpr, D: tl.constexpr, O: tl.constexpr):  # fmt: skip
    """One trace forward and backward. Matrices of the next step are loaded a step ahead of their use.

    Writes hidden, signal, slope0 (s·b, d) the gradient of h0 from this trace, and losses (s·b,).
    """
    program = tl.program_id(0).to(tl.int64)
    seed = program // b
    trace = tl.load(chosen + program)
    begin = tl.load(start + trace)
    steps = (tl.load(start + trace + 1) - begin).to(tl.int32)
    steps = tl.where(tl.load(alive + seed) != 0, steps, 0)
    real = theta.dtype.element_ty
    columns = tl.arange(0, D)
    inside = columns < d
    outputs = tl.arange(0, O)
    wanted = outputs < k + moves
    own = theta + seed * P
    a_at = own + columns[:, None] * d + columns[None, :]
    a_inside = inside[:, None] & inside[None, :]
    # B above C: row o of symbol x lies at o_base + x · o_step
    o_base = tl.where(outputs < k, k * d * d + outputs * d, k * d * (d + k) + (outputs - k) * d)
    o_step = tl.where(outputs < k, k * d, moves * d)[:, None]
    o_at = own + o_base[:, None] + columns[None, :]
    o_inside = wanted[:, None] & inside[None, :]
    scale = 1.0 / (tl.maximum(steps, 1) * b).to(real)

    h = tl.load(own + k * d * (d + k + moves) + columns, mask=inside, other=0.0)
    symbol = tl.load(x + begin, mask=steps > 0, other=0).to(tl.int32)
    a = tl.load(a_at + symbol * (d * d), mask=a_inside, other=0.0)
    o = tl.load(o_at + symbol * o_step, mask=o_inside, other=0.0)
    square = tl.zeros((O,), real)
    for t in range(steps):
        ahead = tl.load(x + begin + tl.minimum(t + 1, steps - 1)).to(tl.int32)
        a_ahead = tl.load(a_at + ahead * (d * d), mask=a_inside, other=0.0)
        o_ahead = tl.load(o_at + ahead * o_step, mask=o_inside, other=0.0)
        written = tl.load(s + begin + t).to(tl.int32)
        moved = tl.load(m + begin + t).to(tl.int32) + k
        row = program * longest + t
        tl.store(hidden + row * hs + columns, h, mask=inside)
        target = ((outputs == written) | (outputs == moved)).to(real)
        error = tl.sum(o * h[None, :], 1) - target
        square += error * error
        tl.store(signal + row * us + d + outputs, error * scale, mask=wanted)
        h = tl.sum(a * h[None, :], 1)
        a = a_ahead
        o = o_ahead
    tl.store(losses + program, 0.5 * scale * tl.sum(square, 0))

    # the errors are read back by other threads than those that wrote them
    tl.debug_barrier()
    g = tl.zeros((D,), real)
    last = program * longest + tl.maximum(steps - 1, 0)
    error = tl.load(signal + last * us + d + outputs, mask=wanted, other=0.0)
    for i in range(steps):
        t = steps - 1 - i
        before = tl.maximum(t - 1, 0)
        ahead = tl.load(x + begin + before).to(tl.int32)
        a_ahead = tl.load(a_at + ahead * (d * d), mask=a_inside, other=0.0)
        o_ahead = tl.load(o_at + ahead * o_step, mask=o_inside, other=0.0)
        error_ahead = tl.load(
            signal + (program * longest + before) * us + d + outputs, mask=wanted, other=0.0
        )
        tl.store(signal + (program * longest + t) * us + columns, g, mask=inside)
        g = tl.sum(a * g[:, None], 0) + tl.sum(o * error[:, None], 0)
        a = a_ahead
        o = o_ahead
        error = error_ahead
    tl.store(slope0 + program * d + columns, g, mask=inside)


@triton.jit(do_not_specialize_on_alignment=["rows", "first_chunk", "totals"])
def products_kernel(hidden, signal, rows, first_chunk, totals, partial, tokens, chunks, rows_stride,
                    k: tl.constexpr, d: tl.constexpr, r: tl.constexpr, hs: tl.constexpr, us: tl.constexpr,
                    K: tl.constexpr, D: tl.constexpr, TILE: tl.constexpr, CHUNK: tl.constexpr, STEP: tl.constexpr,
                    PRECISION: tl.constexpr):  # fmt: skip
    """Rows tile·TILE… of Σ u_t h_tᵀ over the tokens of one chunk. tokens: b·T."""
    chunk = tl.program_id(0)
    tile = tl.program_id(1)
    seed = tl.program_id(2).to(tl.int64)
    symbols = tl.arange(0, K)
    edges = tl.load(first_chunk + seed * (k + 1) + 1 + symbols, mask=symbols < k, other=1 << 30)
    symbol = tl.sum((edges <= chunk).to(tl.int32), 0)
    if symbol < k:
        within = chunk - tl.load(first_chunk + seed * (k + 1) + symbol)
        count = tl.minimum(tl.load(totals + seed * k + symbol) - within * CHUNK, CHUNK)
        columns = tl.arange(0, D)
        lines = tile * TILE + tl.arange(0, TILE)
        total = tl.zeros((TILE, D), hidden.dtype.element_ty)
        for i in range(0, count, STEP):
            j = i + tl.arange(0, STEP)
            live = (j < count)[:, None]
            row = tl.load(rows + seed * rows_stride + chunk * CHUNK + j, mask=j < count, other=0)
            row = seed * tokens + row
            u = tl.load(
                signal + row[:, None] * us + lines[None, :], mask=live & (lines < r)[None, :], other=0.0
            )
            h = tl.load(
                hidden + row[:, None] * hs + columns[None, :], mask=live & (columns < d)[None, :], other=0.0
            )
            total = tl.dot(tl.trans(u), h, total, input_precision=PRECISION, out_dtype=total.dtype)
        to = partial + (seed * chunks + chunk) * (r * d)
        inside = (lines < r)[:, None] & (columns < d)[None, :]
        tl.store(to + lines[:, None] * d + columns[None, :], total, mask=inside)


@triton.jit
def sum_of_squares(v):
    wide = v.to(tl.float64)
    return tl.sum(wide * wide, 0)


@triton.jit(do_not_specialize_on_alignment=["first_chunk"])
def sums_kernel(partial, first_chunk, slope0, losses, gradients, loss, squares, b, parts, chunks, blocks,
                P: tl.constexpr, k: tl.constexpr, moves: tl.constexpr, d: tl.constexpr, r: tl.constexpr,
                D: tl.constexpr, BLOCK: tl.constexpr, AT_ONCE: tl.constexpr):  # fmt: skip
    """Gradients of one symbol's next BLOCK parameters; the program after all those: of h0, and the loss.

    losses (s, parts) → loss (s,); squares (s, k·blocks + 1): Σ gradient² of each program, in float64.
    """
    program = tl.program_id(0)
    seed = tl.program_id(1).to(tl.int64)
    some = tl.arange(0, AT_ONCE)
    if program < k * blocks:
        symbol = program // blocks
        place = (program % blocks) * BLOCK + tl.arange(0, BLOCK)
        inside = place < r * d
        end = tl.load(first_chunk + seed * (k + 1) + symbol + 1)
        total = tl.zeros((BLOCK,), partial.dtype.element_ty)
        for chunk in range(tl.load(first_chunk + seed * (k + 1) + symbol), end, AT_ONCE):
            each = chunk + some
            at = partial + (seed * chunks + each)[:, None] * (r * d) + place[None, :]
            total += tl.sum(tl.load(at, mask=(each < end)[:, None] & inside[None, :], other=0.0), 0)
        in_b = k * d * d + symbol * (k * d) + place - d * d
        in_c = k * d * (d + k) + symbol * (moves * d) + place - d * (d + k)
        flat = tl.where(place < d * d, symbol * (d * d) + place, tl.where(place < d * (d + k), in_b, in_c))
        tl.store(gradients + seed * P + flat, total, mask=inside)
        tl.store(squares + seed * (k * blocks + 1) + program, sum_of_squares(total))
    else:
        columns = tl.arange(0, D)
        slope = tl.zeros((D,), partial.dtype.element_ty)
        for slot in range(0, b, AT_ONCE):
            each = slot + some
            at = slope0 + (seed * b + each)[:, None] * d + columns[None, :]
            slope += tl.sum(tl.load(at, mask=(each < b)[:, None] & (columns < d)[None, :], other=0.0), 0)
        tl.store(gradients + seed * P + k * d * r + columns, slope, mask=columns < d)
        tl.store(squares + seed * (k * blocks + 1) + program, sum_of_squares(slope))
        terms = tl.arange(0, BLOCK)
        mean = tl.zeros((BLOCK,), tl.float64)
        for part in range(0, parts, BLOCK):
            each = part + terms
            mean += tl.load(losses + seed * parts + each, mask=each < parts, other=0.0).to(tl.float64)
        tl.store(loss + seed, tl.sum(mean, 0))
