"""The sweeps of the operator on the CPU, compiled: equal symbols of several sequences meet in one product.

The order is that of `schedule.plan` and the products those of `cpu`, each entry one chain of multiply-adds:
bits depend neither on the threads nor on the sequences beside. Legend: see `operator` and `cpu`.
"""

from typing import Any

import numpy as np
import torch
from numba import njit
from torch import Tensor

from dfst import compiling
from dfst.compiling import sources
from dfst.kernels.cpu import recurrence as cpu
from dfst.kernels.cpu.recurrence import address, apply, schedule, tile
from dfst.kernels.cpu.schedule import plan
from dfst.kernels.cpu.threads import in_threads, thread_count
from dfst.model.rollout.tile import padded

ALONE = 1 << 20  # multiplications that one thread does before a second is worth its start


def forward(A: Tensor, tokens: Tensor, lengths: Tensor, h0: Tensor) -> Tensor:
    """h (b, T + 1, d)."""
    return _sweep(A.mT, tokens, lengths, h0.expand(len(tokens), -1), np.int64(0))


def backward(A: Tensor, tokens: Tensor, lengths: Tensor, drive: Tensor) -> Tensor:
    """g (b, T + 1, d), the whole gradient of h."""
    return _sweep(A, tokens, lengths, drive.flatten(0, 1), np.int64(1))


def _sweep(matrices: Tensor, tokens: Tensor, lengths: Tensor, given: Tensor, backwards: Any) -> Tensor:
    """matrices (k, d, d): rows are multiplied with these; given: h0 (b, d), or drive (b · (T + 1), d)."""
    b, states = tokens.shape
    d = matrices.shape[2]
    wide = torch.nn.functional.pad(matrices, (0, padded(d) - d)).contiguous().numpy()
    # begin and end of each sequence in turns: they lie apart
    begins, ends = np.arange(b) * states, np.arange(b) * states + lengths.numpy()
    start = np.stack([begins, ends], axis=1).ravel()
    order = 2 * np.argsort(begins - ends, kind="stable")
    values = torch.zeros(b, states, d, dtype=matrices.dtype)
    threads = thread_count(torch.get_num_threads(), min(b, 1 + int(lengths.sum()) * d * d // ALONE))
    x, first, into = tokens.numpy().ravel(), given.contiguous().numpy(), values.flatten(0, 1).numpy()

    def work(thread: int) -> None:
        _compiled_sweep(x, start, order[thread::threads].copy(), wide, backwards, first, into)

    in_threads(work, threads)
    return values


def _compiled(version):
    @njit(cache=True, nogil=True)
    def sweep(x, start, mine, matrices, backwards, given, values):
        """Write the values of the sequences that begin at start[mine] and end at start[mine + 1]."""
        _ = version
        k, d, D = matrices.shape
        count, total = len(mine), 0
        for i in range(count):
            total += start[mine[i] + 1] - start[mine[i]]
        links, groups = np.empty((4, total + count), np.int64), np.empty((total, 3), np.int64)
        blocks, queues = np.empty((k + 1, 3), np.int64), np.empty((k, count), np.int64)
        small = np.empty((4, max(count, k + 1)), np.int64)
        after, before, place = links[0], links[1], links[2]
        many = plan(
            x, start, mine, k, after, before, place, links[3], groups, blocks, queues, small
        )  # fmt: skip
        # A token's row holds the state that reads it; backwards the gradient of the state it leads to.
        for row in range(total):
            place[row] += backwards
        for i in range(count):
            place[total + i] = start[mine[i] + 1 - backwards]

        work = np.empty((total + count, D), values.dtype)
        # Entry by entry: numba takes a slice for longer than these few numbers.
        for i in range(total + count if backwards else count):
            row, source = (i, place[i]) if backwards else (after[total + i], mine[i] // 2)
            for j in range(D):
                work[row, j] = given[source, j] if j < d else 0
        zero, size, at = work.dtype.type(0), work.itemsize, address(work)
        straight = np.arange(total)
        of, to = address(straight), address(before) if backwards else address(after)
        apply(
            groups, many, backwards, zero, size, at, D, of, address(matrices), d * D, d, at, D, to, D,
            1 - backwards,
        )  # fmt: skip
        for row in range(total + count):
            to_row = place[row]
            for j in range(d):
                values[to_row, j] = work[row, j]

    return sweep


_compiled_sweep = _compiled(sources(compiling, schedule, tile, cpu))
