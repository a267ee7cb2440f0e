"""A stack in training as one safetensors file, and its models for use as another; never a pickle.

checkpoint    theta, first, second, taken, and the courses; who the models are stands in the metadata
models        theta (s, p): one set of shared parameters a model
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from dfst.errors import InputError
from dfst.experiments.rivals.neural_gpu.curriculum import Courses
from dfst.experiments.rivals.neural_gpu.training import Stack
from dfst.files import write_atomically

FORMAT = "dfst-neural-gpu/1"
STATE = ("theta", "first", "second", "taken")


def identity(stack: Stack) -> dict[str, Any]:
    """What a checkpoint must share with the stack that goes on from it."""
    return {
        "students": [[student.task.name, student.seed, student.rate] for student in stack.students],
        "shape": asdict(stack.shape),
        "recipe": asdict(stack.recipe),
    }


def write_checkpoint(stack: Stack, seconds: float, path: Path) -> None:
    """Save the stack between two rounds, all or nothing. seconds: wall time it has been trained for."""
    tensors = {name: getattr(stack, name).detach().cpu().contiguous() for name in STATE}
    for field in fields(Courses):
        tensors[f"courses.{field.name}"] = torch.from_numpy(getattr(stack.courses, field.name)).contiguous()
    metadata = {
        "format": FORMAT,
        "iteration": str(stack.iteration),
        "seconds": repr(seconds),
        "identity": json.dumps(identity(stack)),
    }
    write_atomically(path, save_tensors(tensors, metadata))


def read_checkpoint(stack: Stack, path: Path) -> float:
    """Bring a fresh stack to where the checkpoint stands; the wall time spent so far, 0 without one."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return 0.0
    try:
        tensors = load_tensors(data)
        metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        if metadata["format"] != FORMAT:
            raise InputError(f"{path}: expected format {FORMAT!r}, found {metadata['format']!r}")
        held = json.loads(metadata["identity"])
        for part, value in identity(stack).items():
            if held[part] != value:
                raise InputError(
                    f"{path} was made with {part} {held[part]}, found {value}; give another folder"
                )
        with torch.no_grad():
            for name in STATE:
                getattr(stack, name).copy_(tensors[name])
        names = [field.name for field in fields(Courses)]
        stack.courses = Courses(**{name: tensors[f"courses.{name}"].numpy() for name in names})
        stack.iteration = int(metadata["iteration"])
        return float(metadata["seconds"])
    except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise InputError(f"{path} is no checkpoint ({error}); remove it to start anew") from error
