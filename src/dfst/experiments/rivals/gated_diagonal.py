"""A diagonal linear recurrence gated by its input.

    h_t = a_t h_{t-1} + √(1 - a_t²) v_t     a_t = tanh(W z_t + c)

The selective state-space model (Mamba, RG-LRU) in its plainest form. Its gates may be negative, which those
models forbid and which is known to matter for keeping track of states: a sign can flip. Everything else is
as in `diagonal`.

Legend: b traces, T steps, w width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.diagonal import scan
from dfst.experiments.rivals.network import Actions, Layered
from dfst.experiments.rivals.training import train_network

LONG_MEMORY = 2.0
"""At the start tanh(c) = 0.96: gates begin nearly open, so that gradients reach back."""


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


class GatedDiagonal(Layered):
    """The network of such layers."""

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width, GatedLayer)


def train(assignment: Assignment) -> Trained:
    return train_network(assignment, GatedDiagonal)
