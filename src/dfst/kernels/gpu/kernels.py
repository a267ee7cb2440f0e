"""Triton kernels of the recurrence. What depends on the step before is swept trace by trace; the rest is
matrix products over tokens that read the same symbol.

    count, scatter   tokens of a batch in the order of their symbols, in chunks of one symbol each
    recur            a program per trace, h in registers:   h_{t+1} = A h_t (± σ, see `noise`)
    readout          a program per chunk:   e_t = (O h_t − target) / (T b),  drive = Oᵀ e_t,  loss; O = [B; C]
    recur            backward, g in registers:   g_t = Aᵀ g_{t+1} + drive
    products         a program per chunk:   Σ u_t h_tᵀ,  u = [g_{t+1}; e_t], so dA, dB and dC at once
    sums             chunks of a symbol added in a fixed order; Σ gradient²; the loss

No kernel adds atomically: results are the same bits in every run, whatever other seeds run beside.

Legend: s seeds, b traces per batch, T longest trace, k symbols, m motions, d hidden size, r = d + k + m;
D, O, R, B, K: d, k + m, r, b and k padded to powers of two. Parameters (s, P) flat, as in `Shape.split`.
    hidden, drive (s·b·T, hs)   signal (s·b·T, us) u_t   partial (s, chunks, r·d)
    rows (s, chunks·CHUNK) a token's row within its seed's part of hidden; marks: s + 256 m; weights: e / T b
    totals (s, k) tokens of a symbol; before (s, k, b) of them in earlier slots; first_chunk (s, k + 1)
Columns of hidden, drive and signal beyond those in use hold zeros.
"""

import importlib.util

from dfst.errors import MissingExtra
from dfst.kernels.reference.noise import MASK, SALT, WORD, WORDS

if importlib.util.find_spec("triton") is None:
    raise MissingExtra("training on a GPU", "triton (a part of torch's GPU build)", "train")

import triton
import triton.language as tl

_MASK, _SALT = tl.constexpr(MASK), tl.constexpr(SALT)
_WORD, _WORDS = tl.constexpr(WORD), tl.constexpr(WORDS)


@triton.jit
def mix(z):
    """`noise.mix`."""
    z = ((z ^ (z >> 16)) * 0x7FEB352D) & _MASK
    z = ((z ^ (z >> 15)) * 0x846CA68B) & _MASK
    return z ^ (z >> 16)


@triton.jit
def levels_kernel(seeds, now, begin, schedule, keys, noise, stability, count):
    """keys, noise and stability (batches, s): `noise_key`, σ and the weight of the penalty, from now[0] on.

    schedule (…, 2) in float64: the last two for the iterations from begin[0] on. count: s.
    """
    program = tl.program_id(0).to(tl.int64)
    step = tl.load(now) + program // count
    seed = tl.load(seeds + program % count)
    tl.store(keys + program, mix((mix((seed ^ _SALT) & _MASK) + step) & _MASK))
    row = schedule + (step - tl.load(begin)) * 2
    tl.store(noise + program, tl.load(row).to(noise.dtype.element_ty))
    tl.store(stability + program, tl.load(row + 1).to(stability.dtype.element_ty))


@triton.jit
def noise_of(level, key, token, columns):
    """`Noise.of`: σ or −σ for each column of the state that a token reads."""
    bits = mix(key ^ mix((token * _WORDS + columns // _WORD) & _MASK))
    return tl.where(((bits >> (columns % _WORD)) & 1) != 0, level, -level)


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
def scatter_kernel(chosen, x, s, m, start, order, symbol_start, before, first_chunk, weight,
                   rows, marks, weights, b, longest, rows_stride,
                   k: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    """Write each token's row, right answer and weight in the loss where its symbol's chunk expects them."""
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
        mark = tl.load(s + begin + t, mask=real, other=0).to(tl.int32)
        mark += tl.load(m + begin + t, mask=real, other=0).to(tl.int32) * 256
        place = j - tl.load(symbol_start + trace * (k + 1) + symbol, mask=real, other=0)
        place += tl.load(before + (batch * k + symbol) * b + slot, mask=real, other=0)
        place += tl.load(first_chunk + batch * (k + 1) + symbol, mask=real, other=0) * CHUNK
        at = batch * rows_stride + place
        tl.store(rows + at, (slot * longest + t).to(tl.int32), mask=real)
        tl.store(marks + at, mark, mask=real)
        tl.store(weights + at, tl.load(weight + begin + t, mask=real, other=0.0), mask=real)


@triton.jit(do_not_specialize_on_alignment=["chosen"])
def recur_kernel(matrices, initial, x, start, chosen, alive, values, drive, ends, keys, noise, b, longest,
                 stride: tl.constexpr, initial_stride: tl.constexpr, d: tl.constexpr, vs: tl.constexpr,
                 ds: tl.constexpr, D: tl.constexpr, BACKWARD: tl.constexpr,
                 NOISE: tl.constexpr):  # fmt: skip
    """One trace: v ← M[x] v (+ drive), the matrix of a step loaded a step ahead of its use.

    Forward: matrices A, v from `initial`; values[t] = h_t. Backward: matrices Aᵀ, v from 0, drive
    (s·b·T, ds); values[t] = g_{t+1}, ends (s·b, d) = g_0. With NOISE, forward: keys and noise (s,).
    """
    program = tl.program_id(0).to(tl.int64)
    seed = program // b
    trace = tl.load(chosen + program)
    begin = tl.load(start + trace)
    steps = (tl.load(start + trace + 1) - begin).to(tl.int32)
    steps = tl.where(tl.load(alive + seed) != 0, steps, 0)
    columns = tl.arange(0, D)
    inside = columns < d
    m_at = matrices + seed * stride + columns[:, None] * d + columns[None, :]
    m_inside = inside[:, None] & inside[None, :]
    first = program * longest
    final = tl.maximum(steps - 1, 0)
    if BACKWARD:
        v = tl.zeros((D,), matrices.dtype.element_ty)
        push = tl.load(drive + (first + final) * ds + columns, mask=inside, other=0.0)
        symbol = tl.load(x + begin + final, mask=steps > 0, other=0).to(tl.int32)
    else:
        v = tl.load(initial + seed * initial_stride + columns, mask=inside, other=0.0)
        push = v
        symbol = tl.load(x + begin, mask=steps > 0, other=0).to(tl.int32)
    m = tl.load(m_at + symbol * (d * d), mask=m_inside, other=0.0)
    if NOISE:
        key = tl.load(keys + seed)
        level = tl.load(noise + seed)
    for i in range(steps):
        if BACKWARD:
            t = steps - 1 - i
            after = tl.maximum(t - 1, 0)
        else:
            t = i
            after = tl.minimum(i + 1, final)
        symbol = tl.load(x + begin + after).to(tl.int32)
        m_after = tl.load(m_at + symbol * (d * d), mask=m_inside, other=0.0)
        tl.store(values + (first + t) * vs + columns, v, mask=inside)
        v = tl.sum(m * v[None, :], 1)
        if NOISE:
            v += noise_of(level, key, begin + i + 1, columns)
        if BACKWARD:
            v += push
            push = tl.load(drive + (first + after) * ds + columns, mask=inside, other=0.0)
        m = m_after
    if BACKWARD:
        tl.store(ends + program * d + columns, v, mask=inside)


@triton.jit(do_not_specialize_on_alignment=["rows", "marks", "weights", "first_chunk", "totals"])
def readout_kernel(theta, hidden, rows, marks, weights, first_chunk, totals, signal, drive, losses,
                   tokens, chunks, rows_stride,
                   P: tl.constexpr, k: tl.constexpr, moves: tl.constexpr, d: tl.constexpr, hs: tl.constexpr,
                   us: tl.constexpr, K: tl.constexpr, O: tl.constexpr, CHUNK: tl.constexpr,
                   STEP: tl.constexpr, WIDE: tl.constexpr, PRECISION: tl.constexpr):  # fmt: skip
    """Errors e and drive Oᵀ e of STEP tokens of a chunk, O = [B; C] of its symbol.

    losses (s, chunks, CHUNK / STEP). h and O come WIDE columns at a time, so that many programs fit.
    """
    chunk = tl.program_id(0)
    part = tl.program_id(1)
    seed = tl.program_id(2).to(tl.int64)
    symbols = tl.arange(0, K)
    edges = tl.load(first_chunk + seed * (k + 1) + 1 + symbols, mask=symbols < k, other=1 << 30)
    symbol = tl.sum((edges <= chunk).to(tl.int32), 0)
    loss = tl.sum(tl.zeros((STEP,), hidden.dtype.element_ty), 0)
    if symbol < k:
        within = chunk - tl.load(first_chunk + seed * (k + 1) + symbol)
        j = part * STEP + tl.arange(0, STEP)
        live = j < tl.load(totals + seed * k + symbol) - within * CHUNK
        at = seed * rows_stride + chunk * CHUNK + j
        row = (seed * tokens + tl.load(rows + at, mask=live, other=0))[:, None]
        mark = tl.load(marks + at, mask=live, other=0)[:, None]
        weight = tl.load(weights + at, mask=live, other=0.0)[:, None]
        outputs = tl.arange(0, O)
        wanted = outputs < k + moves
        in_b = k * d * d + (symbol * k + outputs) * d
        in_c = k * d * (d + k) + (symbol * moves + outputs - k) * d
        o_at = theta + seed * P + tl.where(outputs < k, in_b, in_c)[:, None]
        y = tl.zeros((STEP, O), hidden.dtype.element_ty)
        for begin in tl.static_range(0, d, WIDE):
            columns = (begin + tl.arange(0, WIDE))[None, :]
            h = tl.load(hidden + row * hs + columns, mask=live[:, None], other=0.0)
            o = tl.load(o_at + columns, mask=wanted[:, None] & (columns < d), other=0.0)
            y = tl.dot(h, tl.trans(o), y, input_precision=PRECISION, out_dtype=y.dtype)
        answer = (outputs[None, :] == (mark & 255)) | (outputs[None, :] == mark // 256 + k)
        asked = live[:, None] & wanted[None, :]
        error = tl.where(asked, y - answer.to(y.dtype), 0.0)
        e = error * weight
        loss = tl.sum(tl.sum(error * e, 1), 0)
        tl.store(signal + row * us + d + outputs[None, :], e, mask=asked)
        for begin in tl.static_range(0, d, WIDE):
            columns = (begin + tl.arange(0, WIDE))[None, :]
            o = tl.load(o_at + columns, mask=wanted[:, None] & (columns < d), other=0.0)
            back = tl.dot(e, o, input_precision=PRECISION, out_dtype=e.dtype)
            tl.store(drive + row * hs + columns, back, mask=live[:, None] & (columns < d))
    tl.store(losses + (seed * chunks + chunk) * (CHUNK // STEP) + part, 0.5 * loss)


@triton.jit(do_not_specialize_on_alignment=["rows", "first_chunk", "totals"])
def products_kernel(hidden, signal, rows, first_chunk, totals, partial, tokens, chunks, rows_stride,
                    k: tl.constexpr, d: tl.constexpr, r: tl.constexpr, hs: tl.constexpr, us: tl.constexpr,
                    K: tl.constexpr, D: tl.constexpr, TILE: tl.constexpr, CHUNK: tl.constexpr,
                    STEP: tl.constexpr, PRECISION: tl.constexpr):  # fmt: skip
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
def sums_kernel(partial, first_chunk, slope0, losses, stability, gradients, loss, squares,
                b, parts, chunks, blocks,
                P: tl.constexpr, k: tl.constexpr, moves: tl.constexpr, d: tl.constexpr, r: tl.constexpr,
                D: tl.constexpr, BLOCK: tl.constexpr, AT_ONCE: tl.constexpr,
                STABILITY: tl.constexpr):  # fmt: skip
    """Gradients of one symbol's next BLOCK parameters; the program after all those: of h0, and the loss.

    With STABILITY, stability (s, k, d, d) is added to the gradient of A.
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
        if STABILITY:
            total += tl.load(stability + (seed * k + symbol) * (d * d) + place, mask=place < d * d, other=0.0)
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


@triton.jit
def wide_kernel(matrices, tokens, lengths, values, states, d: tl.constexpr, D: tl.constexpr,
                ROWS: tl.constexpr, BACKWARD: tl.constexpr):  # fmt: skip
    """One sequence: v ← M[x] v (+ what stands in its place), from state to state in `values` (b, states, d).

    Forward: matrices A, values[0] given. Backward: matrices Aᵀ, values given, each but the last added to.
    A state goes through device memory, where all threads of the program find it after a barrier.
    """
    sequence = tl.program_id(0).to(tl.int64)
    steps = tl.load(lengths + sequence).to(tl.int32)
    columns = tl.arange(0, D)
    inside = columns < d
    some = tl.arange(0, ROWS)
    for i in range(steps):
        if BACKWARD:
            t = steps - 1 - i
            come, go = t + 1, t
        else:
            t = i
            come, go = t, t + 1
        symbol = tl.load(tokens + sequence * states + t).to(tl.int64)
        v = tl.load(values + (sequence * states + come) * d + columns, mask=inside, other=0.0)
        for first in range(0, d, ROWS):
            rows = first + some
            at = matrices + symbol * (d * d) + rows[:, None] * d + columns[None, :]
            m = tl.load(at, mask=(rows < d)[:, None] & inside[None, :], other=0.0)
            to = values + (sequence * states + go) * d + rows
            found = tl.sum(m * v[None, :], 1)
            if BACKWARD:
                found += tl.load(to, mask=rows < d, other=0.0)
            tl.store(to, found, mask=rows < d)
        tl.debug_barrier()
