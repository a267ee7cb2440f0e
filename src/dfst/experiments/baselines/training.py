"""One training loop for every network: the DFST's traces, loss, batches and number of steps.

Adam on the paper's loss, batches in the very order in which the DFST sees them, the gradient clipped to norm
1, the learning rate falling along a cosine to zero over the budget (steps or seconds, whichever is spent
first). Each network has about as many parameters as the task's DFST. Its learning rate is the best of RATES
in a short pilot from the same start, which counts as training time.

A checkpoint is one safetensors file: tensors `network.*`, `first.*` and `second.*` (Adam's moments) by
parameter name; the rest is JSON in the metadata.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dfst.errors import InputError
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
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors
from dfst.machines.agent import MISSING
from dfst.train.interrupts import interrupts_held
from dfst.train.order import batch

RATES = (0.01, 0.003, 0.001)
PILOT = 0.05
"""Part of the budget that each rate gets in the pilot."""
CLIP = 1.0
MEASURED_AT_ONCE = 256
FORMAT = TensorFormat("dfst-learner/2", "checkpoint", (), ("state",), "remove it to start anew")
MOMENTS = {"first": "exp_avg", "second": "exp_avg_sq"}
"""Our names of Adam's moments, and torch's."""
CHECKPOINT = "checkpoint.safetensors"
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


@dataclass
class Spent:
    """Where a training stands."""

    rate: float
    iteration: int = 0
    seconds: float = 0.0
    """Wall time, the pilot's included"""
    pilot_seconds: float = 0.0


class Training:
    """A network on its way, from fresh parameters of a seed."""

    def __init__(self, network: Network, data: Padded, seed: int, batch: int, rate: float) -> None:
        self.network, self.data, self.seed, self.batch, self.spent = network, data, seed, batch, Spent(rate)
        self.optimiser = torch.optim.Adam(network.parameters(), lr=rate)

    def step(self, iteration: int, spent: float) -> torch.Tensor:
        """One step of Adam; the loss. A step whose gradient is not finite changes nothing."""
        self.optimiser.param_groups[0]["lr"] = 0.5 * self.spent.rate * (1 + math.cos(math.pi * spent))
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

    def train(self, budget: Budget, assignment: Assignment) -> None:
        """Take steps until the budget is spent. Saved now and then, at the end, and when interrupted."""
        file, spent = assignment.folder / CHECKPOINT, self.spent
        began = time.monotonic() - spent.seconds
        saved = time.monotonic()
        try:
            while (part := budget.spent(spent.iteration, spent.seconds)) < 1:
                with interrupts_held():
                    loss = self.step(spent.iteration, part)
                    spent.iteration += 1
                    spent.seconds = time.monotonic() - began
                if assignment.progress and spent.iteration % TOLD_EVERY == 0:
                    assignment.progress(spent.iteration, budget.iterations, float(loss))
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self.save(file)
                    saved = time.monotonic()
        finally:
            self.save(file)

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

    def save(self, file: Path) -> None:
        tensors, steps = {}, 0.0
        for name, parameter in self.network.named_parameters():
            tensors[f"network.{name}"] = parameter.detach()
            held = self.optimiser.state[parameter]
            steps = float(held.get("step", 0.0))
            for ours, theirs in MOMENTS.items():
                tensors[f"{ours}.{name}"] = held.get(theirs, torch.zeros_like(parameter))
        state = json.dumps({"spent": asdict(self.spent), "adam_steps": steps})
        write_tensors(file, FORMAT, {name: t.cpu().numpy() for name, t in tensors.items()}, {"state": state})

    def restore(self, file: Path) -> bool:
        """Continue from a checkpoint; whether there is one."""
        if not file.exists():
            return False
        arrays, metadata = read_tensors(file, FORMAT)
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        try:
            state = json.loads(metadata["state"])
            steps = torch.tensor(state["adam_steps"])
            with torch.no_grad():
                for name, parameter in self.network.named_parameters():
                    parameter.copy_(tensors[f"network.{name}"])
                    moments = {t: tensors[f"{o}.{name}"].to(parameter.device) for o, t in MOMENTS.items()}
                    self.optimiser.state[parameter] = {"step": steps.clone(), **moments}
            self.spent = Spent(**state["spent"])
        except (ValueError, KeyError, TypeError, RuntimeError) as error:
            raise InputError(f"{file} is not a checkpoint ({error}); remove it to start anew") from error
        return True


def train_network(assignment: Assignment, kind: type[Network]) -> Trained:
    """Choose a width and a rate, train from the seed, and hand back a subject."""
    traces = assignment.traces
    recipe = assignment.plan.recipe.for_size(assignment.plan.shape(traces).d)
    read = int(np.flatnonzero((assignment.agent.next != MISSING).any(axis=0)).max()) + 1
    actions = Actions(len(traces.alphabet), traces.motions, unread=len(traces.alphabet) - read)
    width = nearest_width(kind, actions, assignment.parameters)
    data = padded(traces, assignment.device)
    budget = Budget(recipe.steps, assignment.seconds or math.inf)

    def begin(rate: float) -> Training:
        torch.manual_seed(assignment.seed)
        network = kind(actions, width).to(assignment.device)
        return Training(network, data, assignment.seed, recipe.batch_size, rate)

    training = begin(RATES[0])
    if not training.restore(assignment.folder / CHECKPOINT):
        # What compiles or starts up on first use must not shorten the first pilot.
        begin(RATES[0]).pilot(Budget(2))
        began = time.monotonic()
        losses = {rate: begin(rate).pilot(budget.part(PILOT)) for rate in RATES}
        training = begin(min(losses, key=lambda rate: losses[rate]))
        training.spent.pilot_seconds = training.spent.seconds = time.monotonic() - began
    # The pilot has spent its share of the wall time; iterations are those of the real training.
    seconds = training.spent.pilot_seconds + budget.seconds * (1 - PILOT * len(RATES))
    training.train(Budget(budget.iterations, seconds), assignment)
    reader = NetworkReader(training.network.eval())
    return Trained(
        subject=ReadingUnit(reader, assignment.agent, kind.__name__),
        samples=len(traces),
        parameters=training.network.parameter_count,
        iterations=training.spent.iteration,
        seconds=training.spent.seconds,
        loss=training.whole_loss(),
        settings={
            "width": width, "rate": training.spent.rate, "batch": recipe.batch_size, "clip": CLIP,
            **({"context": kind.context} if kind.context else {}),
        },
        hidden=reader.hidden_states(),
    )  # fmt: skip
