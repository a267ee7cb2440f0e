"""One training step on the GPU at the paper's four shapes: ours, a torch loop, cuDNN's LSTM, a scan.

All train on the same 32 traces of an expert at the longest inputs of the paper's training sets, in float32.
The limit beside ours is what no schedule of the same work can beat: 2 T dependent steps, at the time one
takes when a single trace has the GPU to itself. Times are medians, after warming up.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from dfst.agents import expert
from dfst.bench.training import RATE, Loss, as_batch, dfst_loss, longest_traces, lstm_loss, torch_step
from dfst.bench.turns import Row
from dfst.kernels.gpu import Batches, Recurrence, upload
from dfst.kernels.parallel import scan
from dfst.learning.engine_gpu import GpuEngine
from dfst.learning.recipe import Recipe
from dfst.learning.state import initial_state
from dfst.model.dfst import DFST
from dfst.model.weights import Shape
from dfst.paper import BATCH, TASKS
from dfst.traces.traceset import TraceSet

SEEDS = (1, 4, 16)
BARS = {"add2": 0.06, "add10": 0.08, "mult2": 0.35, "mult10": 1.2}
"""ms a step of one seed, at most, on one H200."""
MANY, MANY_BARS = 16, {"add2": 2.0, "add10": 2.0}
"""What so many seeds may cost at most, in units of one."""


def row(
    task: str, steps: int, ours: dict[int, float], loop: float, lstm: float, scan: float, limit: float
) -> Row:
    """One shape, in milliseconds a step.

    steps: of the longest trace; ours: by the number of seeds; limit: latency of one seed's dependent steps
    """
    one, many = ours[1], ours.get(MANY, 0.0) / ours[1]
    return {
        "task": task,
        "d": TASKS[task].hidden_size,
        "steps": steps,
        **{f"{seeds} seed{'s' if seeds > 1 else ''}": ms for seeds, ms in ours.items()},
        "torch loop": loop,
        "cuDNN LSTM": lstm,
        "scan": scan,
        "bar": BARS[task],
        "steps a second": round(max(1e3 * seeds / ms for seeds, ms in ours.items())),
        "of the latency limit": limit / one,
        "passes": one <= BARS[task] and many <= MANY_BARS.get(task, many),
    }


class Scanned(nn.Module):
    """The DFST by our log-parallel scan, all traces end to end."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.inner = DFST(shape)

    def loss(self, x: Tensor, s: Tensor, m: Tensor, lengths: Tensor) -> Tensor:
        inside = torch.arange(x.shape[1], device=x.device) < lengths[:, None]
        begins = (torch.arange(x.shape[1], device=x.device) == 0).expand_as(x)[inside]
        weight = (1 / (2 * len(x) * lengths.to(self.inner.h0.dtype)))[:, None].expand_as(x)[inside]
        A, B, C, h0 = self.inner.A, self.inner.B, self.inner.C, self.inner.h0
        tokens = x[inside]
        following = scan(A[tokens], begins) @ h0
        h = torch.where(begins[:, None], h0, following.roll(1, 0))[..., None]
        symbol = (B[tokens] @ h)[..., 0] - nn.functional.one_hot(s[inside], B.shape[1])
        motion = (C[tokens] @ h)[..., 0] - nn.functional.one_hot(m[inside], C.shape[1])
        return (weight * (symbol.square().sum(1) + motion.square().sum(1))).sum()


def milliseconds(work: Callable[[], object], calls: int, repeats: int = 5) -> float:
    """Median time of one call."""
    work()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(calls):
            work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / calls)
    return statistics.median(times)


def our_step(shape: Shape, traces: TraceSet, seeds: int, count: int) -> float:
    """ms of a whole training step of all seeds."""
    engine = GpuEngine(shape, traces, Recipe("bench", iterations=10**9, rate=RATE, batch=BATCH))
    state = initial_state(shape, list(range(seeds)), np.float32)
    engine.advance(state, count)
    return milliseconds(lambda: engine.advance(state, count), 1) / count


def dependent_steps(shape: Shape, traces: TraceSet) -> float:
    """ms of one longest trace alone, forward and backward: nothing but the latency of its steps."""
    longest = traces.subset([int(traces.lengths.argmax())])
    recurrence = Recurrence(shape, upload(longest, shape), 1, 1, torch.float32)
    plan = Batches(recurrence, 1)
    plan.lay_out(1)
    theta = torch.from_numpy(initial_state(shape, [0], np.float32).theta).cuda()
    graph = torch.cuda.CUDAGraph()
    recurrence.run(theta, plan, 0)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(10):
            recurrence.forward(theta, plan, 0)
    return 2 * milliseconds(graph.replay, 1) / 10


def measure(task: str, seeds: tuple[int, ...] = SEEDS) -> Row:
    """Time a step at one of the paper's shapes."""
    agent = expert(task)
    shape = Shape(len(agent.alphabet), 5, TASKS[task].hidden_size)
    traces = longest_traces(agent, np.random.default_rng(0))
    data = as_batch(traces, "cuda")
    count = max(32, 6_400_000 // (shape.d * traces.tokens) // 16 * 16)
    ours = {many: our_step(shape, traces, many, count) for many in sorted({1, *seeds})}
    scanned = Scanned(shape)
    models: list[tuple[nn.Module, Loss, int]] = [
        (*dfst_loss(shape), 2),
        (*lstm_loss(shape), 10),
        (scanned, scanned.loss, 3),
    ]
    loop, lstm, scanned_ms = (
        milliseconds(torch_step(model.cuda(), loss, data), calls, 3) for model, loss, calls in models
    )
    steps, limit = int(traces.lengths.max()), dependent_steps(shape, traces)
    return row(task, steps, ours, loop, lstm, scanned_ms, limit)
