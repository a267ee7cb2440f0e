"""The training loop: advance the engine from one logging point to the next, and lose nothing on the way.

Logging points lie at fixed iterations, so what is done there (falling back from a divergence, metrics) is
the same in a run that was interrupted. Checkpoints are written by the clock. Engines guarantee that a run
cut anywhere and resumed continues bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dfst.errors import OutOfTime
from dfst.learning.interrupts import interrupts_held
from dfst.learning.progress import Progress, progress_from_json
from dfst.learning.recipe import Recipe
from dfst.learning.runfolder import RunFolder
from dfst.learning.state import TrainingState

LOG_POINTS = 200
"""Logging points in a run, evenly spaced."""
RLG_GROWTH = 1.25
"""RLG is measured at iterations that grow by this factor, from the first logging point on."""
CHECKPOINT_SECONDS = 20.0
CHUNK_SECONDS = 0.5
"""Time between two looks at the keyboard and the clock."""


class Engine(Protocol):
    """Does the arithmetic: advances a state in place by some iterations."""

    @property
    def device(self) -> object:
        """Where; printed it is cpu or cuda."""

    def advance(self, state: TrainingState, count: int) -> NDArray[Any]:
        """Mean loss of each seed over these iterations, (s,)."""

    def sync(self, state: TrainingState) -> None:
        """Bring the arrays of `state` up to date, if the engine keeps them elsewhere."""


Measure = Callable[[NDArray[Any]], list[int]]
"""Parameters (s, P) → RLG of each seed."""


def train(
    state: TrainingState,
    engine: Engine,
    recipe: Recipe,
    folder: RunFolder,
    tell: Callable[[Progress], None] = lambda progress: None,
    measure: Measure | None = None,
    seconds: float = inf,
) -> list[Progress]:
    """Train in place to the end of the recipe; the curve, with what earlier parts of the run have logged.

    On Ctrl-C the state is saved and the interrupt goes to the caller; after `seconds`, OutOfTime does.
    """
    spacing = max(1, recipe.iterations // LOG_POINTS)
    curve = logged(folder, recipe, state.iteration)
    before = curve[-1].seconds if curve else 0.0
    monitor = Monitor(measure, spacing, state.iteration)
    began = saved = time.monotonic()
    chunk, known_dead = min(spacing, 16), set(state.seeds[~state.alive].tolist())
    total, counted = np.zeros(len(state.seeds)), 0
    try:
        while state.iteration < recipe.iterations and state.alive.any():
            # An interrupt waits for the end of the round, or it might pass over a logging point.
            with interrupts_held():
                target = min((state.iteration // spacing + 1) * spacing, recipe.iterations)
                count = min(chunk, target - state.iteration)
                started = time.monotonic()
                total += count * engine.advance(state, count)
                counted += count
                chunk = _adapted(chunk, time.monotonic() - started)
                if state.iteration == target:
                    engine.sync(state)
                    _fall_back(state)
                    monitor.offer(state)
                    dead = set(state.seeds[~state.alive].tolist())
                    progress = Progress(
                        iteration=state.iteration,
                        iterations=recipe.iterations,
                        rate=float(recipe.rates(state.iteration - 1, 1)[0]),
                        losses=np.where(state.alive, total / counted, np.nan),
                        seconds=before + time.monotonic() - began,
                        rlg=monitor.newest,
                        rlg_iteration=monitor.iteration,
                        diverged=sorted(dead - known_dead),
                        device=str(engine.device),
                    )
                    known_dead = dead
                    total, counted = np.zeros(len(state.seeds)), 0
                    curve.append(progress)
                    folder.append_metrics(progress.as_json())
                    tell(progress)
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    engine.sync(state)
                    folder.write_checkpoint(state)
                    saved = time.monotonic()
            if time.monotonic() - began > seconds:
                raise OutOfTime(time.monotonic() - began, state.iteration, recipe.iterations)
    except (KeyboardInterrupt, OutOfTime):
        with interrupts_held():
            engine.sync(state)
            folder.write_checkpoint(state)
        raise
    finally:
        monitor.close()
    engine.sync(state)
    _fall_back(state)
    folder.write_checkpoint(state)
    return curve


def logged(folder: RunFolder, recipe: Recipe, iteration: int) -> list[Progress]:
    """The logging points up to an iteration; later ones, which will be made again, are forgotten."""
    return [progress_from_json(line, recipe.iterations) for line in folder.drop_metrics_after(iteration)]


def _fall_back(state: TrainingState) -> None:
    """Keep the parameters of the seeds that are well; give those that diverged their last good ones back."""
    state.good[state.alive] = state.theta[state.alive]
    state.theta[~state.alive] = state.good[~state.alive]


def _adapted(chunk: int, seconds: float) -> int:
    """Iterations to do before the next look at the clock."""
    wanted = chunk * CHUNK_SECONDS / max(seconds, 1e-4)
    return max(1, min(2 * chunk, int(wanted)))


class Monitor:
    """Measures RLG beside the training, on a copy of the parameters, at a growing spacing.

    A measurement that is still under way when the next is due lets that one go: training never waits.
    """

    def __init__(self, measure: Measure | None, spacing: int, iteration: int) -> None:
        self.newest: list[int] | None = None
        self.iteration = 0
        self._measure = measure
        self._due = max(spacing, int(iteration * RLG_GROWTH))
        self._pool = ThreadPoolExecutor(1) if measure else None
        self._pending: Future[list[int]] | None = None
        self._pending_iteration = 0

    def offer(self, state: TrainingState) -> None:
        """Collect a finished measurement, and begin the next one if it is due."""
        if self._pending and self._pending.done():
            self.newest, self.iteration = self._pending.result(), self._pending_iteration
            self._pending = None
        if self._pool and self._measure and self._pending is None and state.iteration >= self._due:
            self._pending = self._pool.submit(self._measure, state.theta.copy())
            self._pending_iteration = state.iteration
            self._due = int(state.iteration * RLG_GROWTH) + 1

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)
