"""The recurrence on the CPU: forward, loss and all gradients at once, without padding in time.

A batch is cut into shards, each computed by one thread (`shard_pass`), whose gradients are then summed in a
fixed order: results do not depend on the number of threads nor on the seeds beside. Within a shard everything
is a matrix product over tokens that read the same symbol (see `schedule`, `tile`):

    h_{t+1} = A h_t            group by group           (rows `after`)
    e_t     = (O h_t − target) / (T b)                  all tokens of a symbol; O is B above C
    q_t     = Oᵀ e_t                                    all tokens of a symbol
    g_t     = Aᵀ g_{t+1} + q_t group by group, reversed (rows `before`)
    dA = Σ g_{t+1} h_tᵀ,  dO = Σ e_t h_tᵀ               all tokens of a symbol

Legend: s seeds, P parameters, k symbols, m motions, o = k + m outputs, d hidden size; D and O are d and o
padded to whole vectors. Packed weights of one seed, symbol by symbol: Aᵀ (d, D), Oᵀ (d, O), A (d, D), O (o, D).
Packed gradients of one shard: dA (k, d, D), dO (k, o, D), dh0 (D).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from dfst.model.recurrence.schedule import SHARDS, deal, plan
from dfst.model.recurrence.tile import COLUMNS, multiply, padded
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet

BLOCK = 256
"""Tokens a gradient product takes at a time, so that both factors stay in the first-level cache."""


class Scratch(NamedTuple):
    """Working memory, one row a thread, used again in every step."""

    hidden: NDArray[Any]
    """(threads, (T + c) · D) h_t at the row of token t"""
    back: NDArray[Any]
    """(threads, (T + c) · D) gradient of h_{t+1} at the row of token t; of h_0 at row T + i"""
    error: NDArray[Any]
    """(threads, T · O)"""
    links: NDArray[np.int64]
    """(threads, 3, T + c) after, before, token of `schedule.plan`"""
    groups: NDArray[np.int64]
    """(threads, T, 3)"""
    queues: NDArray[np.int64]
    """(threads, k, c)"""
    small: NDArray[np.int64]
    """(threads, 3, b + c + k + 1) the traces of the shard, then what `schedule.plan` needs a few of"""
    straight: NDArray[np.int64]
    """(T + c,) 0, 1, 2, …"""


def make_scratch(shape: Shape, traces: TraceSet, batch: int, threads: int, dtype: Any) -> Scratch:
    """Enough memory for any batch of that many traces of the set."""
    share = -(-batch // SHARDS)
    tokens = share * int(traces.lengths.max(initial=0))
    rows = tokens + share
    D, O = padded(shape.d), padded(shape.symbols + shape.motions)
    return Scratch(
        np.empty((threads, rows * D), dtype),
        np.empty((threads, rows * D), dtype),
        np.empty((threads, tokens * O), dtype),
        np.empty((threads, 3, rows), np.int64),
        np.empty((threads, tokens, 3), np.int64),
        np.empty((threads, shape.symbols, share), np.int64),
        np.empty((threads, 3, batch + share + shape.symbols + 1), np.int64),
        np.arange(max(rows, shape.d, shape.symbols + shape.motions)),
    )


def packed_sizes(shape: Shape) -> tuple[int, int]:
    """Numbers in the packed weights and in the packed gradients of one seed."""
    k, o, d = shape.symbols, shape.symbols + shape.motions, shape.d
    D, O = padded(d), padded(o)
    return k * (2 * d * D + d * O + o * D), k * (d + o) * D + D


@njit(cache=True, nogil=True)
def pack(theta, k, m, d, packed):
    """Lay the parameters (P,) of one seed out as the products want them, pads zero."""
    o = k + m
    D, O = -(-d // COLUMNS) * COLUMNS, -(-o // COLUMNS) * COLUMNS
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


@njit(cache=True, nogil=True)
def sum_shards(shards, k, m, d, gradient):
    """Add the packed gradients (SHARDS, …) of one seed into a flat gradient (P,)."""
    o = k + m
    D = -(-d // COLUMNS) * COLUMNS
    for x in range(k):
        for i in range(d + o):
            if i < d:
                source, target = (x * d + i) * D, (x * d + i) * d
            else:
                source = (k * d + x * o + i - d) * D
                target = k * d * d + ((x * k + i - d) * d if i < d + k else k * k * d + (x * m + i - d - k) * d)
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


@njit(cache=True, nogil=True)
def shard_pass(theta, packed, k, m, d, x, s, mo, start, lengths, chosen, shard, thread, scratch, gradient):
    """Loss of this shard's share of the batch `chosen` (b,); its packed gradient goes into `gradient`."""
    o = k + m
    D, O = -(-d // COLUMNS) * COLUMNS, -(-o // COLUMNS) * COLUMNS
    a_t, o_t, a, out = 0, k * d * D, k * d * (D + O), k * d * (D + O + D)
    h, g, e = scratch.hidden[thread], scratch.back[thread], scratch.error[thread]
    straight, groups = scratch.straight, scratch.groups[thread]
    after, before, token = scratch.links[thread, 0], scratch.links[thread, 1], scratch.links[thread, 2]
    small = scratch.small[thread]
    share = deal(lengths, chosen, shard, small[0])
    mine, block = small[0, :share], small[0, share:]
    b = chosen.shape[0]
    block = small[1, : k + 1]
    last, done, waiting = small[1, k + 1 :], small[2, k:], small[2, :k]
    count = plan(x, start, mine, k, block, after, before, token, groups, waiting, scratch.queues[thread], last, done)
    total = block[k]

    h0 = theta[k * d * (d + o) :]
    for i in range(share):
        first, final = after[total + i] * D, before[total + i] * D
        for j in range(D):
            h[first + j] = h0[j] if j < d else 0
            g[final + j] = 0
    for n in range(count):
        row, rows, symbol = groups[n, 0], groups[n, 1], groups[n, 2]
        multiply(h, row * D, D, 1, packed, a_t + symbol * d * D, D, h, D, after, row, rows, d, D, True)
    for symbol in range(k):
        row, rows = block[symbol], block[symbol + 1] - block[symbol]
        multiply(h, row * D, D, 1, packed, o_t + symbol * d * O, O, e, O, straight, row, rows, d, O, True)

    loss = 0.0
    for i in range(share):
        length = lengths[mine[i]]
        if length == 0:
            continue
        scale = e.dtype.type(1.0 / (length * b))
        squares = 0.0
        row = after[total + i]
        while row < total:
            here = e[row * O : row * O + O]
            here[s[token[row]]] -= 1
            here[k + mo[token[row]]] -= 1
            square = e.dtype.type(0)
            for j in range(O):
                square += here[j] * here[j]
                here[j] *= scale
            squares += square
            row = after[row]
        loss += 0.5 * squares / (length * b)

    for symbol in range(k):
        row, rows = block[symbol], block[symbol + 1] - block[symbol]
        multiply(e, row * O, O, 1, packed, out + symbol * o * D, D, g, D, before, row, rows, o, D, True)
    for n in range(count - 1, -1, -1):
        row, rows, symbol = groups[n, 0], groups[n, 1], groups[n, 2]
        multiply(g, row * D, D, 1, packed, a + symbol * d * D, D, g, D, before, row, rows, d, D, False)

    for symbol in range(k):
        d_a = gradient[symbol * d * D :]
        d_o = gradient[(k * d + symbol * o) * D :]
        row, end = block[symbol], block[symbol + 1]
        fresh = True
        while fresh or row < end:
            rows = min(end - row, BLOCK)
            multiply(g, row * D, 1, D, h, row * D, D, d_a, D, straight, 0, d, rows, D, fresh)
            multiply(e, row * O, 1, O, h, row * D, D, d_o, D, straight, 0, o, rows, D, fresh)
            row += rows
            fresh = False
    d_h0 = gradient[k * (d + o) * D :]
    d_h0[:D] = 0
    for i in range(share):
        # A trace without tokens has no gradient, and nothing was written to its row.
        if before[total + i] != total + i:
            for j in range(D):
                d_h0[j] += g[(total + i) * D + j]
    return loss


@njit(cache=True, nogil=True, parallel=True)
def _all_shards(theta, packed, k, m, d, x, s, mo, start, lengths, chosen, scratch, gradients, losses):
    for task in prange(theta.shape[0] * SHARDS):
        seed, shard = task // SHARDS, task % SHARDS
        losses[seed, shard] = shard_pass(
            theta[seed], packed[seed], k, m, d, x, s, mo, start, lengths, chosen[seed],
            shard, numba.get_thread_id(), scratch, gradients[seed, shard],
        )  # fmt: skip


def losses_and_gradients(
    theta: NDArray[Any], shape: Shape, traces: TraceSet, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """(s,) losses and (s, P) gradients of parameters (s, P) on the chosen (s, b) traces."""
    seeds, k, m, d = len(theta), shape.symbols, shape.motions, shape.d
    weights, numbers = packed_sizes(shape)
    packed = np.empty((seeds, weights), theta.dtype)
    shards = np.empty((seeds, SHARDS, numbers), theta.dtype)
    losses = np.empty((seeds, SHARDS))
    gradients = np.empty_like(theta)
    scratch = make_scratch(shape, traces, chosen.shape[1], numba.get_num_threads(), theta.dtype)
    for seed in range(seeds):
        pack(theta[seed], k, m, d, packed[seed])
    _all_shards(
        theta, packed, k, m, d, traces.x, traces.s, traces.m, traces.start, traces.lengths, chosen,
        scratch, shards, losses,
    )  # fmt: skip
    for seed in range(seeds):
        sum_shards(shards[seed], k, m, d, gradients[seed])
    return losses.sum(axis=1), gradients
