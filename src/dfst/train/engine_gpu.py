"""Training on a GPU: whole blocks of steps as one CUDA graph, all seeds of a shape in the same launches.

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

from dfst.errors import InputError
from dfst.kernels.gpu.cluster import power
from dfst.kernels.gpu.recurrence import Batches, Recurrence, upload
from dfst.model.weights import Shape
from dfst.traces.reweighting import shown_words, step_weights
from dfst.traces.traceset import TraceSet
from dfst.train.gpu_step import adam_kernel, sample_kernel
from dfst.train.order import half_bits
from dfst.train.recipe import Recipe
from dfst.train.state import TrainingState

BLOCK = 16
"""Iterations of a graph. The batches of a block are drawn and laid out together, before the first one."""
SCHEDULE = 1 << 15  # iterations whose rates lie on the device at a time
SORTED = 256  # traces of the largest batch that is put in order of length; the order costs their square
PARAMETERS = 1024  # parameters one program of Adam takes


class _Resident:
    """One state on the device, and the graph that advances it."""

    def __init__(self, engine: GpuEngine, state: TrainingState) -> None:
        device, recipe = engine.device, engine.recipe
        self.engine, self.iteration = engine, state.iteration
        self.theta, self.first, self.second, self.slowdown, self.seeds = (
            torch.tensor(np.ascontiguousarray(a), device=device)
            for a in (state.theta, state.first, state.second, state.slowdown, state.seeds)
        )
        self.norms = torch.tensor(np.stack([state.norm, state.norm]), device=device)
        count = len(state.seeds)
        batch = min(recipe.batch_size, engine.traces.n)
        self.recurrence = Recurrence(
            engine.shape, engine.traces, count, batch, self.theta.dtype,
            noisy=recipe.state_noise > 0, stable=recipe.stability > 0,
        )  # fmt: skip
        self.recurrence.alive.copy_(torch.tensor(state.alive.astype(np.uint8)))
        self.plan = Batches(self.recurrence, BLOCK)
        self.now = torch.tensor([state.iteration], dtype=torch.int64, device=device)
        self.begin = torch.zeros(1, dtype=torch.int64, device=device)
        self.schedule = torch.zeros((SCHEDULE, 3), dtype=torch.float64, device=device)
        self.levels = torch.zeros((SCHEDULE, 2), dtype=torch.float64, device=device)
        self.total = torch.zeros(count, dtype=torch.float64, device=device)
        self.latest = torch.zeros(count, dtype=torch.float64, device=device)
        self.graph: Any = None

    def load_schedule(self, count: int) -> None:
        recipe, first = self.engine.recipe, self.iteration
        rates, decays, noises, stabilities = recipe.levels(first, count)
        steps = np.arange(first + 1, first + count + 1)
        pace, root = rates / (1 - recipe.beta1**steps), 1 / np.sqrt(1 - recipe.beta2**steps)
        self.schedule[:count].copy_(torch.from_numpy(np.stack([decays, pace, root], axis=1)))
        self.levels[:count].copy_(torch.from_numpy(np.stack([noises, stabilities], axis=1)))
        self.begin.fill_(first)

    def block(self, iterations: int) -> None:
        """The launches of some iterations, at most BLOCK."""
        r, engine = self.recurrence, self.engine
        n = engine.traces.n
        sample_kernel[(iterations * r.seeds,)](
            self.seeds, self.now, engine.traces.start, self.plan.chosen, r.seeds, r.batch, n,
            BITS=int(half_bits(n)), B=power(r.batch), SORT=r.batch <= SORTED,
            num_warps=1 if r.batch <= 64 else 8,
        )  # fmt: skip
        self.plan.lay_out(iterations)
        self.plan.set_levels(iterations, self.seeds, self.now, self.begin, self.levels, engine.shown)
        parts = r.squares.shape[1]
        for which in range(iterations):
            r.run(self.theta, self.plan, which)
            adam_kernel[(-(-engine.shape.size // PARAMETERS), r.seeds)](
                self.theta, self.first, self.second, self.norms, self.slowdown, r.gradients, r.squares,
                r.losses, r.alive, self.schedule, self.now, self.begin, which, self.total, self.latest,
                engine.constants, parts, r.seeds, P=engine.shape.size, SQUARES=power(parts),
                BLOCK=PARAMETERS, num_warps=4,
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
        """Hand the device a block at a time. The first runs unrecorded, which compiles the kernels."""
        self.load_schedule(count)
        for done in range(0, count, BLOCK):
            iterations = min(BLOCK, count - done)
            if self.graph is not None and iterations == BLOCK:
                self.graph.replay()
            else:
                self.block(iterations)
                if iterations == BLOCK and self.theta.is_cuda:
                    self.capture()
            self.iteration += iterations


class GpuEngine:
    """Advances a training state on the device; keeps it there between calls."""

    def __init__(self, shape: Shape, traces: TraceSet, recipe: Recipe, device: str = "cuda") -> None:
        if device == "cuda" and not torch.cuda.is_available():
            raise InputError(
                "no CUDA GPU was found (torch.cuda.is_available() is False); train with --device cpu"
            )
        self.shape, self.recipe, self.device = shape, recipe.for_size(shape.d), device
        self.traces = upload(traces, shape, device, step_weights(traces, recipe.reweighting))
        self.shown = torch.from_numpy(shown_words(traces if recipe.stability else traces.subset([]))).to(
            device
        )
        beta1, beta2 = recipe.beta1, recipe.beta2
        numbers = recipe.gradient_clip, beta1, beta2, 1 - beta1, 1 - beta2, recipe.epsilon
        self.constants = torch.tensor(numbers, dtype=torch.float64, device=device)
        self.stream = torch.cuda.Stream(device) if device == "cuda" else None
        self.latest: NDArray[np.float64] = np.zeros(0)
        """(s,) loss of the last step of the last call; NaN or infinity for a seed that has stopped"""
        self._state: TrainingState | None = None
        self._resident: _Resident | None = None

    def advance(self, state: TrainingState, count: int) -> NDArray[np.float64]:
        """Take `count` steps; (s,) mean loss over them, NaN for seeds that have stopped.

        Of `state` only `alive` and `iteration` are brought up to date; `sync` does the rest.
        """
        with torch.cuda.stream(self.stream):
            resident = self._resident
            if resident is None or self._state is not state or resident.iteration != state.iteration:
                resident = self._resident = _Resident(self, state)
                self._state = state
            resident.total.copy_(torch.from_numpy(state.total))
            resident.latest.fill_(torch.nan)
            for done in range(0, count, SCHEDULE):
                resident.advance(min(SCHEDULE, count - done))
            found = [resident.total, resident.latest, resident.recurrence.alive.double()]
            total, self.latest, alive = torch.stack(found).cpu().numpy()
        state.alive[:] = alive > 0
        state.iteration = resident.iteration
        before, state.total[:] = state.total.copy(), total
        with np.errstate(invalid="ignore"):  # of a seed that has stopped
            return np.where(state.alive, (state.total - before) / count, np.nan)

    def sync(self, state: TrainingState) -> None:
        """Bring the parameters, moments and norms of `state` up to date."""
        here = self._resident
        if here is not None and self._state is state and here.iteration == state.iteration:
            for name in ("theta", "first", "second"):
                getattr(state, name)[:] = getattr(here, name).cpu().numpy()
            state.norm[:] = here.norms[state.iteration % 2].cpu().numpy()

    def load(self, state: TrainingState) -> None:
        """Take over what was changed in a state that was synchronised."""
        if self._resident is not None and self._state is state:
            for name in ("theta", "first", "second", "slowdown"):
                getattr(self._resident, name).copy_(torch.from_numpy(getattr(state, name)))
            self._resident.recurrence.alive.copy_(torch.from_numpy(state.alive.astype(np.uint8)))
