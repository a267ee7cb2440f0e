"""Training on a GPU: whole blocks of steps as one CUDA graph, all seeds in the same launches.

The parameters and Adam's moments stay on the device; `advance` waits for it once, at its end, for the losses
and for which seeds are still alive. `sync` brings the rest back for a checkpoint. A step depends on the state
and on its own number alone, so a run that was cut anywhere ends in the same bits.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.errors import InputError
from dfst.kernels.gpu import DEFAULT, Batches, Recurrence, Tuning, upload
from dfst.learning.gpu_step import adam_kernel, sample_kernel
from dfst.learning.order import half_bits
from dfst.learning.recipe import Recipe
from dfst.learning.state import TrainingState
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet

BLOCK = 16
"""Iterations of a graph. The batches of a block are drawn and laid out together, before the first one."""
SCHEDULE = 1 << 15
"""Iterations whose rates lie on the device at a time."""
PARAMETERS = 1024
"""Parameters one program of Adam takes."""


class _Resident:
    """One state on the device, and the graph that advances it."""

    def __init__(self, engine: GpuEngine, state: TrainingState) -> None:
        device, recipe = engine.device, engine.recipe
        self.engine, self.iteration = engine, state.iteration
        self.theta, self.first, self.second, self.seeds = (
            torch.tensor(np.ascontiguousarray(a), device=device)
            for a in (state.theta, state.first, state.second, state.seeds)
        )
        count = len(state.seeds)
        batch = min(recipe.batch, len(engine.traces))
        self.recurrence = Recurrence(
            engine.shape, engine.traces, count, batch, self.theta.dtype, engine.tuning
        )
        self.recurrence.alive.copy_(torch.tensor(state.alive.astype(np.uint8)))
        self.plan = Batches(self.recurrence, BLOCK)
        self.now = torch.tensor([state.iteration], dtype=torch.int64, device=device)
        self.begin = torch.zeros(1, dtype=torch.int64, device=device)
        self.schedule = torch.zeros((SCHEDULE, 3), dtype=torch.float64, device=device)
        self.total = torch.zeros(count, dtype=torch.float64, device=device)
        self.latest = torch.zeros(count, dtype=torch.float64, device=device)
        self.graph: Any = None

    def load_schedule(self, count: int) -> None:
        recipe, first = self.engine.recipe, self.iteration
        rates, steps = recipe.rates(first, count), np.arange(first + 1, first + count + 1)
        keep = 1 - rates * recipe.decays(first, count)
        pace = rates / (1 - recipe.beta1**steps)
        root = 1 / np.sqrt(1 - recipe.beta2**steps)
        self.schedule[:count].copy_(torch.from_numpy(np.stack([keep, pace, root], axis=1)))
        self.begin.fill_(first)

    def block(self, iterations: int) -> None:
        """The launches of some iterations, at most BLOCK."""
        r, engine = self.recurrence, self.engine
        n = len(engine.traces)
        sample_kernel[(iterations * r.seeds,)](
            self.seeds, self.now, self.plan.chosen, r.seeds, r.batch, n,
            BITS=int(half_bits(n)), B=_power(r.batch), num_warps=1 if r.batch <= 256 else 8,
        )  # fmt: skip
        self.plan.lay_out(iterations)
        parts = r.squares.shape[1]
        for which in range(iterations):
            r.run(self.theta, self.plan, which)
            adam_kernel[(-(-engine.shape.size // PARAMETERS), r.seeds)](
                self.theta, self.first, self.second, r.gradients, r.squares, r.losses, r.alive,
                self.schedule, self.now, self.begin, which, self.total, self.latest, engine.constants,
                parts, P=engine.shape.size, SQUARES=_power(parts), BLOCK=PARAMETERS, num_warps=4,
            )  # fmt: skip
        self.now.add_(iterations)

    def capture(self) -> None:
        """Record a whole block; it runs only when replayed."""
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        # an old graph that is freed during the recording would spoil it
        gc.collect()
        gc.disable()
        try:
            with torch.cuda.graph(self.graph):
                self.block(BLOCK)
        finally:
            gc.enable()

    def advance(self, count: int) -> None:
        """Without waiting for the device. The first blocks run unrecorded, which compiles the kernels."""
        self.load_schedule(count)
        left = count
        while left >= BLOCK and self.theta.is_cuda:
            if self.graph is None:
                self.block(BLOCK)
                self.capture()
            else:
                self.graph.replay()
            left -= BLOCK
        while left:
            self.block(min(left, BLOCK))
            left -= min(left, BLOCK)
        self.iteration += count


class GpuEngine:
    """Advances a training state on the device; keeps it there between calls."""

    def __init__(
        self,
        shape: Shape,
        traces: TraceSet,
        recipe: Recipe,
        device: str = "cuda",
        tuning: Tuning = DEFAULT,
    ) -> None:
        if torch.device(device).type == "cuda" and not torch.cuda.is_available():
            raise InputError(
                "no CUDA GPU was found (torch.cuda.is_available() is False); train with --device cpu"
            )
        self.shape, self.recipe, self.tuning = shape, recipe, tuning
        self.device = torch.device(device)
        self.traces = upload(traces, shape, self.device)
        numbers = (
            recipe.clip,
            recipe.beta1,
            recipe.beta2,
            1 - recipe.beta1,
            1 - recipe.beta2,
            recipe.epsilon,
        )
        self.constants = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        self.latest: NDArray[np.float64] = np.zeros(0)
        """(s,) loss of the last step of the last call; NaN or infinity for a seed that has stopped"""
        self._state: TrainingState | None = None
        self._resident: _Resident | None = None

    def advance(self, state: TrainingState, count: int) -> NDArray[np.float64]:
        """Take `count` steps; (s,) mean loss over them, NaN for seeds that have stopped.

        Of `state` only `alive` and `iteration` are brought up to date; `sync` does the rest.
        """
        resident = self._resident
        if resident is None or self._state is not state or resident.iteration != state.iteration:
            resident = self._resident = _Resident(self, state)
            self._state = state
        resident.total.zero_()
        resident.latest.fill_(torch.nan)
        for done in range(0, count, SCHEDULE):
            resident.advance(min(SCHEDULE, count - done))
        results = (
            torch.stack([resident.total, resident.latest, resident.recurrence.alive.double()]).cpu().numpy()
        )
        state.alive[:] = results[2] > 0
        state.iteration = resident.iteration
        self.latest = results[1]
        return np.where(state.alive, results[0] / count, np.nan)

    def sync(self, state: TrainingState) -> None:
        """Bring the parameters and moments of `state` up to date."""
        if (
            self._resident is not None
            and self._state is state
            and self._resident.iteration == state.iteration
        ):
            for name in ("theta", "first", "second"):
                tensor: Tensor = getattr(self._resident, name)
                getattr(state, name)[:] = tensor.cpu().numpy()


def _power(n: int) -> int:
    return 1 << (n - 1).bit_length()
