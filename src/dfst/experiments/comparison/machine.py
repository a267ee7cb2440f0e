"""The machine on which something was measured, in a few words."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe_machine(device: str) -> str:
    """Cores and processor; with `cuda`, the GPU before them."""
    cores = f"{os.cpu_count()} cores of {_processor()}"
    if device != "cuda":
        return cores
    import torch

    return f"{torch.cuda.get_device_name()}, {cores}"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8", errors="replace").splitlines() if cpuinfo.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
