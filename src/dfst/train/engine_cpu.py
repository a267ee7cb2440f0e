"""Training on the CPU: whole stretches of steps in compiled code, all seeds at once.

One step of one seed: draw the batch, loss and gradient, that of the stability penalty if it has a weight,
clip the gradient relative to its usual norm, then Adam with decoupled weight decay
(`torch.optim.AdamW`'s arithmetic). A step depends on the state and on its own number alone, so stretches of
any length, on any number of threads, beside any other seeds, end in the same bits.
"""

import time
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dfst import compiling
from dfst.compiling import inner, sources
from dfst.kernels.cpu import noise as noise_cpu
from dfst.kernels.cpu import recurrence as cpu
from dfst.kernels.cpu import schedule, threads
from dfst.kernels.cpu import stability as stability_cpu
from dfst.kernels.cpu.noise import noise_key
from dfst.kernels.cpu.recurrence import (
    make_scratch,
    pack,
    packed_sizes,
    shards_pass,
    sum_shards,
    tokens_of,
)
from dfst.kernels.cpu.schedule import SHARDS, share
from dfst.kernels.cpu.stability import SPARE, add_stability, fill_words
from dfst.kernels.cpu.threads import in_threads, meet, thread_count
from dfst.kernels.reference.stability import SQUARINGS
from dfst.model.rollout import tile
from dfst.model.rollout.tile import padded
from dfst.model.weights import Shape
from dfst.traces.reweighting import LONGEST, shown_words, step_weights
from dfst.traces.traceset import TraceSet
from dfst.train import order
from dfst.train.interrupts import interrupts_held
from dfst.train.order import fill_batch
from dfst.train.recipe import Recipe
from dfst.train.state import TrainingState

NORM_PACE = 0.01  # what the running norm of the gradient takes over of each new one
MANY = 4  # seeds per thread from which on it costs little that some threads have one seed more than others


class Model(NamedTuple):
    """What a step changes, the sizes of it, and the numbers of the recipe that stay the same."""

    symbols: int
    motions: int
    d: int
    seeds: NDArray[np.int64]  # (s,)
    theta: NDArray[Any]  # (s, P)
    first: NDArray[Any]  # (s, P)
    second: NDArray[Any]  # (s, P)
    norm: NDArray[np.float64]  # (s,)
    slowdown: NDArray[np.float64]  # (s,)
    alive: NDArray[np.bool_]  # (s,)
    clip: float
    beta1: float
    beta2: float
    epsilon: float


class Work(NamedTuple):
    """Memory for the inside of a step, and the losses that come out."""

    packed: NDArray[Any]  # (s, …) weights as `pack` lays them out
    shards: NDArray[Any]  # (s, SHARDS, …) packed gradients
    gradients: NDArray[Any]  # (s, P)
    products: NDArray[Any]  # (s, …, d, D) for `add_stability`; none without a penalty
    shown: NDArray[np.int8]  # (n, LONGEST) `shown_words`, of which words are drawn
    words: NDArray[np.int64]  # (s, k, length)
    straight: NDArray[np.int64]  # (d,) 0, 1, 2, …
    chosen: NDArray[np.int64]  # (threads, b) the batch that a thread works on
    pieces: NDArray[np.float64]  # (s, SHARDS) losses of the shards
    total: NDArray[np.float64]  # (s,) `TrainingState.total`
    latest: NDArray[np.float64]  # (s,)
    arrivals: NDArray[np.int64]  # (1,) for `threads.meet`


@inner
def adam(seed, model, gradient, steps, rate, decay):
    """Update one seed's parameters, moments and running norm in place, after `steps` updates.

    The gradient is clipped to `clip` times the running average of its own norm, as clipped.

    False, and nothing changed, if the square of the clipped gradient's norm is no finite number of this
    precision: Adam's second moments would be infinite from then on, and every later step nothing at all.
    """
    theta, first, second = model.theta[seed], model.first[seed], model.second[seed]
    real, slowdown = theta.dtype.type, model.slowdown[seed]
    squares = 0.0
    for i in range(gradient.shape[0]):
        squares += np.float64(gradient[i]) * np.float64(gradient[i])
    norm = np.sqrt(squares)
    limit = model.clip * model.norm[seed]
    clipped = 0 < limit < norm
    if not np.isfinite(squares if clipped else real(squares)):
        return False
    scale = real(limit / norm) if clipped else real(1)
    model.norm[seed] += NORM_PACE * ((limit if clipped else norm) - model.norm[seed])
    beta1, beta2, epsilon = real(model.beta1), real(model.beta2), real(model.epsilon)
    rest1, rest2 = real(1 - model.beta1), real(1 - model.beta2)
    keep = real(1 - decay * slowdown)
    pace = real(rate / (1 - model.beta1 ** (steps + 1)) * slowdown)
    root = real(1 / np.sqrt(1 - model.beta2 ** (steps + 1)))
    for i in range(theta.shape[0]):
        slope = gradient[i] * scale
        first[i] = beta1 * first[i] + rest1 * slope
        second[i] = beta2 * second[i] + rest2 * slope * slope
        theta[i] = keep * theta[i] - pace * first[i] / (np.sqrt(second[i]) * root + epsilon)
    return True


def _compiled(version, stability):
    """The loop with or without the penalty: most trainings have none and need not wait for it to compile."""

    @njit(cache=True, nogil=True)
    def advance(thread, threads, apart, iteration, levels, tokens, model, work, scratch):
        """One thread's part of the steps from `iteration` on.

        If `apart`, it does all the work of its own seeds and waits for nobody. Else it does some shards of
        every step, and the threads meet before the shards are joined and again before the next step.
        """
        _ = version
        rates, decays, noises, stabilities = levels
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
                        noises[i], noise_key(model.seeds[seed], step),
                    )  # fmt: skip
            if not apart:
                goal += threads
                meet(work.arrivals, goal)
            for seed in range(thread, seeds, threads):
                if not model.alive[seed]:
                    continue
                loss, theta, gradient = 0.0, model.theta[seed], work.gradients[seed]
                for shard in range(SHARDS):
                    loss += work.pieces[seed, shard]
                work.latest[seed] = loss
                work.total[seed] += loss
                sum_shards(work.shards[seed], k, m, d, gradient)
                if stability and stabilities[i] > 0:
                    words = work.words[seed]
                    fill_words(model.seeds[seed], step, work.shown, words)
                    add_stability(
                        theta, words, d, stabilities[i], work.products[seed], work.straight, gradient,
                    )  # fmt: skip
                well = np.isfinite(loss) and adam(seed, model, gradient, step, rates[i], decays[i])
                model.alive[seed] = well
                pack(theta, k, m, d, work.packed[seed])
            if not apart:
                goal += threads
                meet(work.arrivals, goal)

    return advance


_VERSION = sources(order, compiling, noise_cpu, schedule, stability_cpu, threads, tile, cpu)
_ADVANCE = {stability: _compiled(_VERSION, stability) for stability in (False, True)}


TRIAL = 16  # one in so many steps of a call goes to a trial of the other way
RAREST = 32  # calls from one trial to the next, at most


class Sharing:
    """Whether threads share each step, or keep to their own seeds: whichever took less time the last time.

    Sharing uses all cores however few the seeds are, but the threads meet twice in every step, and wait long
    where another program has one of the cores (docs/research/performance.md). The bits are the same either
    way, so both are timed as training goes on.
    """

    def __init__(self) -> None:
        self._seconds: dict[bool, float] = {}
        self._shared = True
        self._interval = self._calls_left = 1

    def parts(self, count: int) -> list[tuple[int, bool]]:
        """How to take the steps of a call: so many, and whether threads share them."""
        self._calls_left -= 1
        if self._calls_left > 0 or self._shared not in self._seconds:
            return [(count, self._shared)]
        trial = -(-count // TRIAL)
        parts = [(trial, not self._shared), (count - trial, self._shared)]
        return [(steps, shared) for steps, shared in parts if steps]

    def took(self, shared: bool, seconds: float) -> None:
        """Learn what a step has taken in this way."""
        self._seconds[shared] = seconds
        if shared is not self._shared:
            self._interval = min(2 * self._interval, RAREST)
            self._calls_left = self._interval
        if self._seconds.get(not self._shared, float("inf")) < self._seconds.get(self._shared, 0.0):
            self._shared, self._interval, self._calls_left = not self._shared, 1, 1


class CpuEngine:
    """Advances a training state; holds nothing between calls but working memory and the latest losses."""

    device = "cpu"

    def __init__(self, shape: Shape, traces: TraceSet, recipe: Recipe, threads: int | None = None) -> None:
        recipe = recipe.for_size(shape.d)
        self.shape, self.traces, self.recipe, self.threads = shape, traces, recipe, threads
        self.tokens = tokens_of(traces, step_weights(traces, recipe.reweighting))
        self.shown = shown_words(traces if recipe.stability else traces.subset([]))
        self.latest: NDArray[np.float64] = np.zeros(0)
        """(s,) loss of the last step of the last call; NaN or infinity for a seed that has stopped"""
        self._sharing = Sharing()

    def advance(self, state: TrainingState, count: int) -> NDArray[np.float64]:
        """Take `count` steps in place; (s,) mean loss over them, NaN for seeds that have stopped."""
        shape, recipe, seeds, dtype = self.shape, self.recipe, len(state.seeds), state.theta.dtype
        batch, threads = min(recipe.batch_size, len(self.traces)), thread_count(self.threads, seeds * SHARDS)
        weights, numbers = packed_sizes(shape)
        products = LONGEST - 1 + SQUARINGS + SPARE
        work = Work(
            np.empty((seeds, weights), dtype),
            np.empty((seeds, SHARDS, numbers), dtype),
            np.empty_like(state.theta),
            np.empty((seeds if recipe.stability else 0, products, shape.d, padded(shape.d)), dtype),
            self.shown,
            np.empty((seeds, shape.symbols, LONGEST), np.int64),
            np.arange(shape.d),
            np.empty((threads, batch), np.int64),
            np.empty((seeds, SHARDS)),
            state.total,
            np.full(seeds, np.nan),
            np.zeros(1, np.int64),
        )
        model = Model(
            shape.symbols, shape.motions, shape.d,
            state.seeds, state.theta, state.first, state.second, state.norm, state.slowdown, state.alive,
            recipe.gradient_clip, recipe.beta1, recipe.beta2, recipe.epsilon,
        )  # fmt: skip
        scratch = make_scratch(shape, self.traces, batch, threads, dtype)

        def run(some: int, apart: bool) -> None:
            """Let the threads take some steps."""
            now, compiled = state.iteration, _ADVANCE[recipe.stability > 0]
            work.arrivals[0] = 0
            given = threads, apart, now, recipe.levels(now, some), self.tokens, model, work, scratch
            in_threads(lambda thread: compiled(thread, *given), threads)
            state.iteration += some

        before = state.total.copy()
        with interrupts_held():
            if seeds % threads == 0 or seeds >= MANY * threads:
                run(count, apart=True)
            else:
                for some, shared in self._sharing.parts(count):
                    began = time.perf_counter()
                    run(some, apart=not shared)
                    self._sharing.took(shared, (time.perf_counter() - began) / some)
            self.latest = work.latest
        with np.errstate(invalid="ignore"):  # of a seed whose loss overflowed
            return np.where(state.alive, (state.total - before) / count, np.nan)

    def sync(self, state: TrainingState) -> None:
        """Nothing to do: the state is advanced in place."""

    def load(self, state: TrainingState) -> None:
        """Nothing to do either."""
