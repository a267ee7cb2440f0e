"""`dfst.recurrence` beside other ways to run a recurrence over a batch, by hidden size and length.

    loop    the same in torch, one step of all sequences at a time; timed over at most `LOOP_STEPS` steps and
            multiplied, since each takes as long as the next
    LSTM    torch.nn.LSTM of the same hidden size (cuDNN's on a GPU): what people would use instead
    scan    the same by our parallel scan in torch (`kernels.parallel`)
    JAX     the same by `jax.lax.associative_scan`, compiled

All in float32 on the same sequences, in turns; the least time counts. On a CPU that is processor time, of one
thread where a way lets itself be told so: a machine may be busy with other things. Scans hold d² numbers a
token, several times over; where that is more than the device has to spare they are left out.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from dfst.bench.timing import Row
from dfst.kernels.operator import recurrence
from dfst.kernels.reference.parallel import scan

SYMBOLS, SEQUENCES = 12, 32
LOOP_STEPS = 64
REPEATS = 2
"""Turns after the first."""
LEAST_SECONDS, MOST_SECONDS = 0.02, 1.0
"""Calls of a turn are repeated until they take so long; one that takes longer gets no other turn."""
CPU_ROOM, GPU_ROOM = 1e9, 0.7
"""What a scan may take of a CPU's memory, in bytes; the share of what is free on a GPU."""
SCAN_COPIES = {False: 4, True: 8}
"""How often a scan holds its matrices, forward and with the way back."""
Way = Callable[[], object]


def row(d: int, T: int, milliseconds: dict[str, float | str]) -> Row:
    """Ours in milliseconds, and how many times as long the others take, or why they were not timed."""
    ours = milliseconds["ours"]
    assert isinstance(ours, float)
    over = {
        f"{name} over ours": ms / ours if isinstance(ms, float) else ms
        for name, ms in milliseconds.items()
        if name != "ours"
    }
    return {"d": d, "T": T, "ours": ours, **over}


def measure(case: str, device: str, train: bool) -> Row:
    """Time a case `d T`, forward alone or with the way back."""
    d, T = map(int, case.split())
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return row(d, T, in_turns(ways(d, T, device, train), device))
    finally:
        torch.set_num_threads(before)


forward_cpu, train_cpu = (partial(measure, device="cpu", train=train) for train in (False, True))
forward_cuda, train_cuda = (partial(measure, device="cuda", train=train) for train in (False, True))


def ways(d: int, T: int, device: str, train: bool) -> dict[str, tuple[Way, float] | str]:
    """Name → what to call and how many calls' worth it is, or why there is nothing to call."""
    make = torch.Generator().manual_seed(0)
    x = torch.randint(0, SYMBOLS, (SEQUENCES, T), generator=make).to(device)
    # orthogonal matrices keep h at its length
    A = torch.linalg.qr(torch.randn(SYMBOLS, d, d, generator=make))[0].contiguous()
    A, h0 = (
        A.to(device).requires_grad_(train),
        torch.randn(d, generator=make).to(device).requires_grad_(train),
    )
    lstm = nn.LSTM(SYMBOLS, d, batch_first=True).to(device).requires_grad_(train)
    seen = nn.functional.one_hot(x, SYMBOLS).float()
    few = min(T, LOOP_STEPS)

    def in_torch(states: Callable[[], Tensor]) -> Way:
        return (lambda: states().square().mean().backward()) if train else states

    found: dict[str, tuple[Way, float] | str] = {
        "ours": (in_torch(lambda: recurrence(A, x, h0)), 1.0),  # type: ignore[arg-type,return-value]
        "loop": (in_torch(lambda: loop(A, x[:, :few], h0)), T / few),
        "LSTM": (in_torch(lambda: lstm(seen)[0]), 1.0),
        "scan": (in_torch(lambda: scanned(A, x, h0)), 1.0),
        "JAX": (in_jax(A, x, h0, train), 1.0) if jax_works(device) else f"no jax for {device}",
    }
    if SCAN_COPIES[train] * x.numel() * A[0].numel() * A.itemsize > room_on(device):
        found["scan"] = found["JAX"] = "too large"
    return found


def room_on(device: str) -> float:
    """Bytes that a scan may take."""
    if device == "cpu":
        return CPU_ROOM
    torch.cuda.empty_cache()  # what torch keeps for itself is free too
    return GPU_ROOM * torch.cuda.mem_get_info()[0]


def loop(A: Tensor, x: Tensor, h0: Tensor) -> Tensor:
    """As anyone would write it."""
    h = [h0.expand(len(x), -1)]
    for symbols in x.unbind(1):
        h.append(torch.bmm(A[symbols], h[-1][..., None])[..., 0])
    return torch.stack(h, 1)


def scanned(A: Tensor, x: Tensor, h0: Tensor) -> Tensor:
    """All sequences end to end in one scan of matrix products; the states after h0."""
    begins = (torch.arange(x.shape[1], device=x.device) == 0).expand_as(x)
    return (scan(A[x.flatten()], begins.flatten()) @ h0).view(*x.shape, -1)


def jax_works(device: str) -> bool:
    """Whether JAX is there and uses that device."""
    if importlib.util.find_spec("jax") is None:
        return False
    # it would take three quarters of a GPU's memory at once
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    return bool(jax.default_backend() == {"cpu": "cpu", "cuda": "gpu"}[device])


def in_jax(A: Tensor, x: Tensor, h0: Tensor, train: bool) -> Way:
    import jax
    import jax.numpy as jnp

    arrays = [jnp.asarray(tensor.detach().cpu().numpy()) for tensor in (A, h0, x)]

    def states(A: Any, h0: Any, x: Any) -> Any:
        with jax.default_matmul_precision("highest"):
            products = jax.lax.associative_scan(lambda early, late: late @ early, A[x], axis=1)
            return products @ h0

    def loss(A: Any, h0: Any, x: Any) -> Any:
        return jnp.square(states(A, h0, x)).mean()

    compiled = jax.jit(jax.grad(loss, (0, 1)) if train else states)
    return lambda: jax.block_until_ready(compiled(*arrays))


def in_turns(ways: dict[str, tuple[Way, float] | str], device: str) -> dict[str, float | str]:
    """Milliseconds of each way, or the word in its place."""
    clock = time.process_time if device == "cpu" else time.perf_counter

    def seconds(way: Way, calls: int = 1) -> float:
        began = clock()
        for _ in range(calls):
            way()
        if device == "cuda":
            torch.cuda.synchronize()
        return (clock() - began) / calls

    timed = {name: way for name, way in ways.items() if not isinstance(way, str)}
    for way, _ in timed.values():
        way()  # what is compiled is compiled now
    best = {name: seconds(way) for name, (way, _) in timed.items()}
    calls = {name: max(1, int(LEAST_SECONDS / once)) for name, once in best.items()}
    for _ in range(REPEATS):
        for name, (way, _) in timed.items():
            if best[name] < MOST_SECONDS:
                best[name] = min(best[name], seconds(way, calls[name]))
    return {name: way if isinstance(way, str) else 1e3 * best[name] * way[1] for name, way in ways.items()}
