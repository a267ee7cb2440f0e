"""Choosing where the arithmetic happens: the GPU where there is one, else the CPU."""

from pathlib import Path
from typing import Literal

from dfst.errors import InputError
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet
from dfst.train.recipe import Recipe
from dfst.train.train import Engine

Device = Literal["auto", "cpu", "cuda"]


def pick_device(device: Device) -> Literal["cpu", "cuda"]:
    """`auto` is the GPU if there is one that can be used; asking for a GPU that is not there is an error."""
    if device == "cpu":
        return "cpu"
    problem = _why_no_gpu()
    if problem is None:
        return "cuda"
    if device == "cuda":
        raise InputError(f"--device cuda: {problem}; use --device cpu")
    return "cpu"


def make_engine(device: Literal["cpu", "cuda"], shape: Shape, traces: TraceSet, recipe: Recipe) -> Engine:
    """The engine that trains on a device."""
    if device == "cuda":
        from dfst.train.engine_gpu import GpuEngine

        return GpuEngine(shape, traces, recipe)
    from dfst.train.engine_cpu import CpuEngine

    return CpuEngine(shape, traces, recipe)


def _why_no_gpu() -> str | None:
    """None if a GPU can be used. Looks for a driver before it pays for importing torch."""
    if not Path("/dev/nvidiactl").exists() and not Path("/proc/driver/nvidia").exists():
        return "no NVIDIA GPU was found"
    try:
        import torch
        import triton  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed (pip install 'dfst[train]')"
    return None if torch.cuda.is_available() else "torch sees no usable GPU"
