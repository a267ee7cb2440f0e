"""The state of a network's training as one safetensors file, so that a killed training goes on.

Tensors `network.*`, `first.*` and `second.*` (Adam's moments) by parameter name; the rest is JSON in the
metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from dfst.errors import InputError
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors

CHECKPOINT = TensorFormat("dfst-learner/2", "checkpoint", (), ("state",), "remove it to start anew")
MOMENTS = {"first": "exp_avg", "second": "exp_avg_sq"}
"""Our names of Adam's moments, and torch's."""


def write_checkpoint(
    path: Path, network: nn.Module, optimiser: torch.optim.Adam, state: Mapping[str, Any]
) -> None:
    """Save parameters, moments and whatever else the training must know."""
    tensors, steps = {}, 0.0
    for name, parameter in network.named_parameters():
        tensors[f"network.{name}"] = parameter.detach()
        held = optimiser.state[parameter]
        steps = float(held.get("step", 0.0))
        for ours, theirs in MOMENTS.items():
            tensors[f"{ours}.{name}"] = held.get(theirs, torch.zeros_like(parameter))
    metadata = {"state": json.dumps({**state, "adam_steps": steps})}
    write_tensors(path, CHECKPOINT, {name: t.cpu().numpy() for name, t in tensors.items()}, metadata)


def read_checkpoint(path: Path, network: nn.Module, optimiser: torch.optim.Adam) -> dict[str, Any] | None:
    """Give network and optimiser what they had, and the rest back; None where there is no file yet."""
    if not path.exists():
        return None
    arrays, metadata = read_tensors(path, CHECKPOINT)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    try:
        state: dict[str, Any] = json.loads(metadata["state"])
        steps = torch.tensor(state.pop("adam_steps"))
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                parameter.copy_(tensors[f"network.{name}"])
                moments = {t: tensors[f"{o}.{name}"].to(parameter.device) for o, t in MOMENTS.items()}
                optimiser.state[parameter] = {"step": steps.clone(), **moments}
        return state
    except (ValueError, KeyError, RuntimeError) as error:
        raise InputError(f"{path} is no checkpoint ({error}); remove it to start anew") from error
