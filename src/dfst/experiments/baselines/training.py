"""One training loop for every network: the DFST's traces, loss, batches and number of steps.

Adam, batches in the very order in which the DFST sees them, the gradient clipped to norm 1, the learning rate
falling along a cosine to zero from the best of RATES in a short pilot, which counts as training time. Nothing
is kept on the way: a training that is broken off begins anew.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dfst.experiments.baselines.assignment import Assignment, Trained
from dfst.experiments.baselines.network import (
    Actions,
    Network,
    NetworkReader,
    Padded,
    action_loss,
    full_precision,
    nearest_width,
    padded,
)
from dfst.experiments.baselines.reading import ReadingUnit
from dfst.machines.agent import MISSING
from dfst.train.order import batch

RATES = (0.01, 0.003, 0.001)
PILOT = 0.05
"""Part of the steps that each rate gets in the pilot."""
CLIP = 1.0
MEASURED_AT_ONCE = 256
TOLD_EVERY = 50
"""Iterations between two reports of progress."""


class Training:
    """A network on its way, from fresh parameters of a seed."""

    def __init__(self, network: Network, data: Padded, seed: int, batch: int, rate: float) -> None:
        self.network, self.data, self.seed, self.batch, self.rate = network, data, seed, batch, rate
        self.optimiser = torch.optim.Adam(network.parameters(), lr=rate)

    def train(self, steps: int, tell: Callable[[int, int, float], None] | None = None) -> float:
        """Take so many steps; the mean loss over the last quarter of them, infinite if it diverged."""
        losses: list[torch.Tensor] = []
        for iteration in range(steps):
            loss = self.step(iteration, iteration / steps)
            if iteration >= steps - max(1, steps // 4):
                losses.append(loss)
            if tell and (iteration + 1) % TOLD_EVERY == 0:
                tell(iteration + 1, steps, float(loss))
        tail = torch.stack(losses).mean()
        return float(tail) if torch.isfinite(tail) else math.inf

    def step(self, iteration: int, spent: float) -> torch.Tensor:
        """One step of Adam; the loss. A step whose gradient is not finite changes nothing."""
        self.optimiser.param_groups[0]["lr"] = 0.5 * self.rate * (1 + math.cos(math.pi * spent))
        self.optimiser.zero_grad()
        with full_precision():
            loss = self._loss(batch(self.seed, iteration, len(self.data.lengths), self.batch))
            loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        if torch.isfinite(norm):
            self.optimiser.step()
        return loss.detach()

    def _loss(self, chosen: NDArray[np.int64]) -> torch.Tensor:
        x, s, m, lengths = self.data.batch(chosen)
        return action_loss(self.network(x)[0], s, m, lengths, self.network.actions.symbols)

    @torch.no_grad()
    def whole_loss(self) -> float:
        """The loss over all traces."""
        n = len(self.data.lengths)
        pieces = [np.arange(i, min(i + MEASURED_AT_ONCE, n)) for i in range(0, n, MEASURED_AT_ONCE)]
        with full_precision():
            return sum(float(self._loss(piece)) * len(piece) for piece in pieces) / n


def train_network(assignment: Assignment, kind: type[Network]) -> Trained:
    """Choose a width and a rate, train from the seed, and hand back a subject."""
    traces = assignment.traces
    recipe = assignment.plan.recipe.for_size(assignment.plan.shape(traces).d)
    read = int(np.flatnonzero((assignment.agent.next != MISSING).any(axis=0)).max()) + 1
    actions = Actions(len(traces.alphabet), traces.motions, unread=len(traces.alphabet) - read)
    width = nearest_width(kind, actions, assignment.parameters)
    data = padded(traces, assignment.device)

    def begin(rate: float) -> Training:
        torch.manual_seed(assignment.seed)
        network = kind(actions, width).to(assignment.device)
        return Training(network, data, assignment.seed, recipe.batch_size, rate)

    began = time.monotonic()
    pilot = max(1, round(recipe.steps * PILOT))
    training = begin(min(RATES, key=lambda rate: begin(rate).train(pilot)))
    training.train(recipe.steps, assignment.tell)
    reader = NetworkReader(training.network.eval())
    return Trained(
        subject=ReadingUnit(reader, assignment.agent, kind.__name__),
        samples=len(traces),
        parameters=training.network.parameter_count,
        iterations=recipe.steps,
        seconds=time.monotonic() - began,
        loss=training.whole_loss(),
        settings={
            "width": width, "rate": training.rate, "batch": recipe.batch_size, "clip": CLIP,
            **({"context": kind.context} if kind.context else {}),
        },
        hidden=reader.hidden_states(),
    )  # fmt: skip
