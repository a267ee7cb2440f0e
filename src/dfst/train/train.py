"""The training loop: advance the engine from one logging point to the next, and lose nothing on the way.

Logging points lie at fixed iterations, so what is done there (falling back from a divergence, metrics) is
the same in a run that was interrupted. Checkpoints are written by the clock. Engines guarantee that a run
cut anywhere and resumed continues bit for bit.
"""

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from math import ceil, inf
from threading import Event
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dfst.errors import OutOfTime
from dfst.train.interrupts import interrupts_held
from dfst.train.progress import POINT, Progress, progress_from_json
from dfst.train.recipe import Recipe
from dfst.train.runfolder import RunFolder
from dfst.train.state import TrainingState

RECOVERY = 1.1
"""What the learning rate of a seed that diverged is multiplied by at every logging point, up to its own."""
LOG_POINTS = 200  # logging points in a run, evenly spaced
RLG_GROWTH = 1.25  # RLG is measured at iterations that grow by this factor, from the first logging point on
CHECKPOINT_SECONDS = 20.0
CHUNK_SECONDS = 0.5  # time between two looks at the keyboard and the clock


class Engine(Protocol):
    """Does the arithmetic: advances a state in place by some iterations."""

    device: str  # where, cpu or cuda

    def advance(self, state: TrainingState, count: int) -> NDArray[Any]:
        """Mean loss of each seed over these iterations, (s,)."""

    def sync(self, state: TrainingState) -> None:
        """Bring the arrays of `state` up to date, if the engine keeps them elsewhere."""

    def load(self, state: TrainingState) -> None:
        """Take over what the training loop changed in the arrays of `state`."""


Look = Callable[[], NDArray[np.int64]]
"""Learnt states of each seed that are no more than they need be, (s,); 0 where there are none."""
Measure = Callable[[NDArray[Any]], Iterable[int]]  # parameters (s, P) → RLG of each seed, one by one


def train(
    state: TrainingState,
    engine: Engine,
    recipe: Recipe,
    folder: RunFolder,
    tell: Callable[[Progress], None] = lambda progress: None,
    measure: Measure | None = None,
    seconds: float = inf,
    look: Look | None = None,
) -> list[Progress]:
    """Train in place to the end of the recipe, or until all seeds agree on what they have learnt; the curve,
    with what earlier parts of the run have logged.

    On a signal the state is saved and the interrupt goes to the caller; after `seconds`, OutOfTime does.
    """
    recipe = recipe.for_size(state.shape.d)
    spacing = max(1, recipe.steps // LOG_POINTS)
    looks = recipe.looks if look else []
    points = sorted({*range(spacing, recipe.steps, spacing), *looks, recipe.steps})
    looked = 0
    going = bool(state.alive.any())
    curve = logged(folder, recipe, state.iteration)
    before = curve[-1].seconds if curve else 0.0
    monitor = Monitor(measure, spacing, curve[-1] if curve else None)
    began = saved = time.monotonic()
    written = -1  # the step of the newest checkpoint of this call
    chunk = min(spacing, 16)
    state.device = ", ".join(dict.fromkeys(filter(None, [*state.device.split(", "), engine.device])))
    try:
        while state.iteration < recipe.steps and going:
            if look and looked < state.iteration in looks:
                looked, number = state.iteration, looks.index(state.iteration)
                state.looks[:, number] = look()
                if state.agree(number):
                    break
            passed = bisect_right(points, state.iteration)
            target = points[passed]
            count = min(chunk, target - state.iteration)
            if state.iteration + count == target:
                monitor.wait(target, last=target == recipe.steps)
            # An interrupt waits for the end of the round, or it might pass over a logging point.
            with interrupts_held():
                started = time.monotonic()
                engine.advance(state, count)
                chunk = adapted(chunk, time.monotonic() - started)
                if state.iteration == target:
                    engine.sync(state)
                    counted = target - (points[passed - 1] if passed else 0)
                    state.losses[:] = np.where(state.alive, state.total / counted, np.nan)
                    recovering = bool((state.slowdown < 1).any())
                    diverged = fall_back(state, recipe.retries)
                    going = bool(state.alive.any())
                    if diverged or recovering:
                        engine.load(state)
                    monitor.offer(state, last=state.iteration == recipe.steps)
                    rate = float(recipe.levels(target - 1, 1).rates[0])
                    progress = Progress(
                        target, recipe.steps, rate, state.losses.copy(), before + time.monotonic() - began,
                        monitor.newest, monitor.iteration, diverged, engine.device,
                    )  # fmt: skip
                    curve.append(progress)
                    folder.append_metrics(progress.as_json())
                    tell(progress)
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    engine.sync(state)
                    folder.write_checkpoint(state)
                    saved, written = time.monotonic(), state.iteration
            if time.monotonic() - began > seconds:
                raise OutOfTime(time.monotonic() - began, state.iteration, recipe.steps)
    except (KeyboardInterrupt, SystemExit, OutOfTime):  # Ray makes an exit of SIGTERM
        if written != state.iteration:
            with interrupts_held():
                engine.sync(state)
                folder.write_checkpoint(state)
        raise
    finally:
        monitor.close()
    engine.sync(state)
    folder.write_checkpoint(state)
    return curve


def logged(folder: RunFolder, recipe: Recipe, iteration: int) -> list[Progress]:
    """The logging points up to an iteration; later ones, which will be made again, are forgotten."""
    lines = folder.drop_metrics_after(iteration, POINT)
    return [progress_from_json(line, recipe.steps) for line in lines if len(line["loss"]) == recipe.seeds]


def fall_back(state: TrainingState, retries: int) -> list[int]:
    """Seeds that diverged since the last logging point. They go on from there, at half the learning rate.

    While all goes well the learning rate rises again. A seed that falls back so often that it never does
    stops, with its last good parameters.
    """
    parts = np.stack([state.theta, state.first, state.second], axis=1)
    good, least = state.alive, 0.5**retries
    fallen = ~good & (state.slowdown >= least)
    state.good[good] = parts[good]
    state.slowdown[good] = np.minimum(RECOVERY * state.slowdown[good], 1)
    state.theta[fallen], state.first[fallen], state.second[fallen] = state.good[fallen].swapaxes(0, 1)
    state.slowdown[fallen] /= 2
    state.alive[fallen] = state.slowdown[fallen] >= least
    state.total[:] = 0
    return sorted(state.seeds[fallen].tolist())


def adapted(chunk: int, seconds: float) -> int:
    """Iterations to do before the next look at the clock."""
    wanted = chunk * CHUNK_SECONDS / max(seconds, 1e-4)
    return max(1, min(2 * chunk, int(wanted)))


class Monitor:
    """Measures RLG beside the training, on a copy of the parameters, at a growing spacing.

    What was found is told where the next measurement is due, or at the end, so that it does not depend on the
    clock; by then it is mostly long there. Where there are many seeds it may not be: an interrupt ends the
    wait, and the measurement after the seed that it is at.
    """

    def __init__(self, measure: Measure | None, spacing: int, before: Progress | None) -> None:
        self.newest = before.rlg if before else None
        self.iteration = before.rlg_iteration if before else 0
        self._measure, self._spacing, self._pool = measure, spacing, ThreadPoolExecutor(1)
        self._pending: tuple[Future[list[int]], int] | None = None
        self._over = Event()

    def wait(self, iteration: int, last: bool) -> None:
        """Where a measurement is due, wait for the one before it: interrupts are not held here."""
        if self._pending and (last or self._is_due(iteration)):
            self._pending[0].result()

    def offer(self, state: TrainingState, last: bool) -> None:
        """Where a measurement is due, collect the one before it and begin it; at the end only collect."""
        if not self._measure or not (last or self._is_due(state.iteration)):
            return
        if self._pending:
            self.newest, self.iteration = self._pending[0].result(), self._pending[1]
        if not last:
            self._pending = self._pool.submit(self._every, self._measure, state.theta.copy()), state.iteration

    def _every(self, measure: Measure, theta: NDArray[Any]) -> list[int]:
        """RLG of each seed, or of the first ones where nobody waits for the others any more."""
        found = []
        for rlg in measure(theta):
            found.append(rlg)
            if self._over.is_set():
                break
        return found

    def _is_due(self, iteration: int) -> bool:
        due = self._spacing
        while due < iteration:
            due = ceil(due * RLG_GROWTH / self._spacing) * self._spacing
        return due == iteration

    def close(self) -> None:
        self._over.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
