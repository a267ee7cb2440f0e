"""The state of a network's training as one safetensors file, so that a killed training goes on.

Tensors `network.*`, `first.*` and `second.*` (Adam's moments) by parameter name; the rest is metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from dfst.errors import InputError
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors

NUMBERS = ("rate", "seconds", "pilot_seconds", "iteration")
CHECKPOINT = TensorFormat("dfst-learner/1", "checkpoint", metadata=NUMBERS, advice="remove it to start anew")
MOMENTS = {"first": "exp_avg", "second": "exp_avg_sq"}
"""Our names of Adam's moments, and torch's."""


@dataclass(frozen=True)
class Checkpoint:
    """Where a training stands."""

    rate: float
    """The learning rate the pilot chose."""
    seconds: float = 0.0
    """Wall time spent, the pilot included."""
    iteration: int = 0
    pilot_seconds: float = -1.0
    tensors: Mapping[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pilot_seconds < 0:
            object.__setattr__(self, "pilot_seconds", self.seconds)

    def after(
        self, iteration: int, seconds: float, network: nn.Module, optimiser: torch.optim.Adam
    ) -> Checkpoint:
        """The checkpoint of a later moment."""
        tensors = {}
        for name, parameter in network.named_parameters():
            tensors[f"network.{name}"] = parameter.detach()
            for ours, theirs in MOMENTS.items():
                moment = optimiser.state[parameter].get(theirs, torch.zeros_like(parameter))
                tensors[f"{ours}.{name}"] = moment
        return replace(self, iteration=iteration, seconds=seconds, tensors=tensors)

    def restore(self, network: nn.Module, optimiser: torch.optim.Adam) -> None:
        """Give network and optimiser what they had; nothing at the very beginning."""
        if not self.tensors:
            return
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                parameter.copy_(self.tensors[f"network.{name}"])
                moments = {t: self.tensors[f"{o}.{name}"].to(parameter.device) for o, t in MOMENTS.items()}
                optimiser.state[parameter] = {"step": torch.tensor(float(self.iteration)), **moments}


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    tensors = {name: tensor.detach().cpu().numpy() for name, tensor in checkpoint.tensors.items()}
    write_tensors(path, CHECKPOINT, tensors, {name: repr(getattr(checkpoint, name)) for name in NUMBERS})


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint in a file, or None where there is none yet."""
    if not path.exists():
        return None
    tensors, metadata = read_tensors(path, CHECKPOINT)
    try:
        return Checkpoint(
            rate=float(metadata["rate"]),
            seconds=float(metadata["seconds"]),
            iteration=int(metadata["iteration"]),
            pilot_seconds=float(metadata["pilot_seconds"]),
            tensors={name: torch.from_numpy(array) for name, array in tensors.items()},
        )
    except ValueError as error:
        raise InputError(f"{path} is no checkpoint ({error}); remove it to start anew") from error
