"""State-space models made for keeping track of states, each in its plainest form.

    selective-dense  h_t = A_t h_{t-1} + W z_t         A_t: a mixture of learnt matrices chosen by z_t, its
                                                       columns of norm 1 (SD-SSM)
    permuted         h_t = P_t D_t h_{t-1} + W z_t     P_t: one 1 in each column, D_t diagonal (PD-SSM)
    delta-product    H_t = Π (I - β k kᵀ) H_{t-1} + β k vᵀ     two such steps a symbol, 0 < β < 2

The papers give their models the state after each symbol to learn from, and longer inputs; here they learn
from the same traces as the DFST. Two layers each, with a feed-forward layer behind, as the other rivals have.

Legend: b traces, T steps, w width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, one_hot, softmax

from dfst.experiments.rivals.network import Layered

CHOICES = 4
"""Learnt matrices that a mixture is made of."""
COLUMN_NORM = 1.2
"""The p of the norm of a column, as SD-SSM has it."""
REFLECTIONS = 2
"""Generalised Householder steps a symbol."""


class Recurrent(nn.Module):
    """A recurrence that steps symbol by symbol, then a feed-forward layer on what it read out."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.read = nn.LayerNorm(width), nn.LayerNorm(width)
        self.enter = nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def first(self, z: Tensor) -> Tensor:
        """The state before anything was read."""
        return torch.zeros_like(z[:, 0])

    def step(self, z: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """What is read out (b, w), and the state, after z (b, w)."""
        raise NotImplementedError

    def forward(self, z: Tensor, h: Tensor | None) -> tuple[Tensor, Tensor]:
        """z (b, T, w) and the state of before."""
        inputs = self.norm(z)
        state, seen = self.first(z) if h is None else h, []
        for t in range(z.shape[1]):
            out, state = self.step(inputs[:, t], state)
            seen.append(out)
        return z + self.narrow(gelu(self.widen(self.read(torch.stack(seen, dim=1))))), state


class SelectiveDenseLayer(Recurrent):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.choose = nn.Linear(width, CHOICES)
        self.matrices = nn.Parameter(torch.eye(width) + torch.randn(CHOICES, width, width) / width)

    def step(self, z: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        mixed = torch.einsum("bc,cij->bij", softmax(self.choose(z), dim=1), self.matrices)
        h = (normalize(mixed, p=COLUMN_NORM, dim=1) @ h[:, :, None])[:, :, 0] + self.enter(z)
        return h, h


class PermutedLayer(Recurrent):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.choose, self.gate = nn.Linear(width, CHOICES), nn.Linear(width, width)
        self.matrices = nn.Parameter(torch.eye(width) + torch.randn(CHOICES, width, width) / width)
        nn.init.constant_(self.gate.bias, 2.0)

    def step(self, z: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        mixed = torch.einsum("bc,cij->bij", softmax(self.choose(z), dim=1), self.matrices)
        soft = softmax(mixed, dim=1)
        hard = one_hot(mixed.argmax(dim=1), h.shape[1]).transpose(1, 2).to(soft.dtype)
        chosen = hard + soft - soft.detach()  # forward the choice, backward the softmax
        h = (chosen @ (torch.tanh(self.gate(z)) * h)[:, :, None])[:, :, 0] + self.enter(z)
        return h, h


class DeltaProductLayer(Recurrent):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.keys, self.values = (nn.Linear(width, REFLECTIONS * width) for _ in range(2))
        self.strength = nn.Linear(width, REFLECTIONS)

    def first(self, z: Tensor) -> Tensor:
        return z.new_zeros(z.shape[0], z.shape[2], z.shape[2])

    def step(self, z: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        w = z.shape[1]
        keys = normalize(self.keys(z).view(-1, REFLECTIONS, w), dim=2)
        values, strength = self.values(z).view(-1, REFLECTIONS, w), 2 * torch.sigmoid(self.strength(z))
        for j in range(REFLECTIONS):
            k, v, beta = keys[:, j, :, None], values[:, j, None], strength[:, j, None, None]
            h = h - beta * k @ (k.transpose(1, 2) @ h) + beta * k @ v
        return (self.enter(z)[:, None] @ h)[:, 0], h


class SelectiveDense(Layered):
    layer = SelectiveDenseLayer


class Permuted(Layered):
    layer = PermutedLayer


class DeltaProduct(Layered):
    layer = DeltaProductLayer
