"""One training for every network: the DFST's traces, loss, batches and schedule.

Adam on the paper's loss, batches of 32 in the very order in which the DFST sees them, the gradient clipped to
norm 1, the rate falling along a cosine to zero over the budget (iterations or wall time, whichever is spent
first). Each network has about as many parameters as the task's DFST. Its learning rate is the best of RATES
in a short pilot from the same start, which counts as training time.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dfst.agents.agent import MISSING
from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.network import (
    Actions,
    Network,
    NetworkReader,
    Padded,
    action_loss,
    full_precision,
    nearest_width,
    padded,
)
from dfst.experiments.rivals.reading import ReadingUnit
from dfst.experiments.rivals.trainer import CHECKPOINT, Budget, Spent, Trainer
from dfst.learning.order import batch

RATES = (0.01, 0.003, 0.001)
PILOT = 0.05
"""Part of the budget that each rate gets in the pilot."""
CLIP = 1.0
MEASURED_AT_ONCE = 256


class NetworkTrainer(Trainer):
    """A network on its way, from fresh parameters of a seed."""

    network: Network

    def __init__(self, network: Network, data: Padded, seed: int, batch: int, rate: float) -> None:
        self.network, self.data, self.seed, self.batch, self.rate = network, data, seed, batch, rate
        self.optimiser = torch.optim.Adam(network.parameters(), lr=rate)
        self.pilot_seconds = 0.0

    def notes(self) -> dict[str, Any]:
        return {"rate": self.rate, "pilot_seconds": self.pilot_seconds}

    def take_up(self, notes: dict[str, Any]) -> None:
        self.rate, self.pilot_seconds = notes["rate"], notes["pilot_seconds"]

    def step(self, iteration: int, spent: float) -> torch.Tensor:
        """One step of Adam; a step whose gradient is not finite changes nothing."""
        self.optimiser.param_groups[0]["lr"] = 0.5 * self.rate * (1 + math.cos(math.pi * spent))
        self.optimiser.zero_grad()
        with full_precision():
            loss = self._loss(batch(self.seed, iteration, len(self.data.lengths), self.batch))
            loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        if torch.isfinite(norm):
            self.optimiser.step()
        return loss.detach()

    def pilot(self, budget: Budget) -> float:
        """The mean loss over the last quarter of a short training; infinite if it diverged."""
        losses: list[torch.Tensor] = []
        began = time.monotonic()
        while (spent := budget.spent(len(losses), time.monotonic() - began)) < 1:
            losses.append(self.step(len(losses), spent))
        tail = torch.stack(losses[-max(1, len(losses) // 4) :]).mean()
        return float(tail) if torch.isfinite(tail) else math.inf

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
    traces, recipe = assignment.plan.traces(), assignment.plan.recipe
    read = int(np.flatnonzero((assignment.agent.next != MISSING).any(axis=0)).max()) + 1
    actions = Actions(len(traces.alphabet), traces.motions, unread=len(traces.alphabet) - read)
    parameters = assignment.parameters or assignment.plan.shape(traces).size
    width = nearest_width(kind, actions, parameters)
    data = padded(traces, assignment.device)
    budget = Budget(assignment.iterations or recipe.iterations, assignment.seconds or math.inf)

    def begin(rate: float) -> NetworkTrainer:
        torch.manual_seed(assignment.seed)
        network = kind(actions, width).to(assignment.device)
        return NetworkTrainer(network, data, assignment.seed, recipe.batch, rate)

    training = begin(RATES[0])
    spent = training.restore(assignment.folder / CHECKPOINT)
    if spent is None:
        # What compiles or starts up on first use must not shorten the first pilot.
        begin(RATES[0]).pilot(Budget(2))
        began = time.monotonic()
        losses = {rate: begin(rate).pilot(budget.part(PILOT)) for rate in RATES}
        training = begin(min(losses, key=lambda rate: losses[rate]))
        training.pilot_seconds = time.monotonic() - began
        spent = Spent(0, training.pilot_seconds)
    # The pilot has spent its share of the wall time; iterations are those of the real training.
    main = Budget(budget.iterations, training.pilot_seconds + budget.seconds * (1 - PILOT * len(RATES)))
    done = training.train(main, spent, assignment)
    network = training.network
    return Trained(
        subject=ReadingUnit(NetworkReader(network.eval()), assignment.agent, kind.__name__),
        samples=len(traces),
        parameters=network.parameter_count,
        iterations=done.iteration,
        seconds=done.seconds,
        loss=training.whole_loss(),
        settings={
            "width": width, "rate": training.rate, "batch": recipe.batch, "clip": CLIP,
            **({"context": kind.context} if kind.context else {}),
        },
    )  # fmt: skip
