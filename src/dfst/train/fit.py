"""The smallest hidden size that fits the traces, found by short trainings on them and nothing else.

A model with room to spare counts the steps of the walks it was shown; one that is too small cannot say what
the traces say, and its loss stays up. So a roomy size shows how low the loss falls in so many steps, the
*floor*, and the smallest size of which most seeds come near it in as many is the one that fits. Small sizes
learn slowly: one that is not there yet, but not far off either, is given twice the steps.

The search starts at a number of states that explains the traces: with a dimension for each of them, the loss
can be zero. Descent may get along with fewer, since in a linear model states can share dimensions, or not
find its way without some more; so the search goes down, or up as far as the roomy size.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.model.weights import Shape
from dfst.states.teachability import explain
from dfst.traces.traceset import TraceSet
from dfst.train.engines import make_engine
from dfst.train.progress import Tell
from dfst.train.recipe import Recipe
from dfst.train.state import TrainingState, initial_state
from dfst.train.train import Engine, adapted

STEPS = (3_000, 9_000, 27_000)
"""Tried in turn with the roomy size, until its loss is down; the other sizes are trained for as many."""
DOWN = 3e-6  # a loss that has fallen as far as this is a floor
RECIPE = Recipe("fit", STEPS[0], learning_rate=0.01, gradient_clip=2.0, retries=5)
GROWING = Recipe("fit", STEPS[0], rate_scale=0.1, gradient_clip=2.0)
"""Of sizes that double: the larger, the smaller its steps."""
SMALLEST, LARGEST = 16, 512
SEEDS = 4
MOST = 3  # so many of the seeds must come down to the floor
NEAR = 10.0  # times the floor: near enough
OPEN = 1_000.0  # times the floor: perhaps only slow, and given twice the steps
NOTHING = 1e-4  # of what one wrong token costs: a loss below that is at the floor, whatever others reach


@dataclass(frozen=True)
class Trial:
    """What one size came to."""

    size: int
    steps: int
    loss: float  # that most of its seeds reached at the end, infinite where they diverged


@dataclass(frozen=True)
class Fit:
    """The size that fits, and what speaks for it; where none came down, the number of states."""

    size: int
    start: int  # where the search began: so many states explain the traces
    roomy: int
    """The size that gives the floor, and the largest that is taken; 0 where sizes were doubled instead"""
    trials: tuple[Trial, ...]

    def sentence(self) -> str:
        last = {trial.size: trial for trial in self.trials}
        if not self.roomy:
            tried = ", ".join(f"{trial.loss:.0e} at {trial.size}" for trial in self.trials)
            return f"hidden size {self.size}: a larger one is hardly better (loss {tried})"
        near = [last[size] for size in (self.size - 1, self.size, self.roomy) if size in last]
        said = ", ".join(f"{trial.loss:.0e} at {trial.size}" for trial in near)
        states = explain((self.start, self.start))
        if all(trial.loss > DOWN for trial in self.trials if trial.size == self.roomy):
            return f"no hidden size came down (loss {said}); taking {self.size}, since {states} the traces"
        return f"hidden size {self.size} fits the traces (loss {said}; {states} them)"

    def as_json(self) -> dict[str, Any]:
        """How it stands in config.json."""
        return {
            "start": self.start,
            "roomy": self.roomy,
            "trials": [[trial.size, trial.steps, float(f"{trial.loss:.3g}")] for trial in self.trials],
        }


def fit_hidden_size(
    traces: TraceSet,
    bounds: tuple[int, int],
    device: Literal["cpu", "cuda"] = "cpu",
    tell: Tell = lambda text: None,
    *,
    share: bool = True,
) -> Fit:
    """Search for the smallest size that fits.

    bounds: of the fewest states that explain the traces
    share:  states may share dimensions; else no size below the upper bound is tried
    """
    lower, start = bounds
    # Where the bounds are far apart, the upper one is roomy enough.
    roomy = start if 2 * start > 3 * lower else start + max(1, start // 2)
    tell(f"seeking the smallest hidden size that fits, from {start} on, by short trainings …")
    trainings = _Trainings(traces, device, tell)
    steps = next((steps for steps in STEPS if trainings.loss(roomy, steps) <= DOWN), None)
    if steps is None:
        return Fit(start, start, roomy, tuple(trainings.made.values()))
    floor = max(NOTHING / traces.tokens, trainings.loss(roomy, steps))

    def fits(size: int) -> bool:
        loss = trainings.loss(size, steps)
        if NEAR * floor < loss <= OPEN * floor:
            loss = trainings.loss(size, 2 * steps)
        return loss <= NEAR * floor

    too_small, found = (0 if share else start - 1), roomy
    ahead, stride = start, 1
    while found - too_small > 1:
        if fits(ahead):
            found = ahead
            ahead, stride = max(too_small + 1, found - stride), 2 * stride
        else:
            too_small = ahead
            ahead = (too_small + found) // 2
    return Fit(found, start, roomy, tuple(trainings.made.values()))


def grow_hidden_size(
    traces: TraceSet,
    least: int,
    device: Literal["cpu", "cuda"] = "cpu",
    tell: Tell = lambda text: None,
) -> Fit:
    """Double the size, from `least` on, as long as that at least halves the loss: where nobody has counted
    states."""
    trainings = _Trainings(traces, device, tell, GROWING)
    size = max(SMALLEST, least)
    while size < LARGEST and trainings.loss(size, STEPS[0]) > DOWN:
        if trainings.loss(2 * size, STEPS[0]) > trainings.loss(size, STEPS[0]) / 2:
            break
        size *= 2
    return Fit(size, least, 0, tuple(trainings.made.values()))


@dataclass
class _Trainings:
    """Short trainings, each made once."""

    traces: TraceSet
    device: Literal["cpu", "cuda"]
    tell: Tell
    recipe: Recipe = RECIPE
    made: dict[tuple[int, int], Trial] = field(default_factory=dict)

    def loss(self, size: int, steps: int) -> float:
        if (size, steps) not in self.made:
            self.made[size, steps] = self._trial(size, steps)
        return self.made[size, steps].loss

    def _trial(self, size: int, steps: int) -> Trial:
        recipe = self.recipe.with_overrides(steps=steps)
        shape = Shape(len(self.traces.alphabet), len(self.traces.motions), size)
        state = initial_state(shape, range(SEEDS), recipe.dtype)
        engine = make_engine(self.device, shape, self.traces, recipe)
        _advanced(engine, state, steps - steps // 10)
        found = _advanced(engine, state, steps // 10)
        loss = float(np.sort(np.where(np.isfinite(found), found, np.inf))[MOST - 1])
        self.tell(f"hidden size {size}: loss {loss:.1e} after {counted(steps, 'step')}")
        return Trial(size, steps, loss)


def _advanced(engine: Engine, state: TrainingState, count: int) -> NDArray[np.float64]:
    """The mean losses of so many steps, taken in parts, so that Ctrl-C need not wait for all of them."""
    state.total[:] = 0
    some, end = 16, state.iteration + count
    while state.iteration < end:
        began = time.monotonic()
        engine.advance(state, min(some, end - state.iteration))
        some = adapted(some, time.monotonic() - began)
    return np.where(state.alive, state.total / count, np.nan)
