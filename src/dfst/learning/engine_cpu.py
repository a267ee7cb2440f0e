"""Training on the CPU: whole stretches of steps in compiled code, all seeds at once.

One step of one seed: draw the batch, loss and gradient, that of `settling` where asked for, clip the gradient
to a global norm, then Adam with decoupled weight decay (`torch.optim.AdamW`'s arithmetic). A step depends on
the state and on its own number alone, so stretches of any length, on any number of threads, beside any other
seeds, end in the same bits.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst import compiling
from dfst.compiling import inner, sources
from dfst.kernels import cpu, noise_cpu, schedule, settling_cpu, threads, tile
from dfst.kernels.cpu import (
    make_scratch,
    pack,
    packed_sizes,
    shards_pass,
    sum_shards,
    tokens_of,
)
from dfst.kernels.noise_cpu import noise_key
from dfst.kernels.schedule import SHARDS, share
from dfst.kernels.settling import steps_to
from dfst.kernels.settling_cpu import SPARE, add_settling, fill_walks
from dfst.kernels.threads import in_threads, meet, thread_count
from dfst.kernels.tile import padded
from dfst.learning import order
from dfst.learning.interrupts import interrupts_held
from dfst.learning.order import fill_batch
from dfst.learning.recipe import Recipe
from dfst.learning.sharing import Sharing
from dfst.learning.state import TrainingState
from dfst.model.weights import Shape
from dfst.traces.rarity import emphasis
from dfst.traces.traceset import TraceSet
from dfst.traces.windows import windows

MANY = 4
"""Seeds per thread from which on it costs little that some threads have one seed more than others."""


class Constants(NamedTuple):
    """The numbers of a recipe that stay the same from step to step."""

    clip: float
    beta1: float
    beta2: float
    epsilon: float


class Model(NamedTuple):
    """What a step changes, and the sizes of it."""

    symbols: int
    motions: int
    d: int
    seeds: NDArray[np.int64]
    """(s,)"""
    theta: NDArray[Any]
    """(s, P)"""
    first: NDArray[Any]
    """(s, P)"""
    second: NDArray[Any]
    """(s, P)"""
    alive: NDArray[np.bool_]
    """(s,)"""


class Work(NamedTuple):
    """Memory for the inside of a step, and the losses that come out."""

    packed: NDArray[Any]
    """(s, …) weights as `pack` lays them out"""
    shards: NDArray[Any]
    """(s, SHARDS, …) packed gradients"""
    gradients: NDArray[Any]
    """(s, P)"""
    products: NDArray[Any]
    """(s, …, d, D) for `add_settling`; none where nothing has to settle"""
    shown: NDArray[np.uint8]
    """(n, length) `windows`, of which walks are drawn"""
    walks: NDArray[np.int64]
    """(s, k, length)"""
    steps: NDArray[np.int64]
    """of `settling`"""
    growth: bool
    """whether `settling` looks at growth only"""
    straight: NDArray[np.int64]
    """(d,) 0, 1, 2, …"""
    chosen: NDArray[np.int64]
    """(threads, b) the batch that a thread works on"""
    pieces: NDArray[np.float64]
    """(s, SHARDS) losses of the shards"""
    total: NDArray[np.float64]
    """(s,) losses summed over the steps"""
    latest: NDArray[np.float64]
    """(s,)"""
    arrivals: NDArray[np.int64]
    """(1,) for `threads.meet`"""


@inner
def adam(theta, first, second, gradient, steps, rate, decay, constants):
    """Update one seed's parameters (P,) and moments in place, after `steps` earlier updates.

    False, and nothing changed, if the square of the clipped gradient's norm is no finite number of this
    precision: Adam's second moments would be infinite from then on, and every later step nothing at all.
    """
    real = theta.dtype.type
    squares = 0.0
    for i in range(gradient.shape[0]):
        squares += np.float64(gradient[i]) * np.float64(gradient[i])
    norm = np.sqrt(squares)
    clipped = 0 < constants.clip < norm
    if not np.isfinite(squares if clipped else real(squares)):
        return False
    scale = real(constants.clip / norm) if clipped else real(1)
    beta1, beta2, epsilon = real(constants.beta1), real(constants.beta2), real(constants.epsilon)
    rest1, rest2 = real(1 - constants.beta1), real(1 - constants.beta2)
    keep = real(1 - rate * decay)
    pace = real(rate / (1 - constants.beta1 ** (steps + 1)))
    root = real(1 / np.sqrt(1 - constants.beta2 ** (steps + 1)))
    for i in range(theta.shape[0]):
        slope = gradient[i] * scale
        first[i] = beta1 * first[i] + rest1 * slope
        second[i] = beta2 * second[i] + rest2 * slope * slope
        theta[i] = keep * theta[i] - pace * first[i] / (np.sqrt(second[i]) * root + epsilon)
    return True


@inner
def _join(seed, model, work):
    """Join the shards of one step of one seed."""
    loss = 0.0
    for shard in range(SHARDS):
        loss += work.pieces[seed, shard]
    work.latest[seed] = loss
    work.total[seed] += loss
    sum_shards(work.shards[seed], model.symbols, model.motions, model.d, work.gradients[seed])


@inner
def _settle(seed, step, weight, model, work):
    """Add the gradient of the penalty on walks that do not settle."""
    fill_walks(model.seeds[seed], step, work.shown, work.walks[seed])
    add_settling(
        model.theta[seed], work.walks[seed], model.d, weight, work.steps, work.growth,
        work.products[seed], work.straight, work.gradients[seed],
    )  # fmt: skip


@inner
def _update(seed, step, rate, decay, constants, model, work):
    """Change the parameters of one seed by its gradient, or stop the seed."""
    model.alive[seed] = np.isfinite(work.latest[seed]) and adam(
        model.theta[seed], model.first[seed], model.second[seed], work.gradients[seed],
        step, rate, decay, constants,
    )  # fmt: skip
    pack(model.theta[seed], model.symbols, model.motions, model.d, work.packed[seed])


def _compiled(version, settling):
    """The loop with or without `settling`: most trainings have none and need not wait for it to compile."""

    @njit(cache=True, nogil=True)
    def advance(thread, threads, apart, iteration, levels, constants, tokens, model, work, scratch):
        """One thread's part of the steps from `iteration` on.

        If `apart`, it does all the work of its own seeds and waits for nobody. Else it does some shards of
        every step, and the threads meet before the shards are joined and again before the next step.
        """
        _ = version
        rates, decays, sigmas, settles = levels
        seeds, k, m, d = len(model.seeds), model.symbols, model.motions, model.d
        for seed in range(thread, seeds, threads):
            pack(model.theta[seed], k, m, d, work.packed[seed])
        goal = threads
        if not apart:
            meet(work.arrivals, goal)
        for i in range(len(rates)):
            step = iteration + i
            for seed in range(seeds):
                first, last = share(seed, thread, threads, seeds, apart)
                if first < last and model.alive[seed]:
                    fill_batch(model.seeds[seed], step, len(tokens.lengths), work.chosen[thread])
                    shards_pass(
                        model.theta[seed], work.packed[seed], k, m, d, tokens, work.chosen[thread],
                        first, last, thread, scratch, work.shards[seed], work.pieces[seed],
                        sigmas[i], noise_key(model.seeds[seed], step),
                    )  # fmt: skip
            if not apart:
                goal += threads
                meet(work.arrivals, goal)
            for seed in range(thread, seeds, threads):
                if model.alive[seed]:
                    _join(seed, model, work)
                    if settling and settles[i] > 0:
                        _settle(seed, step, settles[i], model, work)
                    _update(seed, step, rates[i], decays[i], constants, model, work)
            if not apart:
                goal += threads
                meet(work.arrivals, goal)

    return advance


_VERSION = sources(order, compiling, noise_cpu, schedule, settling_cpu, threads, tile, cpu)
_ADVANCE = {settling: _compiled(_VERSION, settling) for settling in (False, True)}


class CpuEngine:
    """Advances a training state; holds nothing between calls but working memory and the latest losses."""

    device = "cpu"

    def __init__(self, shape: Shape, traces: TraceSet, recipe: Recipe, threads: int | None = None) -> None:
        self.shape, self.traces, self.recipe, self.threads = shape, traces, recipe, threads
        self.tokens = tokens_of(traces, emphasis(traces, recipe.rare))
        self.shown = windows(traces, recipe.settle_over)
        self.latest: NDArray[np.float64] = np.zeros(0)
        """(s,) loss of the last step of the last call; NaN or infinity for a seed that has stopped"""
        self._sharing = Sharing()

    def advance(self, state: TrainingState, count: int) -> NDArray[np.float64]:
        """Take `count` steps in place; (s,) mean loss over them, NaN for seeds that have stopped."""
        shape, recipe, seeds, dtype = self.shape, self.recipe, len(state.seeds), state.theta.dtype
        batch, threads = min(recipe.batch, len(self.traces)), thread_count(self.threads, seeds * SHARDS)
        weights, numbers = packed_sizes(shape)
        steps = steps_to(recipe.settle_by)
        products = recipe.settle_over - 1 + len(steps) + SPARE
        work = Work(
            np.empty((seeds, weights), dtype),
            np.empty((seeds, SHARDS, numbers), dtype),
            np.empty_like(state.theta),
            np.empty((seeds if recipe.settle else 0, products, shape.d, padded(shape.d)), dtype),
            self.shown,
            np.empty((seeds, shape.symbols, recipe.settle_over), np.int64),
            steps,
            recipe.settle_on == "growth",
            np.arange(shape.d),
            np.empty((threads, batch), np.int64),
            np.empty((seeds, SHARDS)),
            np.zeros(seeds),
            np.full(seeds, np.nan),
            np.zeros(1, np.int64),
        )
        model = Model(
            shape.symbols, shape.motions, shape.d,
            state.seeds, state.theta, state.first, state.second, state.alive,
        )  # fmt: skip
        scratch = make_scratch(shape, self.traces, seeds, batch, threads, dtype)
        even = seeds % threads == 0 or seeds >= MANY * threads
        with interrupts_held():
            if even:
                self._run(state, count, threads, True, model, work, scratch)
            else:
                for some, shared in self._sharing.parts(count):
                    began = time.perf_counter()
                    self._run(state, some, threads, not shared, model, work, scratch)
                    self._sharing.took(shared, (time.perf_counter() - began) / some)
            self.latest = work.latest
        return np.where(state.alive, work.total / count, np.nan)

    def _run(
        self,
        state: TrainingState,
        count: int,
        threads: int,
        apart: bool,
        model: Model,
        work: Work,
        scratch: Any,
    ) -> None:
        """Let the threads take some steps."""
        recipe, first = self.recipe, state.iteration
        arguments = (
            threads,
            apart,
            first,
            (
                recipe.rates(first, count),
                recipe.decays(first, count),
                recipe.noises(first, count),
                recipe.settles(first, count),
            ),
            Constants(recipe.clip, recipe.beta1, recipe.beta2, recipe.epsilon),
            self.tokens,
            model,
            work,
            scratch,
        )
        advance = _ADVANCE[recipe.settle > 0]
        work.arrivals[0] = 0
        in_threads(lambda thread: advance(thread, *arguments), threads)
        state.iteration += count

    def sync(self, state: TrainingState) -> None:
        """Nothing to do: the state is advanced in place."""
