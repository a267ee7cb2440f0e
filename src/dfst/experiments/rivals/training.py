"""One training loop for every network: the DFST's traces, loss, batches and schedule.

Adam on the paper's loss, batches of 32 in the very order in which the DFST sees them, the gradient clipped to
norm 1, the rate falling along a cosine to zero over the budget (iterations or wall time, whichever is spent
first). Each network has about as many parameters as the task's DFST. Its learning rate is the best of RATES
in a short pilot from the same start, which counts as training time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from dfst.experiments.rivals.network import (
    Actions,
    Build,
    Network,
    NetworkReader,
    Padded,
    action_loss,
    full_precision,
    nearest_width,
    padded,
)
from dfst.experiments.rivals.reading import ReadingUnit
from dfst.learning.interrupts import interrupts_held
from dfst.learning.order import batch

RATES = (0.01, 0.003, 0.001)
PILOT = 0.05
"""Part of the budget that each rate gets in the pilot."""
CLIP = 1.0
CHECKPOINT_SECONDS = 20.0
TOLD_EVERY = 50
"""Iterations between two reports of progress."""
MEASURED_AT_ONCE = 256


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


def train_network(
    assignment: Assignment, build: Build, width_step: int = 1, settings: Mapping[str, Any] | None = None
) -> Trained:
    """Choose a width and a rate, train from the seed, and hand back a subject."""
    traces = assignment.plan.traces()
    actions = Actions(len(traces.alphabet), traces.motions)
    width = nearest_width(build, actions, assignment.plan.shape(traces).size, width_step)
    data = padded(traces, assignment.device)
    recipe = assignment.plan.recipe
    budget = Budget(assignment.iterations or recipe.iterations, assignment.seconds or math.inf)
    pilot, share = budget.part(PILOT), 1 - PILOT * len(RATES)

    def begin() -> Network:
        torch.manual_seed(assignment.seed)
        return build(actions, width).to(assignment.device)

    trainer = Trainer(data, assignment.seed, recipe.batch, actions.symbols)
    checkpoint = read_checkpoint(_file(assignment))
    if checkpoint is None:
        # What compiles or starts up on first use must not shorten the first pilot.
        trainer.pilot(begin(), RATES[0], Budget(2))
        began = time.monotonic()
        losses = {rate: trainer.pilot(begin(), rate, pilot) for rate in RATES}
        checkpoint = Checkpoint(
            rate=min(losses, key=lambda rate: losses[rate]), seconds=time.monotonic() - began
        )
    network = begin()
    # The pilot has spent its share of the wall time; iterations are those of the real training.
    main = Budget(budget.iterations, checkpoint.pilot_seconds + budget.seconds * share)
    done = trainer.train(network, main, checkpoint, assignment)
    return Trained(
        subject=ReadingUnit(NetworkReader(network.eval()), assignment.agent, network.__class__.__name__),
        samples=len(traces),
        parameters=network.parameter_count,
        iterations=done.iteration,
        seconds=done.seconds,
        loss=trainer.whole_loss(network),
        settings={"width": width, "rate": done.rate, "batch": recipe.batch, "clip": CLIP, **(settings or {})},
    )


def _file(assignment: Assignment) -> Path:
    return assignment.folder / "checkpoint.safetensors"


@dataclass(frozen=True, eq=False)
class Trainer:
    """The traces and how they are drawn."""

    data: Padded
    seed: int
    batch: int
    symbols: int

    def pilot(self, network: Network, rate: float, budget: Budget) -> float:
        """The mean loss over the last quarter of a short training; infinite if it diverged."""
        losses = []
        optimiser = torch.optim.Adam(network.parameters(), lr=rate)
        began, iteration = time.monotonic(), 0
        while (spent := budget.spent(iteration, time.monotonic() - began)) < 1:
            losses.append(self.step(network, optimiser, rate, spent, iteration))
            iteration += 1
        tail = torch.stack(losses[-max(1, len(losses) // 4) :]).mean()
        return float(tail) if torch.isfinite(tail) else math.inf

    def train(
        self, network: Network, budget: Budget, checkpoint: Checkpoint, assignment: Assignment
    ) -> Checkpoint:
        """Train to the end of the budget, from a checkpoint on."""
        optimiser = torch.optim.Adam(network.parameters(), lr=checkpoint.rate)
        checkpoint.restore(network, optimiser)
        iteration, before = checkpoint.iteration, checkpoint.seconds
        began = saved = time.monotonic()

        def now() -> Checkpoint:
            return checkpoint.after(iteration, before + time.monotonic() - began, network, optimiser)

        try:
            while (spent := budget.spent(iteration, before + time.monotonic() - began)) < 1:
                with interrupts_held():
                    loss = self.step(network, optimiser, checkpoint.rate, spent, iteration)
                    iteration += 1
                if assignment.progress and iteration % TOLD_EVERY == 0:
                    assignment.progress(iteration, budget.iterations, float(loss))
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    write_checkpoint(now(), _file(assignment))
                    saved = time.monotonic()
        except KeyboardInterrupt:
            write_checkpoint(now(), _file(assignment))
            raise
        done = now()
        write_checkpoint(done, _file(assignment))
        return done

    def step(
        self, network: Network, optimiser: torch.optim.Adam, rate: float, spent: float, iteration: int
    ) -> torch.Tensor:
        """One step of Adam; a step whose gradient is not finite changes nothing."""
        optimiser.param_groups[0]["lr"] = 0.5 * rate * (1 + math.cos(math.pi * spent))
        optimiser.zero_grad()
        with full_precision():
            loss = self._loss(network, batch(self.seed, iteration, len(self.data.lengths), self.batch))
            loss.backward()
        norm = nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        if torch.isfinite(norm):
            optimiser.step()
        return loss.detach()

    def _loss(self, network: Network, chosen: np.ndarray[Any, np.dtype[np.int64]]) -> torch.Tensor:
        x, s, m, lengths = self.data.batch(chosen)
        return action_loss(network(x)[0], s, m, lengths, self.symbols)

    @torch.no_grad()
    def whole_loss(self, network: Network) -> float:
        """The loss over all traces."""
        n = len(self.data.lengths)
        pieces = [np.arange(i, min(i + MEASURED_AT_ONCE, n)) for i in range(0, n, MEASURED_AT_ONCE)]
        with full_precision():
            return sum(float(self._loss(network, piece)) * len(piece) for piece in pieces) / n
