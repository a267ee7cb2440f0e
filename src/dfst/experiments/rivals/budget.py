"""Training under a clock: step after step until a budget is spent, with checkpoints on the way."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from dfst.experiments.rivals.assignment import Assignment
from dfst.learning.interrupts import interrupts_held

CHECKPOINT_SECONDS = 20.0
TOLD_EVERY = 50
"""Iterations between two reports of progress."""


@dataclass(frozen=True)
class Budget:
    """How long a training may go on."""

    iterations: int
    seconds: float = math.inf

    def spent(self, iteration: int, seconds: float) -> float:
        """The fraction that is spent; 1 or more ends the training."""
        return max(iteration / self.iterations, seconds / self.seconds)

    def part(self, fraction: float) -> Budget:
        return Budget(max(1, round(self.iterations * fraction)), self.seconds * fraction)


@dataclass(frozen=True)
class Spent:
    """Where a training stands."""

    iteration: int = 0
    seconds: float = 0.0
    """Wall time of all its parts"""


def train_within(
    budget: Budget,
    begun: Spent,
    step: Callable[[int, float], object],
    save: Callable[[Spent], None],
    assignment: Assignment,
) -> Spent:
    """Take steps until the budget is spent; what was spent in the end.

    step: takes the iteration's number and the part of the budget that is gone; gives the loss
    save: called now and then, at the end, and when interrupted; never within a step
    """
    iteration, began = begun.iteration, time.monotonic() - begun.seconds
    saved = time.monotonic()

    def now() -> Spent:
        return Spent(iteration, time.monotonic() - began)

    try:
        while (spent := budget.spent(iteration, now().seconds)) < 1:
            with interrupts_held():
                loss = step(iteration, spent)
                iteration += 1
            if assignment.progress and iteration % TOLD_EVERY == 0:
                assignment.progress(iteration, budget.iterations, float(loss))  # type: ignore[arg-type]
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                save(now())
                saved = time.monotonic()
    except KeyboardInterrupt:
        save(now())
        raise
    done = now()
    save(done)
    return done
