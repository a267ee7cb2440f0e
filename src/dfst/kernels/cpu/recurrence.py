"""The recurrence on the CPU: forward, loss and all gradients at once, without padding in time.

A batch is cut into shards, whose gradients are then summed in a fixed order: results do not depend on the
number of threads nor on the seeds beside. Everything is a matrix product over tokens that read the same
symbol (see `schedule`, `tile`):

    h_{t+1} = A h_t (± σ)      group by group           (rows `after`; see `noise`)
    e_t     = (O h_t − target) / (T b)                  all tokens of a symbol in a shard; O is B above C
    q_t     = Oᵀ e_t                                    all tokens of a symbol in a shard
    g_t     = Aᵀ g_{t+1} + q_t group by group, reversed (rows `before`)
    dA = Σ g_{t+1} h_tᵀ,  dO = Σ e_t h_tᵀ               all tokens of a symbol in a shard

Legend: s seeds, P parameters, k symbols, m motions, o = k + m outputs, d hidden size; D and O are d and o
padded to whole vectors. Packed weights of one seed, each symbol by symbol: Aᵀ (d, D), Oᵀ (d, O), A (d, D),
O (o, D). Packed gradients of one shard: dA (k, d, D), dO (k, o, D), dh0 (D).
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst import compiling
from dfst.compiling import inner, sources
from dfst.kernels.cpu import noise as noise_cpu
from dfst.kernels.cpu import schedule
from dfst.kernels.cpu.noise import fill_noise
from dfst.kernels.cpu.schedule import SHARDS, deal, plan
from dfst.kernels.reference.noise import Noise
from dfst.model.rollout import tile
from dfst.model.rollout.tile import multiply, padded
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet

BLOCK = 48 * 1024  # bytes of both factors of a gradient product at a time: they stay in the first-level cache


class Tokens(NamedTuple):
    """A trace set as compiled code takes it."""

    x: NDArray[np.uint8]
    s: NDArray[np.uint8]
    m: NDArray[np.uint8]
    start: NDArray[np.int64]
    lengths: NDArray[np.int64]
    step_weights: NDArray[np.float64]  # (tokens,) how much each counts


def tokens_of(traces: TraceSet, step_weights: NDArray[np.float64] | None = None) -> Tokens:
    """Every token of which the action is known counts alike if no weights are given."""
    step_weights = traces.known.astype(np.float64) if step_weights is None else step_weights
    return Tokens(traces.x, *traces.targets, traces.start, traces.lengths, step_weights)


class Scratch(NamedTuple):
    """Working memory, a row for each thread, used again for every shard of T tokens of c traces."""

    hidden: NDArray[Any]  # (threads, (T + c) · D) h_t at the row of token t
    back: NDArray[Any]
    """(threads, (T + c) · D) gradient of h_{t+1} at the row of token t; of h_0 at the row of its trace"""
    error: NDArray[Any]  # (threads, T + c, O)
    links: NDArray[np.int64]  # (threads, 4, T + c) after, before, token, owner of `schedule.plan`
    groups: NDArray[np.int64]  # (threads, T, 3) first row, rows, symbol
    blocks: NDArray[np.int64]
    """(threads, k + 1, 3) of `schedule.plan`; the last one says where the shard ends"""
    queues: NDArray[np.int64]  # (threads, k, c)
    small: NDArray[np.int64]  # (threads, 4, b + k + 1) the traces of a shard, then what `schedule` needs
    scales: NDArray[np.float64]  # (threads, c) one over the length of a trace and the batch
    straight: NDArray[np.int64]  # (T + c,) 0, 1, 2, …


def make_scratch(shape: Shape, traces: TraceSet, batch: int, threads: int, dtype: Any) -> Scratch:
    """Enough memory for any batch of that many traces of the set."""
    c, k = -(-batch // SHARDS), shape.symbols
    tokens = c * int(traces.lengths.max(initial=0))
    rows = tokens + c
    D, O = padded(shape.d), padded(k + shape.motions)
    return Scratch(
        np.empty((threads, rows * D), dtype), np.empty((threads, rows * D), dtype),
        np.empty((threads, rows, O), dtype), np.empty((threads, 4, rows), np.int64),
        np.empty((threads, tokens, 3), np.int64), np.empty((threads, k + 1, 3), np.int64),
        np.empty((threads, k, c), np.int64), np.empty((threads, 4, batch + k + 1), np.int64),
        np.empty((threads, c)), np.arange(max(rows, shape.d, k + shape.motions)),
    )  # fmt: skip


def packed_sizes(shape: Shape) -> tuple[int, int]:
    """Numbers in the packed weights and in the packed gradients of one seed."""
    k, o, d = shape.symbols, shape.symbols + shape.motions, shape.d
    D, O = padded(d), padded(o)
    return k * (2 * d * D + d * O + o * D), k * (d + o) * D + D


@inner
def pack(theta, k, m, d, packed):
    """Lay the parameters (P,) of one seed out as the products want them, pads zero."""
    o = k + m
    D, O = padded(d), padded(o)
    a_t, o_t, a, out = 0, k * d * D, k * d * (D + O), k * d * (D + O + D)
    packed[:] = 0
    for x in range(k):
        for i in range(d):
            for j in range(d):
                value = theta[(x * d + i) * d + j]
                packed[a_t + (x * d + j) * D + i] = value
                packed[a + (x * d + i) * D + j] = value
        for i in range(o):
            source = k * d * d + ((x * k + i) * d if i < k else k * k * d + (x * m + i - k) * d)
            for j in range(d):
                value = theta[source + j]
                packed[o_t + (x * d + j) * O + i] = value
                packed[out + (x * o + i) * D + j] = value


@inner
def sum_shards(shards, k, m, d, gradient):
    """Add the packed gradients (SHARDS, …) of one seed into a flat gradient (P,)."""
    o = k + m
    D = padded(d)
    for x in range(k):
        for i in range(d + o):
            if i < d:
                source, target = (x * d + i) * D, (x * d + i) * d
            else:
                source = (k * d + x * o + i - d) * D
                target = k * d * d + (
                    (x * k + i - d) * d if i < d + k else k * k * d + (x * m + i - d - k) * d
                )
            for j in range(d):
                total = shards[0, source + j]
                for shard in range(1, SHARDS):
                    total += shards[shard, source + j]
                gradient[target + j] = total
    for j in range(d):
        total = shards[0, k * (d + o) * D + j]
        for shard in range(1, SHARDS):
            total += shards[shard, k * (d + o) * D + j]
        gradient[k * d * (d + o) + j] = total


@inner
def address(array):
    """Where an array begins, as a signed number: one type of address, one compiled version."""
    return np.int64(array.ctypes.data)


@inner
def apply(
    groups, count, backwards, zero, size, a, a_row, of, b, b_symbol, depth, c, c_row, to, columns, fresh
):
    """For each group: its rows of a times its symbol's matrix (depth, columns), into the rows `to` of c.

    a, b, c: addresses; a_row, c_row: numbers in a row; b_symbol: numbers in the matrix of one symbol; of, to:
    addresses of lists of rows, of which a group says where it begins and how many are its own.
    """
    for n in range(count):
        g = count - 1 - n if backwards else n
        place, rows, symbol = groups[g, 0], groups[g, 1], groups[g, 2]
        multiply(
            zero, size, a, a_row * size, size, of + 8 * place,
            b + symbol * b_symbol * size, columns * size,
            c, c_row * size, to + 8 * place, rows, depth, columns, fresh,
        )  # fmt: skip


@inner
def correlate(row, end, zero, size, a, a_row, width, b, columns, c, straight):
    """c (width, columns) = Σ over rows of aᵀ b, some rows at a time (see BLOCK)."""
    fresh, most = 1, max(16, BLOCK // ((a_row + columns) * size))
    while fresh or row < end:
        rows = min(end - row, most)
        multiply(
            zero, size, a + row * a_row * size, size, a_row * size, straight,
            b + row * columns * size, columns * size,
            c, columns * size, straight, width, rows, columns, fresh,
        )  # fmt: skip
        row += rows
        fresh = 0


@inner
def take_target(error, begin, end, k, s, m, token, owner, scales, step_weights):
    """Turn the read-out (rows, O) of all tokens from `begin` to `end` into scaled errors; the loss.

    Twice over the tokens: reading a vector right after a store into it would wait for the store each time.
    """
    O = error.shape[1]
    for row in range(begin, end):
        error[row, s[token[row]]] -= 1
        error[row, k + m[token[row]]] -= 1
    loss = 0.0
    for row in range(begin, end):
        exact = scales[owner[row]] * step_weights[token[row]]
        scale = error.dtype.type(exact)
        # Four sums, so that they can be a vector.
        sum0 = sum1 = sum2 = sum3 = error.dtype.type(0)
        for j in range(0, O, 4):
            sum0 += error[row, j] * error[row, j]
            sum1 += error[row, j + 1] * error[row, j + 1]
            sum2 += error[row, j + 2] * error[row, j + 2]
            sum3 += error[row, j + 3] * error[row, j + 3]
        for j in range(O):
            error[row, j] *= scale
        loss += 0.5 * exact * ((sum0 + sum1) + (sum2 + sum3))
    return loss


@inner
def shards_pass(
    theta, packed, k, m, d, tokens, chosen, first, last, thread, scratch, gradients, losses, sigma, key
):
    """Losses (SHARDS,) and packed gradients (SHARDS, …) of some shards of the batch `chosen` (b,).

    From the first to before the last. sigma and key: of `noise`; a sigma of 0 leaves the states alone.
    """
    o, b, lengths = k + m, len(chosen), tokens.lengths
    D, O = padded(d), padded(o)
    links, groups, small = scratch.links[thread], scratch.groups[thread], scratch.small[thread]
    after, before, token, owner = links[0], links[1], links[2], links[3]
    queues, blocks, scales = scratch.queues[thread], scratch.blocks[thread], scratch.scales[thread]
    hidden, back, error = scratch.hidden[thread], scratch.back[thread], scratch.error[thread]
    zero, size = hidden.dtype.type(0), hidden.itemsize
    forwards, backwards, onto, fresh = np.int64(0), np.int64(1), np.int64(0), np.int64(1)
    h, g, e = address(hidden), address(back), address(error)
    here, to_after, to_before = address(scratch.straight), address(after), address(before)
    a_t = address(packed)
    o_t = a_t + k * d * D * size
    a = o_t + k * d * O * size
    out = a + k * d * D * size
    h0, states = k * d * (d + o), fresh

    for shard in range(first, last):
        mine = small[0, : deal(lengths, chosen, shard, small[0])]
        count = plan(
            tokens.x, tokens.start, mine, k, after, before, token, owner, groups, blocks, queues, small
        )  # fmt: skip
        total = blocks[k, 0]
        if sigma > 0:
            fill_noise(hidden, d, D, token, 0, total, hidden.dtype.type(sigma), key)
            for j in range(total * D, (total + len(mine)) * D):
                hidden[j] = 0
            states = onto
        for i in range(len(mine)):
            scales[i] = 1.0 / (max(lengths[mine[i]], 1) * b)
            initial, final = after[total + i] * D, before[total + i] * D
            for j in range(D):
                hidden[initial + j] = theta[h0 + j] if j < d else 0
                back[final + j] = 0

        apply(groups, count, forwards, zero, size, h, D, here, a_t, d * D, d, h, D, to_after, D, states)
        apply(blocks, k, forwards, zero, size, h, D, here, o_t, d * O, d, e, O, here, O, fresh)
        losses[shard] = take_target(
            error, 0, total, k, tokens.s, tokens.m, token, owner, scales, tokens.step_weights
        )
        apply(blocks, k, forwards, zero, size, e, O, here, out, o * D, o, g, D, to_before, D, fresh)
        apply(groups, count, backwards, zero, size, g, D, here, a, d * D, d, g, D, to_before, D, onto)

        gradient = gradients[shard]
        grad = address(gradient)
        for symbol in range(k):
            row, end = blocks[symbol, 0], blocks[symbol + 1, 0]
            correlate(row, end, zero, size, g, D, d, h, D, grad + symbol * d * D * size, here)
            d_o = grad + (k * d + symbol * o) * D * size
            correlate(row, end, zero, size, e, O, o, h, D, d_o, here)
        d_h0 = k * (d + o) * D
        for j in range(D):
            gradient[d_h0 + j] = 0
        for i in range(len(mine)):
            if after[total + i] != total + i:
                for j in range(D):
                    gradient[d_h0 + j] += back[(total + i) * D + j]


def _compiled(version):
    @njit(cache=True, nogil=True)
    def one_seed(theta, k, m, d, tokens, chosen, scratch, packed, shards, losses, sigma, key, gradient):
        """All shards of one seed in one thread."""
        _ = version
        pack(theta, k, m, d, packed)
        shards_pass(theta, packed, k, m, d, tokens, chosen, 0, SHARDS, 0, scratch, shards, losses, sigma, key)
        sum_shards(shards, k, m, d, gradient)

    return one_seed


_one_seed = _compiled(sources(compiling, noise_cpu, schedule, tile))


def losses_and_gradients(
    theta: NDArray[Any], shape: Shape, traces: TraceSet, chosen: NDArray[np.int64],
    noise: Noise | None = None, step_weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[Any]]:  # fmt: skip
    """(s,) losses and (s, P) gradients of parameters (s, P) on the chosen (s, b) traces."""
    seeds, dtype, (weights, numbers) = len(theta), theta.dtype, packed_sizes(shape)
    packed, shards = np.empty(weights, dtype), np.empty((SHARDS, numbers), dtype)
    losses, gradients = np.zeros((seeds, SHARDS)), np.empty_like(theta)
    scratch, tokens = make_scratch(shape, traces, chosen.shape[1], 1, dtype), tokens_of(traces, step_weights)
    noise = noise or Noise(0.0, np.zeros(seeds, np.int64))
    for seed in range(seeds):
        _one_seed(
            theta[seed], shape.symbols, shape.motions, shape.d, tokens, chosen[seed], scratch, packed, shards,
            losses[seed], noise.sigma, noise.keys[seed], gradients[seed],
        )  # fmt: skip
    return losses.sum(axis=1), gradients
