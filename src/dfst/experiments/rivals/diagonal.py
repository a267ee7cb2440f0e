"""A diagonal linear recurrence without gating: h_t = λ h_{t-1} + W z_t, with complex λ that never change.

The state-space model in its plainest form (S4D, LRU): two layers, each followed by a feed-forward layer that
is added to what comes in. The recurrence itself is linear and the same at every step, so what it remembers
cannot depend on what it reads.

Legend: b traces, T steps, w width.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.network import Actions, Layered
from dfst.experiments.rivals.training import train_network

NEAREST, FURTHEST = 0.5, 0.999
"""At the start |λ| lies between these, as in the LRU: memories from a few steps to a thousand."""


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


class Diagonal(Layered):
    """The network of such layers."""

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width, Layer)


def train(assignment: Assignment) -> Trained:
    return train_network(assignment, Diagonal)
