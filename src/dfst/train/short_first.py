"""Short traces first: an engine that sees the long ones only in the second half of a training.

A product of thousands of matrices that have learnt nothing yet explodes or dies, and the gradient with it.
Where few traces are far longer than most, the others are learnt first, in a training of their own whose
learning rate falls to 0; then all of them, from there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.traces.traceset import TraceSet
from dfst.train.recipe import Recipe
from dfst.train.state import TrainingState
from dfst.train.train import Engine

SHORT = 3  # times the median length up to which a trace is short


def stages(traces: TraceSet, recipe: Recipe) -> int:
    """Two where the recipe has short traces come first."""
    longest = recipe.short_first * float(np.median(traces.lengths))
    return 2 if 0 < longest < traces.lengths.max() else recipe.stages


def short_first(make: Callable[[TraceSet], Engine], traces: TraceSet, recipe: Recipe) -> Engine:
    """The engine for all traces, or one that begins with the short ones where the recipe asks for it."""
    if stages(traces, recipe) != 2:
        return make(traces)
    short = traces.lengths <= SHORT * float(np.median(traces.lengths))
    return ShortFirst(make, traces.subset(np.flatnonzero(short).tolist()), traces, recipe.steps // 2)


class ShortFirst:
    """Which traces a step sees depends on its number alone, as all else does."""

    def __init__(
        self, make: Callable[[TraceSet], Engine], short: TraceSet, traces: TraceSet, until: int
    ) -> None:
        self._make, self._traces, self.until = make, traces, until
        self._engine, self._begins = make(short), True

    @property
    def device(self) -> object:
        return self._engine.device

    def advance(self, state: TrainingState, count: int) -> NDArray[Any]:
        """Mean loss over these iterations, or over those of them that saw all traces."""
        if self._begins and state.iteration < self.until:
            few = min(count, self.until - state.iteration)
            losses, count = self._engine.advance(state, few), count - few
            if count == 0:
                return losses
        if self._begins:
            self._engine.sync(state)
            self._engine, self._begins = self._make(self._traces), False
        return self._engine.advance(state, count)

    def sync(self, state: TrainingState) -> None:
        self._engine.sync(state)

    def load(self, state: TrainingState) -> None:
        self._engine.load(state)
