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

from dfst.errors import InputError
from dfst.experiments.rivals.neural_gpu.curriculum import Courses
from dfst.experiments.rivals.neural_gpu.training import Stack
from dfst.files.tensors import TensorFormat, read_tensors, write_tensors

STATE = ("theta", "first", "second", "taken")
CHECKPOINT = TensorFormat(
    "dfst-neural-gpu/1",
    "checkpoint",
    STATE,
    ("iteration", "seconds", "identity"),
    "remove it to start anew",
)


def identity(stack: Stack) -> dict[str, Any]:
    """What a checkpoint must share with the stack that goes on from it."""
    return {
        "students": [[student.task.name, student.seed, student.rate] for student in stack.students],
        "shape": asdict(stack.shape),
        "recipe": asdict(stack.recipe),
    }


def write_checkpoint(stack: Stack, seconds: float, path: Path) -> None:
    """Save the stack between two rounds, all or nothing. seconds: wall time it has been trained for."""
    tensors = {name: getattr(stack, name).detach().cpu().numpy() for name in STATE}
    for field in fields(Courses):
        tensors[f"courses.{field.name}"] = getattr(stack.courses, field.name)
    metadata = {
        "iteration": str(stack.iteration),
        "seconds": repr(seconds),
        "identity": json.dumps(identity(stack)),
    }
    write_tensors(path, CHECKPOINT, tensors, metadata)


def read_checkpoint(stack: Stack, path: Path) -> float:
    """Bring a fresh stack to where the checkpoint stands; the wall time spent so far, 0 without one."""
    if not path.exists():
        return 0.0
    tensors, metadata = read_tensors(path, CHECKPOINT)
    try:
        held = json.loads(metadata["identity"])
        for part, value in identity(stack).items():
            if held[part] != value:
                raise InputError(
                    f"{path} was made with {part} {held[part]}, found {value}; give another folder"
                )
        with torch.no_grad():
            for name in STATE:
                getattr(stack, name).copy_(torch.from_numpy(tensors[name]))
        names = [field.name for field in fields(Courses)]
        stack.courses = Courses(**{name: tensors[f"courses.{name}"] for name in names})
        stack.iteration = int(metadata["iteration"])
        return float(metadata["seconds"])
    except (ValueError, KeyError, RuntimeError) as error:
        raise InputError(f"{path} is no checkpoint ({error}); remove it to start anew") from error
