"""Training on the CPU: whole stretches of steps in compiled code, all seeds at once.

One step of one seed: draw the batch, loss and gradient, clip the gradient to a global norm, then Adam with
decoupled weight decay (`torch.optim.AdamW`'s arithmetic). A step depends on the state and on its own number alone, so
stretches of any length, on any number of threads, beside any other seeds, end in the same bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from dfst.learning.order import fill_batch
from dfst.learning.recipe import Recipe
from dfst.learning.state import TrainingState
from dfst.model.recurrence.cpu import make_scratch, pack, packed_sizes, shard_pass, sum_shards
from dfst.model.recurrence.schedule import SHARDS
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet


class Constants(NamedTuple):
    """The numbers of a recipe that stay the same from step to step."""

    clip: float
    beta1: float
    beta2: float
    epsilon: float


@njit(cache=True, nogil=True)
def adam(theta, first, second, gradient, steps, rate, decay, constants):
    """Update one seed's parameters (P,) and moments in place; False, and nothing changed, if the norm is not finite.

    steps: how many steps were taken before this one.
    """
    real = theta.dtype.type
    squares = 0.0
    for i in range(gradient.shape[0]):
        squares += np.float64(gradient[i]) * np.float64(gradient[i])
    if not np.isfinite(squares):
        return False
    norm = np.sqrt(squares)
    scale = real(constants.clip / norm) if 0 < constants.clip < norm else real(1)
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


@njit(cache=True, nogil=True, parallel=True)
def _advance(
    seeds, theta, first, second, alive, iteration, rates, decays, constants, k, m, d, x, s, mo, start, lengths,
    batch, scratch, packed, shards, gradients, chosen, pieces, total, latest,
):  # fmt: skip
    n = lengths.shape[0]
    for seed in prange(seeds.shape[0]):
        pack(theta[seed], k, m, d, packed[seed])
    for step in range(rates.shape[0]):
        for task in prange(seeds.shape[0] * SHARDS):
            seed, shard = task // SHARDS, task % SHARDS
            if alive[seed]:
                traces = chosen[task]
                fill_batch(seeds[seed], iteration + step, n, traces)
                pieces[task] = shard_pass(
                    theta[seed], packed[seed], k, m, d, x, s, mo, start, lengths, traces,
                    shard, numba.get_thread_id(), scratch, shards[seed, shard],
                )  # fmt: skip
        for seed in prange(seeds.shape[0]):
            if alive[seed]:
                loss = 0.0
                for shard in range(SHARDS):
                    loss += pieces[seed * SHARDS + shard]
                sum_shards(shards[seed], k, m, d, gradients[seed])
                latest[seed] = loss
                total[seed] += loss
                alive[seed] = np.isfinite(loss) and adam(
                    theta[seed], first[seed], second[seed], gradients[seed],
                    iteration + step, rates[step], decays[step], constants,
                )  # fmt: skip
                pack(theta[seed], k, m, d, packed[seed])


class CpuEngine:
    """Advances a training state; holds nothing between calls but working memory and the latest losses."""

    def __init__(self, shape: Shape, traces: TraceSet, recipe: Recipe) -> None:
        self.shape, self.traces, self.recipe = shape, traces, recipe
        self.latest: NDArray[np.float64] = np.zeros(0)
        """(s,) loss of the last step of the last call; NaN or infinity for a seed that has stopped"""

    def advance(self, state: TrainingState, count: int) -> NDArray[np.float64]:
        """Take `count` steps in place; (s,) mean loss over them, NaN for seeds that have stopped."""
        shape, traces, recipe = self.shape, self.traces, self.recipe
        seeds, dtype = len(state.seeds), state.theta.dtype
        batch = min(recipe.batch, len(traces))
        weights, numbers = packed_sizes(shape)
        total = np.zeros(seeds)
        self.latest = np.full(seeds, np.nan)
        _advance(
            state.seeds, state.theta, state.first, state.second, state.alive, state.iteration,
            recipe.rates(state.iteration, count), recipe.decays(state.iteration, count),
            Constants(recipe.clip, recipe.beta1, recipe.beta2, recipe.epsilon),
            shape.symbols, shape.motions, shape.d,
            traces.x, traces.s, traces.m, traces.start, traces.lengths, batch,
            make_scratch(shape, traces, batch, numba.get_num_threads(), dtype),
            np.empty((seeds, weights), dtype), np.empty((seeds, SHARDS, numbers), dtype),
            np.empty_like(state.theta), np.empty((seeds * SHARDS, batch), np.int64), np.empty(seeds * SHARDS),
            total, self.latest,
        )  # fmt: skip
        state.iteration += count
        return np.where(state.alive, total / count, np.nan)
