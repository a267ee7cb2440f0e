"""Diagonal linear recurrences, the state-space models in their plainest form, without gating and with it.

    diagonal        h_t = λ h_{t-1} + W z_t                   complex λ that never change (S4D, LRU)
    diagonal-gated  h_t = a_t h_{t-1} + √(1 - a_t²) v_t       a_t = tanh(W z_t + c) (Mamba, RG-LRU)

Without gating the recurrence is the same at every step, so what it remembers cannot depend on what it reads.
The gates here may be negative, which those models forbid and which is known to matter for keeping track of
states: a sign can flip. Either way there are two layers, each with a feed-forward layer behind it.

Legend: b traces, T steps, w width.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from dfst.experiments.rivals.network import Layered

NEAREST, FURTHEST = 0.5, 0.999
"""At the start |λ| lies between these, as in the LRU: memories from a few steps to a thousand."""
LONG_MEMORY = 2.0
"""At the start tanh(c) = 0.96: gates begin nearly open, so that gradients reach back."""


def scan(a: Tensor, b: Tensor, h: Tensor) -> Tensor:
    """(b, T, w) every h_t = a_t h_{t-1} + b_t at once, from the h (b, w) before, in log₂ T rounds."""
    b = torch.cat([b[:, :1] + a[:, :1] * h[:, None], b[:, 1:]], dim=1)
    reach = 1
    while reach < b.shape[1]:
        # Each b_t now sums the last `reach` steps, each a_t is their product.
        b = torch.cat([b[:, :reach], b[:, reach:] + a[:, reach:] * b[:, :-reach]], dim=1)
        a = torch.cat([a[:, :reach], a[:, reach:] * a[:, :-reach]], dim=1)
        reach *= 2
    return b


class Layer(nn.Module):
    """Linear recurrence, then a feed-forward layer on its real and imaginary parts."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.enter = nn.Linear(width, 2 * width)
        radius = torch.sqrt(torch.rand(width) * (FURTHEST**2 - NEAREST**2) + NEAREST**2)
        self.log_decay = nn.Parameter(torch.log(-torch.log(radius)))
        self.angle = nn.Parameter(torch.rand(width) * math.pi)
        self.widen, self.narrow = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, z: Tensor, h: Tensor | None) -> tuple[Tensor, Tensor]:
        """z (b, T, w) and the complex h (b, w) of before."""
        b, T, w = z.shape
        decay = torch.exp(self.log_decay)
        scale = torch.polar(torch.exp(-decay), self.angle)
        # As in the LRU, inputs are scaled so that slow memories do not drown the others.
        inputs = self.enter(self.norm(z)).view(b, T, w, 2) * torch.sqrt(-torch.expm1(-2 * decay))[:, None]
        before = torch.zeros(b, w, dtype=scale.dtype, device=z.device) if h is None else h
        states = scan(scale.expand(b, T, w), torch.view_as_complex(inputs.contiguous()), before)
        seen = torch.view_as_real(states).reshape(b, T, 2 * w)
        return z + self.narrow(gelu(self.widen(seen))), states[:, -1]


class GatedLayer(nn.Module):
    """Gated recurrence, then a feed-forward layer."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.enter, self.gate = nn.Linear(width, width), nn.Linear(width, width)
        nn.init.constant_(self.gate.bias, LONG_MEMORY)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, z: Tensor, h: Tensor | None) -> tuple[Tensor, Tensor]:
        """z (b, T, w) and the h (b, w) of before."""
        inputs = self.norm(z)
        gates = torch.tanh(self.gate(inputs))
        entering = torch.sqrt(1 - gates.square() + 1e-6) * self.enter(inputs)
        states = scan(gates, entering, torch.zeros_like(z[:, 0]) if h is None else h)
        return z + self.narrow(gelu(self.widen(states))), states[:, -1]


class Diagonal(Layered):
    """Layers without gates."""

    layer = Layer


class GatedDiagonal(Layered):
    """Layers with gates."""

    layer = GatedLayer
