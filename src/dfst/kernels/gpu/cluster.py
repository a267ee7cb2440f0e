"""The two sweeps of a recurrence: by `recur.cu`, with all matrices in the shared memory of a cluster of
blocks, or where that cannot run (older GPUs, float64, matrices too large for eight blocks) by Triton.
"""

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from dfst.errors import InputError
from dfst.kernels.gpu.kernels import recur_kernel
from dfst.kernels.gpu.nvrtc import MAX_THREADS, SHARED_BYTES, at_once, kernel, launch, runs_on
from dfst.model.weights import Shape

MOST_TRACES = 8
TURNS = 3
BANK_RULE = {1: (1, 3, 5, 7), 2: (2, 6), 4: (4,), 8: tuple(range(8))}
"""Lanes a row → distances of rows in 16-byte words, modulo 8, at which eight lanes hit different banks."""


def power(n: int, least: int = 1) -> int:
    """n rounded up to a power of two."""
    return max(least, 1 << (n - 1).bit_length())


@dataclass(frozen=True)
class Spread:
    """How a shape lies over the blocks of a cluster; the names in `recur.cu` are C, RC, L, SF and Q."""

    size: int  # blocks that share one copy of the matrices
    rows: int  # rows of each matrix in one block
    lanes: int  # lanes a row
    words: int  # 16-byte words from a row to the next
    traces: int  # traces a cluster works on at once
    threads: int
    shared_bytes: int


def spread(shape: Shape, longest: int, traces: int) -> Spread | None:
    """Over the fewest blocks that hold the matrices; None where eight do not."""
    words_used = -(-shape.d // 4)
    for size in (1, 2, 4, 8):
        rows = -(-shape.d // size)
        lanes = max(4, size) if size > 1 or shape.d > 64 else 1 + (shape.d > 32)
        words = -(-words_used // lanes) * lanes
        while words % 8 not in BANK_RULE[lanes]:
            words += 1
        threads = -(-rows * lanes // 32) * 32 * traces
        shared = 16 * shape.symbols * rows * words + traces * (32 * words + 16 + longest)
        # a block without an entry of h would wait for nothing and overrun the others
        if shared <= SHARED_BYTES and threads <= MAX_THREADS and shape.d > (size - 1) * rows:
            return Spread(size, rows, lanes, words, traces, threads, shared)
    return None


@cache
def cluster_for(
    shape: Shape, longest: int, seeds: int, batch: int, device: torch.device, dtype: torch.dtype,
    traces: int = 0,
) -> Spread | None:  # fmt: skip
    """How `recur.cu` sweeps such a batch of every seed, or None where Triton must do it.

    traces: that a cluster takes; else so many that there are at most `TURNS` times as many clusters as run at
    once, and four a processor. More than once, because batches begin with their longest traces: as these end,
    others take their place.
    """
    plain = spread(shape, longest, 1)
    if plain is None or dtype != torch.float32 or not runs_on(device, 9):
        return None
    if not traces:
        fit = TURNS * at_once(device, plain.size, plain.threads, plain.shared_bytes)
        processors = torch.cuda.get_device_properties(device).multi_processor_count
        traces = -(-batch // max(1, min(fit, 4 * processors) // seeds))
    # the number of blocks must not depend on the traces a cluster takes: it decides how sums are rounded
    several = (spread(shape, longest, q) for q in range(min(traces, MOST_TRACES), 1, -1))
    return next((s for s in several if s and s.size == plain.size), plain)


def recur(
    s: Spread | None, shape: Shape, seeds: int, longest: int, tensors: tuple[Tensor, ...], backward: bool,
    noisy: bool = False,
) -> None:  # fmt: skip
    """Sweep once. tensors: the first eleven arguments of `recur_kernel`, which says what they are; without
    noise the last two are never followed."""
    matrices, initial, _, _, chosen, _, values, drive = tensors[:8]
    batch, d, noisy = chosen.numel() // seeds, shape.d, noisy and not backward
    strides = matrices.stride(0), initial.stride(0)
    if s is None:
        side = power(d)
        recur_kernel[(seeds * batch,)](
            *tensors, batch, longest, stride=strides[0], initial_stride=strides[1], d=d,
            vs=values.shape[1], ds=drive.shape[1], D=side, BACKWARD=backward, NOISE=noisy,
            num_warps=max(1, min(16, side * side // 256)),
        )  # fmt: skip
        return
    if matrices.data_ptr() % 16:
        raise InputError(
            "the parameters must begin at a multiple of 16 bytes; pass a whole tensor, not a slice"
        )
    macros = {
        "C": s.size, "RC": s.rows, "L": s.lanes, "Q": s.traces, "SF": s.words, "SYMBOLS": shape.symbols,
        "DIM": d, "VS": values.shape[1], "DS": drive.shape[1], "BACKWARD": int(backward),
        "NOISE": int(noisy), "ALIGNED": int(d % 4 == 0 and strides[0] % 4 == 0),
    }  # fmt: skip
    function = kernel("recur", macros, matrices.device, s.shared_bytes)
    arguments: list[Any] = [matrices, strides[0], initial, strides[1], *tensors[2:]]
    arguments += [ctypes.c_int(batch), ctypes.c_int(longest)]
    launch(function, seeds * -(-batch // s.traces) * s.size, s.threads, s.shared_bytes, arguments)
