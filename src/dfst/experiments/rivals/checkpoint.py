"""The state of a network's training as one safetensors file, so that a killed training goes on.

Tensors `network.*`, `first.*` and `second.*` (Adam's moments) by parameter name; the rest is metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn

from dfst.errors import InputError
from dfst.files import write_atomically

FORMAT = "dfst-learner/1"
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
    metadata = {
        "format": FORMAT,
        "rate": repr(checkpoint.rate),
        "seconds": repr(checkpoint.seconds),
        "pilot_seconds": repr(checkpoint.pilot_seconds),
        "iteration": str(checkpoint.iteration),
    }
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in checkpoint.tensors.items()}
    write_atomically(path, save_tensors(tensors, metadata))


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint in a file, or None where there is none yet."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        tensors = load_tensors(data)
        metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        if metadata["format"] != FORMAT:
            raise InputError(f"{path}: expected format {FORMAT!r}, found {metadata['format']!r}")
        return Checkpoint(
            rate=float(metadata["rate"]),
            seconds=float(metadata["seconds"]),
            iteration=int(metadata["iteration"]),
            pilot_seconds=float(metadata["pilot_seconds"]),
            tensors=tensors,
        )
    except (SafetensorError, ValueError, KeyError) as error:
        raise InputError(f"{path} is no checkpoint ({error}); remove it to start anew") from error
