"""The recurrence on a GPU: losses and gradients of many seeds in four launches, nothing copied back.

The kernels are in `gpu_kernels` (Triton, any GPU, any shape) and `gpu_cluster` (CUDA, Hopper and later: the same
sweep with all matrices resident in shared memory). Here: the traces and the working memory on the device, and the
order of the launches. One `Recurrence` serves a fixed number of seeds and traces a batch, so that its launches can be
captured in a CUDA graph.

Legend: s seeds, b traces a batch, T longest trace, P parameters; more in `gpu_kernels`.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dfst.errors import InputError, MissingExtra
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet

if importlib.util.find_spec("triton") is None:
    raise MissingExtra("training on a GPU", "triton (a part of torch's GPU build)", "train")

from dfst.model.recurrence import gpu_cluster
from dfst.model.recurrence.gpu_kernels import (
    count_kernel,
    products_kernel,
    scatter_kernel,
    sums_kernel,
    sweep_kernel,
)

WIDEST = 1024
"""Largest hidden size: one program holds a whole matrix of the recurrence."""


@dataclass(frozen=True, eq=False)
class DeviceTraces:
    """A set of traces on the device, with each trace's tokens also listed symbol by symbol."""

    x: Tensor = field(repr=False)
    """(tokens,) uint8, like s and m: see `TraceSet`"""
    s: Tensor = field(repr=False)
    m: Tensor = field(repr=False)
    start: Tensor = field(repr=False)
    """(n + 1,)"""
    order: Tensor = field(repr=False)
    """(tokens,) int32: the steps of each trace, those that read symbol 0 first"""
    symbol_start: Tensor = field(repr=False)
    """(n, k + 1) int32: where in a trace's part of `order` each symbol begins"""
    longest: int

    def __len__(self) -> int:
        return len(self.start) - 1


def upload(traces: TraceSet, shape: Shape, device: torch.device | str = "cuda") -> DeviceTraces:
    """Bring the traces to the device, once."""
    symbols, lengths = shape.symbols, traces.lengths
    # the kernels use these numbers as addresses
    for name, array, end in (
        ("x", traces.x, symbols),
        ("s", traces.s, symbols),
        ("m", traces.m, shape.motions),
    ):
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

    def send(array: Any) -> Tensor:
        return torch.tensor(np.ascontiguousarray(array), device=device)

    return DeviceTraces(
        *(
            send(a)
            for a in (traces.x, traces.s, traces.m, traces.start.astype(np.int64), order.astype(np.int32))
        ),
        symbol_start=send(symbol_start),
        longest=int(lengths.max(initial=0)),
    )


@dataclass(frozen=True)
class Tuning:
    """What decides speed and not results' meaning. The defaults are measured: docs/performance.md."""

    sweep: str = "auto"
    """`cluster`, `triton`, or the first of these that can run"""
    sweep_warps: int = 0
    """Warps of a Triton sweep; 0 lets the size of the matrices decide"""
    traces_a_cluster: int = 0
    """0 lets the number of traces decide; results do not depend on it"""
    chunk: int = 0
    """Tokens a chunk; 0 lets the number of tokens decide"""
    tile: int = 64
    """Rows of a product's tile"""
    step: int = 32
    """Tokens a product takes at a time"""
    product_warps: int = 4
    precision: str = "tf32x3"
    """How a float32 product multiplies: `ieee`, or `tf32x3`, three tensor-core products of the same accuracy"""


def _power(n: int, least: int = 1) -> int:
    return max(least, 1 << (n - 1).bit_length())


class Plan:
    """The grouped product of several batches of s·b traces, laid out ahead: one row a batch and seed."""

    def __init__(self, recurrence: Recurrence, batches: int) -> None:
        r = self._recurrence = recurrence
        device, k = r.traces.start.device, r.shape.symbols

        def empty(*sizes: int) -> Tensor:
            return torch.zeros((batches, r.seeds, *sizes), dtype=torch.int32, device=device)

        self.chosen = torch.zeros((batches, r.seeds, r.batch), dtype=torch.int64, device=device)
        self.before = empty(k, r.batch)
        self.totals = empty(k)
        self.first_chunk = empty(k + 1)
        self.rows = empty(r.chunks * r.chunk)

    def lay_out(self, batches: int) -> None:
        """Plan for what stands in the first batches of `chosen`."""
        r, t = self._recurrence, self._recurrence.traces
        k = r.shape.symbols
        count_kernel[(batches * r.seeds,)](
            self.chosen, t.symbol_start, self.before, self.totals, self.first_chunk, r.batch,
            k=k, B=_power(r.batch), CHUNK=r.chunk, num_warps=1 if r.batch <= 256 else 8,
        )  # fmt: skip
        scatter_kernel[(batches * r.seeds * r.batch,)](
            self.chosen, t.x, t.start, t.order, t.symbol_start, self.before, self.first_chunk, self.rows,
            r.batch, t.longest, r.chunks * r.chunk, k=k, CHUNK=r.chunk, BLOCK=128, num_warps=4,
        )  # fmt: skip


class Recurrence:
    """Working memory and launches for s seeds with b traces each."""

    def __init__(
        self,
        shape: Shape,
        traces: DeviceTraces,
        seeds: int,
        batch: int,
        dtype: torch.dtype,
        tuning: Tuning = Tuning(),  # noqa: B008
    ) -> None:
        if shape.d > WIDEST:
            raise InputError(
                f"the GPU kernels take a hidden size of at most {WIDEST}, found {shape.d}; use the CPU"
            )
        self.shape, self.traces, self.seeds, self.batch, self.tuning = shape, traces, seeds, batch, tuning
        k, m, d = shape.symbols, shape.motions, shape.d
        device = traces.start.device
        self.height = d + k + m
        self.tokens = batch * traces.longest
        self.chunk = tuning.chunk or (128 if self.tokens >= 8192 else 32)
        self.chunks = -(-self.tokens // self.chunk) + k
        self.hidden_stride, self.signal_stride = -(-d // 4) * 4, -(-self.height // 4) * 4
        self.block = 256
        self.blocks = -(-self.height * d // self.block)
        self.cluster = gpu_cluster.choose(shape, seeds, batch, dtype, device, tuning)
        parts = batch * (self.cluster.size if self.cluster else 1)

        def empty(*sizes: int, dtype: torch.dtype = dtype) -> Tensor:
            return torch.empty(sizes, dtype=dtype, device=device)

        self.hidden = empty(seeds * self.tokens, self.hidden_stride)
        self.signal = empty(seeds * self.tokens, self.signal_stride)
        self.slope0 = empty(seeds * batch, d)
        self.partial_losses = empty(seeds, parts)
        self.partial = empty(seeds, self.chunks, self.height * d)
        self.gradients = empty(seeds, shape.size)
        self.squares = empty(seeds, k * self.blocks + 1, dtype=torch.float64)
        """(s, …) their sum is the squared norm of a seed's gradient"""
        self.losses = empty(seeds, dtype=torch.float64)
        self.alive = torch.ones(seeds, dtype=torch.uint8, device=device)
        """(s,) a seed with 0 here is not swept"""

    def run(self, theta: Tensor, plan: Plan, which: int) -> None:
        """`losses`, `gradients` and `squares` of theta (s, P) on one batch of a plan that is laid out."""
        if self.tokens:
            self._sweep(theta, plan.chosen[which])
            self._multiply(plan, which)
        else:
            self.slope0.zero_()
            self.partial_losses.zero_()
        self._add_up(plan, which)

    def _sweep(self, theta: Tensor, chosen: Tensor) -> None:
        if self.cluster:
            self.cluster.sweep(self, theta, chosen)
            return
        shape, traces = self.shape, self.traces
        side = _power(shape.d)
        outputs = _power(shape.symbols + shape.motions)
        warps = self.tuning.sweep_warps or min(16, _power(side * (side + outputs) // 1536))
        sweep_kernel[(self.seeds * self.batch,)](
            theta, traces.x, traces.s, traces.m, traces.start, chosen, self.alive,
            self.hidden, self.signal, self.slope0, self.partial_losses, self.batch, traces.longest,
            P=shape.size, k=shape.symbols, moves=shape.motions, d=shape.d,
            hs=self.hidden_stride, us=self.signal_stride, D=side, O=outputs, num_warps=warps,
        )  # fmt: skip

    def _multiply(self, plan: Plan, which: int) -> None:
        tuning, k = self.tuning, self.shape.symbols
        tile = min(tuning.tile, _power(self.height, 16))
        grid = (self.chunks, -(-self.height // tile), self.seeds)
        products_kernel[grid](
            self.hidden, self.signal, plan.rows[which], plan.first_chunk[which], plan.totals[which], self.partial,
            self.tokens, self.chunks, self.chunks * self.chunk,
            k=k, d=self.shape.d, r=self.height, hs=self.hidden_stride, us=self.signal_stride,
            K=_power(k), D=_power(self.shape.d, 16), TILE=tile, CHUNK=self.chunk, STEP=tuning.step,
            PRECISION=tuning.precision if self.hidden.dtype == torch.float32 else "ieee",
            num_warps=tuning.product_warps,
        )  # fmt: skip

    def _add_up(self, plan: Plan, which: int) -> None:
        shape = self.shape
        sums_kernel[(shape.symbols * self.blocks + 1, self.seeds)](
            self.partial, plan.first_chunk[which], self.slope0, self.partial_losses,
            self.gradients, self.losses, self.squares,
            self.batch, self.partial_losses.shape[1], self.chunks, self.blocks,
            P=shape.size, k=shape.symbols, moves=shape.motions, d=shape.d, r=self.height,
            D=_power(shape.d), BLOCK=self.block, AT_ONCE=16, num_warps=4,
        )  # fmt: skip


def losses_and_gradients(
    theta: Tensor,
    shape: Shape,
    traces: DeviceTraces,
    chosen: Tensor,
    tuning: Tuning = Tuning(),  # noqa: B008
) -> tuple[Tensor, Tensor]:
    """(s,) losses and (s, P) gradients of parameters (s, P) on the chosen (s, b) traces, all on the device."""
    recurrence = Recurrence(shape, traces, *chosen.shape, theta.dtype, tuning)
    plan = Plan(recurrence, 1)
    plan.chosen[0] = chosen
    plan.lay_out(1)
    recurrence.run(theta.contiguous(), plan, 0)
    return recurrence.losses, recurrence.gradients
