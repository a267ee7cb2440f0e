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
from torch.nn.functional import gelu, normalize, softmax

from dfst.experiments.rivals.network import Layered

CHOICES = 4
"""Learnt matrices that a mixture is made of."""
COLUMN_NORM = 1.2
"""The p of the norm of a column, as SD-SSM has it."""
REFLECTIONS = 2
"""Generalised Householder steps a symbol."""


class Recurrent(nn.Module):
    """A linear recurrence, then a feed-forward layer on what is read out of its state.

    What the inputs decide is computed for all steps at once; only what needs the state is done step by step.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.read = nn.LayerNorm(width), nn.LayerNorm(width)
        self.enter = nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def recur(self, z: Tensor, h: Tensor | None) -> tuple[Tensor, Tensor]:
        """What is read out after each of z (b, T, w), and the state after the last."""
        raise NotImplementedError

    def forward(self, z: Tensor, h: Tensor | None) -> tuple[Tensor, Tensor]:
        """z (b, T, w) and the state of before."""
        seen, state = self.recur(self.norm(z), h)
        return z + self.narrow(gelu(self.widen(self.read(seen)))), state


class Dense(Recurrent):
    """h_t = A_t h_{t-1} + W z_t"""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.choose = nn.Linear(width, CHOICES)
        self.matrices = nn.Parameter(torch.eye(width) + torch.randn(CHOICES, width, width) / width)

    def mixed(self, z: Tensor) -> Tensor:
        """(b, T, w, w) the mixture that each z chooses."""
        return torch.einsum("btc,cij->btij", softmax(self.choose(z), dim=2), self.matrices)

    def transitions(self, z: Tensor) -> Tensor:
        """(b, T, w, w) every A_t"""
        raise NotImplementedError

    def recur(self, z: Tensor, h: Tensor | None) -> tuple[Tensor, Tensor]:
        state, seen = z.new_zeros(z.shape[0], z.shape[2], 1) if h is None else h, []
        entering = self.enter(z)[..., None]
        for a, u in zip(self.transitions(z).unbind(1), entering.unbind(1), strict=True):
            state = torch.baddbmm(u, a, state)
            seen.append(state)
        return torch.stack(seen, dim=1)[..., 0], state


class SelectiveDenseLayer(Dense):
    def transitions(self, z: Tensor) -> Tensor:
        return normalize(self.mixed(z), p=COLUMN_NORM, dim=2)


class PermutedLayer(Dense):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.gate = nn.Linear(width, width)
        nn.init.constant_(self.gate.bias, 2.0)

    def transitions(self, z: Tensor) -> Tensor:
        mixed = self.mixed(z)
        soft = softmax(mixed, dim=2)
        hard = torch.zeros_like(soft).scatter_(2, mixed.argmax(dim=2, keepdim=True), 1.0)
        chosen = hard + soft - soft.detach()  # forward the choice, backward the softmax
        return chosen * torch.tanh(self.gate(z))[:, :, None]


class DeltaProductLayer(Recurrent):
    """The two steps in one, H ← H + G (V - K H): the second step's error takes account of the first's."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.keys, self.values = (nn.Linear(width, REFLECTIONS * width) for _ in range(2))
        self.strength = nn.Linear(width, REFLECTIONS)

    def recur(self, z: Tensor, h: Tensor | None) -> tuple[Tensor, Tensor]:
        b, T, w = z.shape
        keys = normalize(self.keys(z).view(b, T, REFLECTIONS, w), dim=3)
        values, strength = self.values(z).view(b, T, REFLECTIONS, w), 2 * torch.sigmoid(self.strength(z))
        gains = _gains(keys, strength)
        state, seen = z.new_zeros(b, w, w) if h is None else h, []
        parts = (part.unbind(1) for part in (keys, values, gains, self.enter(z)[:, :, None]))
        for k, v, g, q in zip(*parts, strict=True):
            state = torch.baddbmm(state, g, torch.baddbmm(v, k, state, alpha=-1))
            seen.append(q @ state)
        return torch.cat(seen, dim=1), state


def _gains(keys: Tensor, strength: Tensor) -> Tensor:
    """(b, T, w, 2) what the errors before both steps add to the state, along the two keys."""
    first, second = keys.unbind(2)
    beta, gamma = strength[..., :1], strength[..., 1:]
    met = (first * second).sum(2, keepdim=True)
    return torch.stack([beta * (first - gamma * met * second), gamma * second], dim=3)


class SelectiveDense(Layered):
    layer = SelectiveDenseLayer


class Permuted(Layered):
    layer = PermutedLayer


class DeltaProduct(Layered):
    layer = DeltaProductLayer
