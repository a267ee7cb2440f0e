"""The sweep of `gpu_kernels.recur_kernel` for matrices that registers cannot hold: some rows at a time."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def wide_kernel(matrices, tokens, lengths, values, states, d: tl.constexpr, D: tl.constexpr,
                ROWS: tl.constexpr, BACKWARD: tl.constexpr):  # fmt: skip
    """One sequence: v ← M[x] v (+ what stands in its place), from state to state in `values` (b, states, d).

    Forward: matrices A, values[0] given. Backward: matrices Aᵀ, values given, each but the last added to.
    A state goes through device memory, where all threads of the program find it after a barrier.
    """
    sequence = tl.program_id(0).to(tl.int64)
    steps = tl.load(lengths + sequence).to(tl.int32)
    columns = tl.arange(0, D)
    inside = columns < d
    some = tl.arange(0, ROWS)
    for i in range(steps):
        if BACKWARD:
            t = steps - 1 - i
            come, go = t + 1, t
        else:
            t = i
            come, go = t, t + 1
        symbol = tl.load(tokens + sequence * states + t).to(tl.int64)
        v = tl.load(values + (sequence * states + come) * d + columns, mask=inside, other=0.0)
        for first in range(0, d, ROWS):
            rows = first + some
            at = matrices + symbol * (d * d) + rows[:, None] * d + columns[None, :]
            m = tl.load(at, mask=(rows < d)[:, None] & inside[None, :], other=0.0)
            to = values + (sequence * states + go) * d + rows
            found = tl.sum(m * v[None, :], 1)
            if BACKWARD:
                found += tl.load(to, mask=rows < d, other=0.0)
            tl.store(to, found, mask=rows < d)
        tl.debug_barrier()
