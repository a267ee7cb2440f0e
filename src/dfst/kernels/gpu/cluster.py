"""The sweeps of `recur.cu`, compiled for one shape, and run.

Where they cannot run (older GPUs, float64, matrices too large for the shared memory of eight blocks) `choose`
answers None and Triton's kernel does the same work.
"""

import ctypes
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from dfst.errors import InputError
from dfst.kernels.gpu.nvrtc import (
    RESERVED_BYTES,
    SHARED_BYTES,
    kernel,
    launch,
    most_clusters,
    nvrtc,
    options_of,
)
from dfst.model.weights import Shape

MAX_THREADS = 1024
MOST_TRACES = 8
TURNS = 3
BANK_RULE = {1: (1, 3, 5, 7), 2: (2, 6), 4: (4,), 8: tuple(range(8))}
"""Lanes a row → distances of rows in 16-byte words, modulo 8, at which eight lanes hit different banks."""


class Buffers(Protocol):
    """What the sweeps read and write, and how they are to be tuned: `gpu.Recurrence`."""

    shape: Shape
    traces: Any
    tuning: Any
    seeds: int
    batch: int
    hidden: Tensor
    drive: Tensor
    signal: Tensor
    slope0: Tensor
    alive: Tensor
    noisy: bool


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


@dataclass(frozen=True)
class Cluster:
    """The compiled sweeps of a shape."""

    size: int  # blocks a cluster
    traces: int  # traces a cluster
    threads: int
    shared_bytes: int
    forward: Any
    backward: Any

    def recur(
        self, r: Buffers, matrices: Tensor, initial: Tensor, chosen: Tensor, values: Tensor, backward: bool,
        keys: Tensor | None = None, noise: Tensor | None = None,
    ) -> None:  # fmt: skip
        """As `gpu_kernels.recur_kernel`. Without noise its two pointers are never followed: any will do."""
        if matrices.data_ptr() % 16:
            raise InputError(
                "the parameters must begin at a multiple of 16 bytes; pass a whole tensor, not a slice"
            )
        launch(
            self.backward if backward else self.forward,
            r.seeds * -(-r.batch // self.traces) * self.size,
            self.threads,
            self.shared_bytes,
            [
                *(
                    matrices,
                    matrices.stride(0),
                    initial,
                    initial.stride(0),
                    r.traces.x,
                    r.traces.start,
                    chosen,
                ),
                *(r.alive, values, r.drive, r.slope0),
                *(keys if keys is not None else chosen, noise if noise is not None else values),
                *(ctypes.c_int(r.batch), ctypes.c_int(r.traces.longest)),
            ],
        )


def choose(r: Buffers) -> Cluster | None:
    """The compiled sweeps for a recurrence, or None where Triton must do it."""
    device, dtype = r.hidden.device, r.hidden.dtype
    able = (
        device.type == "cuda"
        and dtype == torch.float32
        and torch.cuda.get_device_capability(device) >= (9, 0)
    )
    plain = spread(r.shape, r.traces.longest, 1)
    if r.tuning.sweep == "triton" or not able or plain is None or nvrtc() is None:
        if r.tuning.sweep == "cluster":
            raise InputError(
                f"no cluster sweep for {r.shape} in {dtype} on {device}; choose `triton` or `auto`"
            )
        return None
    wanted = r.tuning.traces_a_cluster or _traces_a_cluster(r, plain)
    # the number of blocks must not depend on the traces a cluster takes: it decides how sums are rounded
    several = (spread(r.shape, r.traces.longest, q) for q in range(min(wanted, MOST_TRACES), 1, -1))
    s = next((s for s in several if s and s.size == plain.size), plain)
    functions = (_function(r, s, backward) for backward in (False, True))
    return Cluster(s.size, s.traces, s.threads, s.shared_bytes, *functions)


def _traces_a_cluster(r: Buffers, plain: Spread) -> int:
    """So many that there are at most `TURNS` times as many clusters as run at once, and four a processor.

    More than once, because batches begin with their longest traces: as these end, others take their place.
    """
    blocks = torch.cuda.get_device_properties(r.hidden.device).multi_processor_count
    clusters = min(TURNS * _at_once(r, plain, blocks), 4 * blocks)
    return -(-r.batch // max(1, clusters // r.seeds))


def _at_once(r: Buffers, s: Spread, blocks: int) -> int:
    """Clusters that run at the same time on so many processors."""
    if s.size == 1:
        return blocks * ((SHARED_BYTES + RESERVED_BYTES) // (s.shared_bytes + RESERVED_BYTES))
    found = most_clusters(_function(r, s, backward=False), s.size, s.threads, s.shared_bytes)
    return found or blocks // s.size * 7 // 8


def _function(r: Buffers, s: Spread, backward: bool) -> Any:
    shape = r.shape
    device = torch.cuda.current_device() if r.hidden.device.index is None else r.hidden.device.index
    stride = shape.symbols * shape.d * shape.d if backward else shape.size
    macros = {
        "C": s.size, "RC": s.rows, "L": s.lanes, "Q": s.traces, "SF": s.words,
        "SYMBOLS": shape.symbols, "DIM": shape.d,
        "VS": (r.signal if backward else r.hidden).shape[1], "DS": r.drive.shape[1],
        "BACKWARD": int(backward), "NOISE": int(r.noisy and not backward),
        "ALIGNED": int(shape.d % 4 == 0 and stride % 4 == 0),
    }  # fmt: skip
    return kernel("recur.cu", "recur", options_of(macros), device, s.shared_bytes)
