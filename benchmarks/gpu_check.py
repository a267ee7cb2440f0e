"""Check the GPU kernels against float64 autograd on this machine's GPU, then time them and their variants.

    PYTHONPATH=src python3 benchmarks/gpu_check.py [check] [steps] [variants]

Needs torch, triton and numba, and nothing else. `check` prints errors (‖found − truth‖ / ‖truth‖ of the worst
part and seed), `steps` ms of a whole training step, `variants` ms of single kernels. All timed traces have
the full length, their symbols are uniform.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from dfst.kernels.gpu import Batches, Recurrence, Tuning, losses_and_gradients, upload
from dfst.learning.engine_gpu import GpuEngine
from dfst.learning.recipe import Recipe
from dfst.learning.state import initial_state
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import MOTIONS
from dfst.world.trace import Trace

SHAPES = {"add2": (4, 12, 69), "add10": (12, 20, 69), "mult2": (4, 32, 431), "mult10": (12, 108, 431)}
BARS = {"add2": 0.06, "add10": 0.08, "mult2": 0.35, "mult10": 1.2}
CHECKS = [
    # symbols, d, lengths, seeds, batch
    (4, 12, [69, 3, 0, 50], 2, 7),
    (12, 20, [69, 1, 33, 68], 3, 32),
    (4, 32, [431, 17, 2, 100], 2, 5),
    (12, 108, [431, 3, 200, 0, 77], 2, 6),
    (40, 128, [63, 100], 1, 3),
    (1, 1, [4, 2], 1, 2),
    (3, 17, [5, 9, 63], 1, 3),
    (12, 64, [100, 63], 2, 7),
    (9, 33, [100, 63, 1], 2, 9),
    (6, 100, [63, 64, 65], 2, 8),
]


PRODUCTS = [
    # precision, tile, step, warps, chunk
    ("ieee", 64, 16, 4, 128),
    ("ieee", 64, 16, 8, 128),
    ("ieee", 64, 32, 8, 128),
    ("ieee", 128, 16, 8, 128),
    ("ieee", 32, 16, 4, 128),
    ("ieee", 64, 16, 4, 64),
    ("ieee", 64, 16, 4, 256),
    ("tf32x3", 64, 16, 4, 128),
    ("tf32x3", 128, 32, 8, 128),
]

READOUTS = [
    # precision, step, width, warps
    ("ieee", 16, 32, 4),
    ("ieee", 32, 32, 8),
    ("ieee", 16, 32, 2),
    ("ieee", 16, 16, 2),
    ("tf32x3", 16, 32, 4),
    ("tf32x3", 32, 32, 4),
]


def random_traces(rng: np.random.Generator, symbols: int, lengths: list[int]) -> TraceSet:
    alphabet = tuple(f"a{i}" for i in range(symbols))

    def draw(end: int, n: int) -> Any:
        return rng.integers(0, end, n).astype(np.uint8)

    traces = [Trace("t", "", alphabet, draw(symbols, n), draw(symbols, n), draw(5, n)) for n in lengths]
    return gather(traces, "t", alphabet, MOTIONS)


def random_theta(rng: np.random.Generator, shape: Shape, seeds: int) -> Any:
    theta = 0.3 * rng.standard_normal((seeds, shape.size))
    A, _, _, _ = shape.split(theta)
    A[...] = np.linalg.qr(A)[0] + 0.02 * A / np.sqrt(shape.d)
    return theta


def truth(theta: Any, shape: Shape, traces: TraceSet, chosen: Any, device: str = "cuda") -> tuple[Any, Any]:
    """Losses and gradients by float64 autograd, all traces of a seed side by side."""
    losses, gradients = [], []
    lengths = traces.lengths
    longest = int(lengths.max())
    x, s, m = (np.zeros((len(lengths), longest), np.int64) for _ in range(3))
    for i in range(len(lengths)):
        for padded, flat in ((x, traces.x), (s, traces.s), (m, traces.m)):
            padded[i, : lengths[i]] = flat[traces.start[i] : traces.start[i + 1]]
    for seed in range(len(theta)):
        p = torch.tensor(theta[seed], dtype=torch.float64, device=device, requires_grad=True)
        A, B, C, h0 = shape.split(p)
        xs, ss, ms = (torch.tensor(a[chosen[seed]], device=device) for a in (x, s, m))
        n = torch.tensor(lengths[chosen[seed]], device=device)
        h = h0.expand(len(n), -1)[..., None]
        total = p.sum() * 0
        for t in range(longest):
            e1 = (B[xs[:, t]] @ h)[..., 0] - torch.nn.functional.one_hot(ss[:, t], shape.symbols)
            e2 = (C[xs[:, t]] @ h)[..., 0] - torch.nn.functional.one_hot(ms[:, t], shape.motions)
            share = (t < n).double() / (2 * len(n) * n.clamp(min=1).double())
            total = total + (share * (e1.square().sum(1) + e2.square().sum(1))).sum()
            h = A[xs[:, t]] @ h
        total.backward()
        losses.append(total.item())
        gradients.append(p.grad.cpu().numpy())
    return np.array(losses), np.stack(gradients)


def check(tuning: Tuning, dtype: torch.dtype) -> None:
    for case in CHECKS:
        symbols, d, lengths, seeds, batch = case
        rng = np.random.default_rng([symbols, d])
        shape = Shape(symbols, 5, d)
        traces = random_traces(rng, symbols, lengths)
        theta = random_theta(rng, shape, seeds).astype(np.float32)
        chosen = rng.integers(0, len(lengths), (seeds, batch))
        expected = truth(theta.astype(np.float64), shape, traces, chosen)
        arguments = (
            torch.tensor(theta, device="cuda").to(dtype),
            shape,
            upload(traces, shape),
            torch.tensor(chosen, device="cuda"),
            tuning,
        )
        began = time.monotonic()
        try:
            found = losses_and_gradients(*arguments)
            again = losses_and_gradients(*arguments)
            torch.cuda.synchronize()
        except Exception as error:
            print("FAILED", case, tuning, dtype, repr(error)[:2000])
            torch.cuda.synchronize()
            continue
        worst = 0.0
        for seed in range(seeds):
            parts = zip(
                shape.split(found[1][seed].cpu().numpy()), shape.split(expected[1][seed]), strict=True
            )
            for a, b in parts:
                error = np.linalg.norm(a - b) / np.linalg.norm(b)
                worst = max(worst, error if np.isfinite(error) else np.inf)
        loss = np.abs(found[0].cpu().numpy() / expected[0] - 1).max()
        same = torch.equal(found[0], again[0]) and torch.equal(found[1], again[1])
        good = worst < (1e-5 if dtype == torch.float32 else 1e-11) and same
        print(
            f"{'ok ' if good else 'BAD'} {tuning.sweep:8}{str(dtype)[6:]:8} k={symbols:<3}d={d:<4}"
            f"gradient {worst:.1e} loss {loss:.1e} repeats {same} {time.monotonic() - began:.1f}s",
            flush=True,
        )


def check_engine() -> None:
    """Graphs, single launches, seeds alone: the same bits."""
    for symbols, d in ((12, 20), (12, 108)):
        shape = Shape(symbols, 5, d)
        traces = random_traces(np.random.default_rng(2), symbols, [60, 30, 69, 1, 44] * 9)
        recipe = Recipe("check", iterations=1000, rate=0.001, clip=1.0, decay=0.01)
        results = []
        for seeds, counts in (([1, 2, 3], [100]), ([1, 2, 3], [7] * 14 + [2]), ([3], [50, 50])):
            engine, state = GpuEngine(shape, traces, recipe), initial_state(shape, seeds, np.float32)
            losses = [engine.advance(state, count)[-1] for count in counts]
            engine.sync(state)
            results.append(state.theta[-1])
        same = all(np.array_equal(results[0], other) for other in results[1:])
        print(
            f"{'ok ' if same else 'BAD'} engine k={symbols} d={d}, loss {losses[0]:.4f} then {losses[-1]:.4f}"
        )


def time_graph(work: Callable[[], None], repeats: int) -> float:
    """Median ms of one call, replayed from a graph of `repeats`."""
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeats):
            work()
    graph.replay()
    times = []
    for _ in range(5):
        a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        a.record()
        graph.replay()
        b.record()
        torch.cuda.synchronize()
        times.append(a.elapsed_time(b) / repeats)
    return statistics.median(times)


def time_engine(name: str, seeds: int, tuning: Tuning) -> float:
    symbols, d, longest = SHAPES[name]
    shape = Shape(symbols, 5, d)
    rng = np.random.default_rng(1)
    traces = random_traces(rng, symbols, [longest] * 64)
    engine = GpuEngine(
        shape, traces, Recipe("bench", iterations=10**6, rate=1e-6, clip=1.0, decay=0.01), tuning=tuning
    )
    state = initial_state(shape, list(range(seeds)), np.float32)
    state.theta[:] = random_theta(rng, shape, seeds)
    engine.advance(state, 48)
    count = max(32, int(0.06 / (BARS[name] * 1e-3)) // 16 * 16)
    times = []
    for _ in range(3):
        torch.cuda.synchronize()
        began = time.perf_counter()
        engine.advance(state, count)
        times.append((time.perf_counter() - began) / count * 1e3)
    assert state.alive.all(), "a seed diverged: the time means nothing"
    return statistics.median(times)


def time_parts(name: str, seeds: int, tunings: dict[str, Tuning], parts: str) -> None:
    symbols, d, longest = SHAPES[name]
    shape = Shape(symbols, 5, d)
    rng = np.random.default_rng(1)
    here = upload(random_traces(rng, symbols, [longest] * 64), shape)
    theta = torch.tensor(random_theta(rng, shape, seeds).astype(np.float32), device="cuda")
    for label, tuning in tunings.items():
        try:
            r = Recurrence(shape, here, seeds, 32, torch.float32, tuning)
            plan = Batches(r, 1)
            plan.chosen[:] = torch.tensor(rng.integers(0, 64, (1, seeds, 32)), device="cuda")
            plan.lay_out(1)
            r.run(theta, plan, 0)
            works = {
                "forward": lambda r=r, plan=plan: r.forward(theta, plan, 0),
                "readout": lambda r=r, plan=plan: r.read_out(theta, plan, 0),
                "backward": lambda r=r, plan=plan: r.backward(theta, plan, 0),
                "products": lambda r=r, plan=plan: r.multiply(plan, 0),
                "sums": lambda r=r, plan=plan: r.add_up(plan, 0),
            }
            times = [f"{part} {time_graph(works[part], 10):.4f}" for part in parts.split()]
            print(f"{name:7} s={seeds:<3} {label:22} {'  '.join(times)}", flush=True)
        except Exception as error:
            print("FAILED", name, seeds, label, repr(error)[:600], flush=True)


def time_steps(names: list[str], sweeps: list[str], counts: list[int]) -> None:
    print("whole step, ms: shape, seeds, then", *sweeps, "and the bar")
    for name in names:
        for seeds in counts:
            cells = []
            for sweep in sweeps:
                try:
                    cells.append(f"{time_engine(name, seeds, Tuning(sweep=sweep)):.4f}")
                except Exception as error:
                    cells.append("FAILED " + repr(error)[:600])
            print(f"{name:7} {seeds:3}  {'  '.join(cells)}  {BARS[name]}", flush=True)


def time_variants() -> None:
    base = Tuning()
    for name in SHAPES:
        for seeds in (1, 16):
            time_parts(name, seeds, {"default": base}, "forward readout backward products sums")
    for name, seeds in (("mult10", 1), ("mult10", 4), ("mult2", 16), ("mult2", 64), ("add10", 16)):
        several = {f"traces a cluster {q}": replace(base, traces_a_cluster=q) for q in (1, 2, 4, 5, 8)}
        time_parts(name, seeds, several, "forward backward")
    for name, seeds in (("mult10", 1), ("mult10", 4), ("mult2", 16)):
        several = {
            f"{p} tile {tile} step {step} warps {w} chunk {chunk}": replace(
                base, precision=p, tile=tile, step=step, product_warps=w, chunk=chunk
            )
            for p, tile, step, w, chunk in PRODUCTS
        }
        time_parts(name, seeds, several, "products sums")
    for name, seeds in (("mult10", 1), ("mult10", 4), ("mult2", 16), ("add10", 16)):
        several = {
            f"{p} step {step} width {width} warps {w}": replace(
                base, precision=p, readout_step=step, readout_width=width, readout_warps=w
            )
            for p, step, width, w in READOUTS
        }
        time_parts(name, seeds, several, "readout")
    for name, warps in (("add2", (1, 2)), ("add10", (1, 2)), ("mult2", (1, 2, 4)), ("mult10", (4, 8, 16))):
        several = {f"triton warps {w}": Tuning(sweep="triton", sweep_warps=w) for w in warps}
        time_parts(name, 1, several, "forward backward")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", default=["check", "steps", "variants"])
    parser.add_argument("--sweeps", nargs="+", default=["auto", "triton"])
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64"])
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 4, 16])
    wanted = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__, flush=True)
    began = time.monotonic()
    if "check" in wanted.what:
        for sweep in wanted.sweeps:
            for dtype in wanted.dtypes:
                check(Tuning(sweep=sweep), getattr(torch, dtype))
        check_engine()
    if "steps" in wanted.what:
        time_steps(wanted.shapes, wanted.sweeps, wanted.seeds)
    if "variants" in wanted.what:
        time_variants()
    print(f"{' '.join(wanted.what)}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
