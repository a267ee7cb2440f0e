"""The DFST as a torch module, for people who want to train or inspect it in their own loop.

Our own training does not pass through here (`kernels`, `train`). Legend: see `rollout.transducer`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from dfst.model.weights import Shape, Weights, initial_parameters


class DFST(nn.Module):
    """A differentiable finite-state transducer: linear in h, with matrices chosen by the symbol read."""

    def __init__(self, shape: Shape, seed: int = 0, dtype: torch.dtype = torch.float32) -> None:
        """The paper's start: A[x] = identity, B = C = 0, h0 random of length 1."""
        super().__init__()
        self.shape = shape
        flat = torch.from_numpy(initial_parameters(shape, seed, "float64")).to(dtype)
        A, B, C, h0 = (part.clone() for part in shape.split(flat))
        self.A = nn.Parameter(A)
        """(Σ, d, d)"""
        self.B = nn.Parameter(B)
        """(Σ, Σ, d)"""
        self.C = nn.Parameter(C)
        """(Σ, M, d)"""
        self.h0 = nn.Parameter(h0)
        """(d,)"""

    @classmethod
    def from_weights(cls, weights: Weights) -> DFST:
        """The module with these numbers."""
        model = cls(weights.shape, dtype=torch.from_numpy(weights.h0[:0]).dtype)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(torch.from_numpy(getattr(weights, name)))
        return model

    def to_weights(self, like: Weights) -> Weights:
        """Weights with the module's numbers, and the alphabet, task and so on of `like`."""
        numbers: dict[str, Any] = {
            name: parameter.detach().cpu().numpy().copy() for name, parameter in self.named_parameters()
        }
        return replace(like, **numbers)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (b, T, Σ) of the symbol to write and (b, T, M) of the motion, for symbols read x (b, T)."""
        h = self.h0.expand(len(x), -1)
        symbols, motions = [], []
        for read in x.unbind(1):
            symbols.append(torch.einsum("bij,bj->bi", self.B[read], h))
            motions.append(torch.einsum("bij,bj->bi", self.C[read], h))
            h = torch.einsum("bij,bj->bi", self.A[read], h)
        if not symbols:
            return h.new_zeros(len(x), 0, self.shape.symbols), h.new_zeros(len(x), 0, self.shape.motions)
        return torch.stack(symbols, 1), torch.stack(motions, 1)

    def loss(self, x: Tensor, s: Tensor, m: Tensor, lengths: Tensor | None = None) -> Tensor:
        """The paper's loss of traces padded to (b, T); `lengths` (b,) says where each one ends."""
        symbols, motions = self(x)
        away = (symbols - nn.functional.one_hot(s, self.shape.symbols)).square().sum(2)
        away = away + (motions - nn.functional.one_hot(m, self.shape.motions)).square().sum(2)
        if lengths is None:
            lengths = torch.full((len(x),), x.shape[1], device=x.device)
        inside = torch.arange(x.shape[1], device=x.device) < lengths[:, None]
        return ((away * inside).sum(1) / (2 * lengths.clamp(min=1))).mean()
