"""Training under a clock: step after step until a budget is spent, with checkpoints on the way.

A checkpoint is one safetensors file: tensors `network.*`, `first.*` and `second.*` (Adam's moments) by
parameter name; the rest is JSON in the metadata.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from dfst.errors import InputError
from dfst.experiments.rivals.assignment import Assignment
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors
from dfst.learning.interrupts import interrupts_held

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


@dataclass(frozen=True)
class Spent:
    """Where a training stands."""

    iteration: int = 0
    seconds: float = 0.0
    """Wall time of all its parts"""


class Trainer:
    """A network on its way, with everything a checkpoint must hold."""

    network: nn.Module
    optimiser: torch.optim.Adam

    def step(self, iteration: int, spent: float) -> Tensor:
        """One step; the loss. spent: the part of the budget that is gone"""
        raise NotImplementedError

    def notes(self) -> dict[str, Any]:
        """What else a training must know to go on, for JSON."""
        raise NotImplementedError

    def take_up(self, notes: dict[str, Any]) -> None:
        """Go on with what another trainer noted."""
        raise NotImplementedError

    def train(self, budget: Budget, begun: Spent, assignment: Assignment) -> Spent:
        """Take steps until the budget is spent; what was spent in the end.

        Saved now and then, at the end, and when interrupted; never within a step.
        """
        file = assignment.folder / CHECKPOINT
        iteration, began = begun.iteration, time.monotonic() - begun.seconds
        saved = time.monotonic()

        def now() -> Spent:
            return Spent(iteration, time.monotonic() - began)

        try:
            while (spent := budget.spent(iteration, now().seconds)) < 1:
                with interrupts_held():
                    loss = self.step(iteration, spent)
                    iteration += 1
                if assignment.progress and iteration % TOLD_EVERY == 0:
                    assignment.progress(iteration, budget.iterations, float(loss))
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self.save(file, now())
                    saved = time.monotonic()
        except KeyboardInterrupt:
            self.save(file, now())
            raise
        done = now()
        self.save(file, done)
        return done

    def save(self, file: Path, spent: Spent) -> None:
        tensors, steps = {}, 0.0
        for name, parameter in self.network.named_parameters():
            tensors[f"network.{name}"] = parameter.detach()
            held = self.optimiser.state[parameter]
            steps = float(held.get("step", 0.0))
            for ours, theirs in MOMENTS.items():
                tensors[f"{ours}.{name}"] = held.get(theirs, torch.zeros_like(parameter))
        state = json.dumps({**self.notes(), "spent": vars(spent), "adam_steps": steps})
        write_tensors(file, FORMAT, {name: t.cpu().numpy() for name, t in tensors.items()}, {"state": state})

    def restore(self, file: Path) -> Spent | None:
        """Go on from a checkpoint; where the training stands, or None where there is no file yet."""
        if not file.exists():
            return None
        arrays, metadata = read_tensors(file, FORMAT)
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        try:
            state: dict[str, Any] = json.loads(metadata["state"])
            steps = torch.tensor(state.pop("adam_steps"))
            with torch.no_grad():
                for name, parameter in self.network.named_parameters():
                    parameter.copy_(tensors[f"network.{name}"])
                    moments = {t: tensors[f"{o}.{name}"].to(parameter.device) for o, t in MOMENTS.items()}
                    self.optimiser.state[parameter] = {"step": steps.clone(), **moments}
            spent = Spent(**state.pop("spent"))
            self.take_up(state)
            return spent
        except (ValueError, KeyError, RuntimeError) as error:
            raise InputError(f"{file} is not a checkpoint ({error}); remove it to start anew") from error
