"""The read-out of `readout.cu`, compiled for one shape; None where Triton's kernel must do it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dfst.kernels.nvrtc import SHARED_BYTES, Argument, kernel, launch, nvrtc, options_of
from dfst.model.weights import Shape

STEP = 32
"""Tokens a warp, and a part of the loss."""
MOST_OUTPUTS = 64
"""Outputs whose sums one thread can hold."""


@dataclass(frozen=True)
class Readout:
    """The compiled kernel of a shape."""

    chunk: int
    shared_bytes: int
    function: Any

    def run(self, seeds: int, chunks: int, tokens: int, tensors: Sequence[Tensor]) -> None:
        """As `gpu_kernels.readout_kernel`, whose first ten arguments `tensors` are."""
        arguments: list[Argument] = [*tensors, tokens, ctypes.c_int(chunks)]
        launch(self.function, seeds * chunks, self.chunk, self.shared_bytes, arguments)


def shared_bytes(shape: Shape, chunk: int) -> int:
    """What a block of `readout.cu` needs."""
    words, outputs = -(-shape.d // 4), shape.symbols + shape.motions
    token = 16 * (words | 1) + 4 * (outputs | 1) + 4
    return 16 * outputs * words + chunk // STEP * (-(-32 * token // 16) * 16)


def choose(shape: Shape, chunk: int, strides: tuple[int, int], like: Tensor) -> Readout | None:
    """For chunks of so many tokens and these strides of hidden and signal, on the device of `like`."""
    shared = shared_bytes(shape, chunk)
    if (
        not like.is_cuda
        or like.dtype != torch.float32
        or torch.cuda.get_device_capability(like.device) < (8, 0)
        or nvrtc() is None
        or shared > SHARED_BYTES
        or shape.symbols + shape.motions > MOST_OUTPUTS
        or chunk % STEP
    ):
        return None
    macros = {
        "SYMBOLS": shape.symbols, "MOTIONS": shape.motions, "DIM": shape.d, "HS": strides[0],
        "US": strides[1], "CHUNK": chunk, "SIZE": shape.size,
    }  # fmt: skip
    device = torch.cuda.current_device() if like.device.index is None else like.device.index
    return Readout(chunk, shared, kernel("readout.cu", "readout", options_of(macros), device, shared))
