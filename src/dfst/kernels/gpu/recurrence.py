"""The recurrence on a GPU: losses and gradients of many seeds in a few launches, nothing copied back.

The kernels are in `gpu.kernels` (Triton, any GPU, any shape), `gpu.cluster` (CUDA, Hopper and later: the two
sweeps with all matrices in shared memory) and `gpu.readout` (CUDA). Here: the traces and the working memory
on the device, and the order of the launches. One `Recurrence` serves a fixed number of seeds and of traces
per batch, so that its launches can be captured in a CUDA graph.

Legend: s seeds, b traces per batch, T longest trace, P parameters; more in `gpu.kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.errors import InputError
from dfst.kernels.gpu import readout as gpu_readout
from dfst.kernels.gpu.cluster import cluster_for, power, recur
from dfst.kernels.gpu.kernels import (
    count_kernel,
    levels_kernel,
    products_kernel,
    readout_kernel,
    scatter_kernel,
    sums_kernel,
)
from dfst.kernels.gpu.stability import Stability, words_kernel
from dfst.kernels.reference.noise import Noise
from dfst.model.weights import Shape
from dfst.traces.reweighting import LONGEST, NO_SYMBOL
from dfst.traces.traceset import TraceSet

WIDEST = 1024  # largest hidden size: one program holds a whole matrix of the recurrence
WIDE = 32  # columns of h that Triton's read-out takes at a time


class DeviceTraces(NamedTuple):
    """A set of n traces on the device, with each trace's tokens also listed symbol by symbol."""

    n: int
    longest: int
    x: Tensor  # (tokens,) uint8, like s and m: see `TraceSet`
    s: Tensor
    m: Tensor
    start: Tensor  # (n + 1,)
    order: Tensor  # (tokens,) int32: the steps of each trace, those that read symbol 0 first
    symbol_start: Tensor  # (n, k + 1) int32: where in a trace's part of `order` each symbol begins
    step_weights: Tensor  # (tokens,) float64: how much each counts


def upload(
    traces: TraceSet, shape: Shape, device: torch.device | str = "cuda",
    step_weights: NDArray[np.float64] | None = None,
) -> DeviceTraces:  # fmt: skip
    """Bring the traces to the device, once; every token of which the action is known counts alike if no
    weights are given."""
    symbols, lengths, (s, m) = shape.symbols, traces.lengths, traces.targets
    # the kernels use these numbers as addresses
    for name, array, end in (("x", traces.x, symbols), ("s", s, symbols), ("m", m, shape.motions)):
        if array.max(initial=0) >= end:
            raise InputError(
                f"{traces.subject}: {name} of its traces must be below {end}, found {array.max()}"
            )
    trace = np.repeat(np.arange(len(lengths)), lengths)
    key = trace * symbols + traces.x
    order = np.argsort(key, kind="stable") - np.repeat(traces.start[:-1], lengths)
    counts = np.bincount(key, minlength=len(lengths) * symbols).reshape(len(lengths), symbols)
    symbol_start = np.zeros((len(lengths), symbols + 1), np.int32)
    np.cumsum(counts, axis=1, out=symbol_start[:, 1:])

    step_weights = traces.known.astype(np.float64) if step_weights is None else step_weights
    arrays = (
        traces.x, s, m, traces.start.astype(np.int64), order.astype(np.int32), symbol_start, step_weights
    )  # fmt: skip
    sent = (torch.tensor(np.ascontiguousarray(array), device=device) for array in arrays)
    return DeviceTraces(len(traces), int(lengths.max(initial=0)), *sent)


@dataclass(frozen=True)
class Tuning:
    """What decides speed, and never what is computed. Measured: docs/research/performance.md."""

    sweep: str = "auto"  # `triton`, or the one in CUDA where it can run
    traces_a_cluster: int = 0  # 0 lets the number of traces decide; results do not depend on it
    chunk: int = 0  # tokens a chunk; 0 lets the number of tokens decide
    tile: int = 64  # rows of a product's tile
    step: int = 16  # tokens a product takes at a time
    readout: str = "auto"  # `triton`, or the one in CUDA where it can run


DEFAULT = Tuning()


class Batches:
    """Several batches of s·b traces with their tokens listed by symbol, laid out ahead of the sweeps."""

    def __init__(self, recurrence: Recurrence, batches: int) -> None:
        r = self._recurrence = recurrence
        device, k = r.traces.start.device, r.shape.symbols

        def empty(*sizes: int, dtype: torch.dtype = torch.int32) -> Tensor:
            return torch.zeros((batches, r.seeds, *sizes), dtype=dtype, device=device)

        self.chosen = empty(r.batch, dtype=torch.int64)
        self.before = empty(k, r.batch)
        self.totals = empty(k)
        self.first_chunk = empty(k + 1)
        self.rows = empty(r.chunks * r.chunk)
        self.marks = empty(r.chunks * r.chunk)
        self.weights = empty(r.chunks * r.chunk, dtype=r.hidden.dtype)
        self.keys = empty(dtype=torch.int64)
        self.noise = empty(dtype=r.hidden.dtype)
        self.stability = empty(dtype=r.hidden.dtype)
        words = torch.full((LONGEST, 1, k), NO_SYMBOL, dtype=torch.int32, device=device)
        words[0] = torch.arange(k)
        self.words = words.repeat(batches, 1, r.seeds, 1).reshape(batches, LONGEST, r.seeds, k)
        """(batches, length, s, k) of the stability penalty; each of one symbol unless others are drawn"""

    def lay_out(self, batches: int) -> None:
        """Lay out what stands in the first batches of `chosen`."""
        r, t, k = self._recurrence, self._recurrence.traces, self._recurrence.shape.symbols
        count_kernel[(batches * r.seeds,)](
            self.chosen, t.symbol_start, self.before, self.totals, self.first_chunk, r.batch,
            k=k, B=power(r.batch), CHUNK=r.chunk, num_warps=1 if r.batch <= 256 else 8,
        )  # fmt: skip
        scatter_kernel[(batches * r.seeds * r.batch,)](
            self.chosen, t.x, t.s, t.m, t.start, t.order, t.symbol_start, self.before, self.first_chunk,
            r.weight, self.rows, self.marks, self.weights, r.batch, t.longest, r.chunks * r.chunk,
            k=k, CHUNK=r.chunk, BLOCK=128, num_warps=4,
        )  # fmt: skip

    def set_levels(
        self, batches: int, seeds: Tensor, now: Tensor, begin: Tensor, schedule: Tensor, shown: Tensor
    ) -> None:
        """Noise and the weight of the stability penalty for the first batches: see `levels_kernel`.

        And the words of the penalty; shown (n, length): `shown_words`
        """
        r, k = self._recurrence, self._recurrence.shape.symbols
        if r.noisy or r.stability:
            levels_kernel[(batches * r.seeds,)](
                seeds, now, begin, schedule, self.keys, self.noise, self.stability, r.seeds, num_warps=1
            )
        if r.stability and len(shown):
            words_kernel[(batches * r.seeds,)](
                seeds, now, shown, len(shown), self.words, r.seeds, k, K=power(k), LENGTH=LONGEST, num_warps=1
            )


class Recurrence:
    """Working memory and launches for s seeds with b traces each."""

    def __init__(
        self, shape: Shape, traces: DeviceTraces, seeds: int, batch: int, dtype: torch.dtype,
        tuning: Tuning = DEFAULT, noisy: bool = False, stable: bool = False,
    ) -> None:  # fmt: skip
        if shape.d > WIDEST:
            raise InputError(
                f"the GPU kernels take a hidden size of at most {WIDEST}, found {shape.d}; use the CPU"
            )
        self.shape, self.traces, self.seeds, self.batch, self.tuning = shape, traces, seeds, batch, tuning
        self.noisy = noisy
        k, m, d = shape.symbols, shape.motions, shape.d
        device = traces.start.device
        self.height = d + k + m
        self.tokens = batch * traces.longest
        self.chunk = tuning.chunk or (128 if self.tokens >= 8192 else 32)
        self.chunks = -(-self.tokens // self.chunk) + k
        self.tile = min(tuning.tile, power(self.height, 16))
        # so wide that the products need not look where a row ends
        self.hidden_stride, self.signal_stride = power(d, 16), -(-self.height // self.tile) * self.tile
        self.block = 256
        self.blocks = -(-self.height * d // self.block)

        def zeros(*sizes: int, dtype: torch.dtype = dtype) -> Tensor:
            return torch.zeros(sizes, dtype=dtype, device=device)

        lengths = traces.start.diff()
        each = 1 / (lengths.clamp(min=1).double() * batch)
        self.weight = (each.repeat_interleave(lengths) * traces.step_weights).to(dtype)
        """(tokens,) of each in the loss of a batch"""
        self.hidden = zeros(seeds * self.tokens, self.hidden_stride)
        strides = (self.hidden_stride, self.signal_stride)
        self.readout = self.cluster = None
        if tuning.readout != "triton":
            self.readout = gpu_readout.choose(shape, self.chunk, strides, self.hidden)
        if tuning.sweep != "triton":
            given = shape, traces.longest, seeds, batch, device, dtype
            self.cluster = cluster_for(*given, traces=tuning.traces_a_cluster)
        # never by the number of seeds: a seed's bits must not depend on its neighbours
        usual = min(self.chunk, 16 if self.tokens >= 8192 else 32)
        self.readout_step = self.readout.step if self.readout else usual
        self.drive = zeros(seeds * self.tokens, self.hidden_stride)
        self.signal = zeros(seeds * self.tokens, self.signal_stride)
        self.turned = zeros(seeds, k, d, d)
        """Aᵀ of every seed and symbol"""
        self.slope0 = zeros(seeds * batch, d)
        self.partial_losses = zeros(seeds, self.chunks * (self.chunk // self.readout_step))
        self.partial = zeros(seeds, self.chunks, self.height * d)
        self.gradients = zeros(seeds, shape.size)
        self.squares = zeros(seeds, k * self.blocks + 1, dtype=torch.float64)
        """(s, …) their sum is the squared norm of a seed's gradient"""
        self.losses = zeros(seeds, dtype=torch.float64)
        self.alive = torch.ones(seeds, dtype=torch.uint8, device=device)
        """(s,) a seed with 0 here is not swept"""

        self.stability = Stability(shape, seeds, LONGEST, self.hidden) if stable else None

    def run(self, theta: Tensor, plan: Batches, which: int) -> None:
        """`losses`, `gradients` and `squares` of theta (s, P) on one batch of a plan that is laid out."""
        if self.stability:
            self.stability.begin(theta, plan.words[which], plan.stability[which])
        if self.tokens:
            self.sweep(theta, plan, which, backward=False)
            self.read_out(theta, plan, which)
            self.sweep(theta, plan, which, backward=True)
            self.multiply(plan, which)
        if self.stability:
            self.stability.end()
        self.add_up(plan, which)

    def sweep(self, theta: Tensor, plan: Batches, which: int, backward: bool) -> None:
        """hidden; backward slope0, and what is the gradient of h in signal."""
        shape, traces = self.shape, self.traces
        if backward:
            self.turned.copy_(shape.split(theta)[0].transpose(-1, -2))
        matrices, values = (self.turned, self.signal) if backward else (theta, self.hidden)
        tensors = (
            matrices, theta[:, -shape.d :], traces.x, traces.start, plan.chosen[which], self.alive, values,
            self.drive, self.slope0, plan.keys[which], plan.noise[which],
        )  # fmt: skip
        recur(self.cluster, shape, self.seeds, traces.longest, tensors, backward, self.noisy)

    def read_out(self, theta: Tensor, plan: Batches, which: int) -> None:
        """Errors in signal, drive and partial_losses."""
        shape = self.shape
        tensors = (
            theta, self.hidden, plan.rows[which], plan.marks[which], plan.weights[which],
            plan.first_chunk[which], plan.totals[which], self.signal, self.drive, self.partial_losses,
        )  # fmt: skip
        if self.readout:
            self.readout.run(self.seeds, self.chunks, self.tokens, tensors)
            return
        readout_kernel[(self.chunks, self.chunk // self.readout_step, self.seeds)](
            *tensors, self.tokens, self.chunks, self.chunks * self.chunk,
            P=shape.size, k=shape.symbols, moves=shape.motions, d=shape.d,
            hs=self.hidden_stride, us=self.signal_stride, K=power(shape.symbols),
            O=power(shape.symbols + shape.motions, 16), CHUNK=self.chunk, STEP=self.readout_step,
            WIDE=min(WIDE, self.hidden_stride), PRECISION="ieee", num_warps=4,
        )  # fmt: skip

    def multiply(self, plan: Batches, which: int) -> None:
        """partial."""
        k = self.shape.symbols
        products_kernel[(self.chunks, -(-self.height // self.tile), self.seeds)](
            self.hidden, self.signal, plan.rows[which], plan.first_chunk[which], plan.totals[which],
            self.partial, self.tokens, self.chunks, self.chunks * self.chunk,
            k=k, d=self.shape.d, r=self.height, hs=self.hidden_stride, us=self.signal_stride, K=power(k),
            D=power(self.shape.d, 16), TILE=self.tile, CHUNK=self.chunk, STEP=self.tuning.step,
            PRECISION="ieee", num_warps=4,
        )  # fmt: skip

    def add_up(self, plan: Batches, which: int) -> None:
        """gradients, squares and losses."""
        shape = self.shape
        sums_kernel[(shape.symbols * self.blocks + 1, self.seeds)](
            self.partial, plan.first_chunk[which], self.slope0, self.partial_losses,
            self.stability.slopes if self.stability else self.partial,
            self.gradients, self.losses, self.squares,
            self.batch, self.partial_losses.shape[1], self.chunks, self.blocks,
            P=shape.size, k=shape.symbols, moves=shape.motions, d=shape.d, r=self.height,
            D=power(shape.d), BLOCK=self.block, AT_ONCE=16, STABILITY=self.stability is not None,
            num_warps=4,
        )  # fmt: skip


def losses_and_gradients(
    theta: Tensor, shape: Shape, traces: DeviceTraces, chosen: Tensor, tuning: Tuning = DEFAULT,
    noise: Noise | None = None, stability: float = 0.0,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(s,) losses and (s, P) gradients of parameters (s, P) on the chosen (s, b) traces, on the device."""
    seeds, batch = chosen.shape
    recurrence = Recurrence(
        shape, traces, seeds, batch, theta.dtype, tuning, noise is not None, stability > 0,
    )  # fmt: skip
    plan = Batches(recurrence, 1)
    plan.chosen[0] = chosen
    plan.stability[0] = stability
    if noise:
        plan.keys[0] = torch.from_numpy(noise.keys)
        plan.noise[0] = noise.sigma
    plan.lay_out(1)
    recurrence.run(theta.contiguous(), plan, 0)
    return recurrence.losses, recurrence.gradients
