"""The read-out of `readout.cu`, compiled for one shape; None where Triton's kernel must do it."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dfst.kernels.gpu.nvrtc import SHARED_BYTES, kernel, launch, runs_on
from dfst.model.weights import Shape

WARP = 32
MOST_SUMS = 96  # sums that one thread can hold, an output of a token each


@dataclass(frozen=True)
class Readout:
    """The compiled kernel of a shape."""

    step: int  # tokens a warp, and a part of the loss
    threads: int
    shared_bytes: int
    function: Any

    def run(self, seeds: int, chunks: int, tokens: int, tensors: Sequence[Tensor]) -> None:
        """As `gpu_kernels.readout_kernel`, whose first ten arguments `tensors` are."""
        arguments = [*tensors, tokens, ctypes.c_int(chunks)]
        launch(self.function, seeds * chunks, self.threads, self.shared_bytes, arguments)


def choose(shape: Shape, chunk: int, strides: tuple[int, int], like: Tensor) -> Readout | None:
    """For chunks of so many tokens and these strides of hidden and signal, on the device of `like`."""
    words, outputs = -(-shape.d // 4), shape.symbols + shape.motions
    shared = 16 * outputs * words + chunk * (16 * (words | 1) + 4 * (outputs | 1) + 4)
    a_thread = next((t for t in (2, 1) if chunk % (WARP * t) == 0 and outputs * t <= MOST_SUMS), None)
    fits = like.dtype == torch.float32 and shared <= SHARED_BYTES
    if a_thread is None or not fits or not runs_on(like.device, 8):
        return None
    macros = {
        "SYMBOLS": shape.symbols, "MOTIONS": shape.motions, "DIM": shape.d, "HS": strides[0],
        "US": strides[1], "CHUNK": chunk, "T": a_thread, "SIZE": shape.size,
    }  # fmt: skip
    function = kernel("readout", macros, like.device, shared)
    return Readout(WARP * a_thread, chunk // a_thread, shared, function)
