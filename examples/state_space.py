"""State-space models made for keeping track of states, each in its plainest form, as baselines.

    dfst compare --learner examples/state_space.py:DeltaProduct --task a5

    selective-dense  h_t = A_t h_{t-1} + W z_t         A_t: a mixture of learnt matrices chosen by z_t, its
                                                       columns of norm 1 (SD-SSM)
    delta-product    H_t = Π (I - β k kᵀ) H_{t-1} + β k vᵀ     four such steps a symbol, 0 < β < 2

The papers give their models the state after each symbol to learn from, and longer inputs; here they learn
from the same traces as the DFST. There is one layer, and a feed-forward layer on what is read out. With one,
z_t is known from the symbol alone, so each symbol has one matrix, and `dfst.recurrence` takes the steps.

Legend: b traces, T steps, k symbols, w width, c vectors that a state is made of.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, softmax

from dfst.experiments.baselines.network import Actions, Network
from dfst.kernels.operator import recurrence

CHOICES = 4
"""Learnt matrices that a mixture is made of."""
COLUMN_NORM = 1.2
"""The p of the norm of a column, as SD-SSM has it."""
REFLECTIONS = 4
"""Generalised Householder steps a symbol: as many as it takes to move five things around."""
VALUES = 8
"""Vectors in the state of delta-product."""


class StateSpace(Network):
    """One linear recurrence with a matrix for each symbol, then a feed-forward layer on what is read out."""

    vectors = 1
    """c"""

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width)
        self.embed, self.norm = nn.Embedding(actions.read, width), nn.LayerNorm(width)
        self.enter = nn.Linear(width, width)
        seen = width if self.vectors == 1 else self.vectors
        self.read = nn.LayerNorm(seen)
        self.widen, self.narrow = nn.Linear(seen, 2 * width), nn.Linear(2 * width, width)
        self.last, self.scores = nn.LayerNorm(width), nn.Linear(width, actions.scores)

    def steps(self, z: Tensor) -> tuple[Tensor, Tensor]:
        """Of each symbol's z (k, w): what multiplies the state (k, w, w), what is added to it (k, w, c)."""
        raise NotImplementedError

    def look(self, z: Tensor, x: Tensor, states: Tensor) -> Tensor:
        """(b, T, …) what is seen of the states (b, c, T, w) after each of x (b, T)."""
        return states[:, 0]

    def forward(self, x: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        z = self.norm(self.embed.weight)
        multiplied, added = self.steps(z)
        k, w, c = added.shape
        # Below the state stands an identity, which stays: what is added becomes part of the matrix.
        still = torch.eye(w + c, dtype=added.dtype, device=added.device)[w:]
        matrices = torch.cat([torch.cat([multiplied, added], 2), still.expand(k, c, w + c)], 1)
        before = still.repeat(len(x), 1)
        if state is not None:
            before = torch.cat([state, before[:, w:]], 1)
        h = recurrence(matrices, x.repeat_interleave(c, 0), before)
        assert isinstance(h, Tensor)
        states = h[:, 1:, :w].unflatten(0, (len(x), c))
        seen = self.read(self.look(z, x, states))
        found = self.embed(x) + self.narrow(gelu(self.widen(seen)))
        return self.scores(self.last(found)), h[:, -1, :w]


class SelectiveDense(StateSpace):
    """h_t = A_t h_{t-1} + W z_t, A_t made of a mixture that z_t chooses."""

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width)
        self.choose = nn.Linear(width, CHOICES)
        self.matrices = nn.Parameter(torch.eye(width) + torch.randn(CHOICES, width, width) / width)

    def steps(self, z: Tensor) -> tuple[Tensor, Tensor]:
        mixed = torch.einsum("kc,cij->kij", softmax(self.choose(z), dim=1), self.matrices)
        return normalize(mixed, p=COLUMN_NORM, dim=1), self.enter(z)[..., None]


class DeltaProduct(StateSpace):
    """A memory H (w, c) of values by key: each step forgets what was kept under a key, and keeps a value."""

    vectors = VALUES

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width)
        self.keys = nn.Linear(width, REFLECTIONS * width)
        self.values, self.strength = nn.Linear(width, REFLECTIONS * VALUES), nn.Linear(width, REFLECTIONS)

    def steps(self, z: Tensor) -> tuple[Tensor, Tensor]:
        k, w = z.shape
        keys = normalize(self.keys(z).view(k, REFLECTIONS, w), dim=2)
        values, strength = self.values(z).view(k, REFLECTIONS, VALUES), 2 * torch.sigmoid(self.strength(z))
        multiplied = torch.eye(w, dtype=z.dtype, device=z.device).expand(k, w, w)
        added = z.new_zeros(k, w, VALUES)
        for i in range(REFLECTIONS):
            key, scaled = keys[:, i, None], strength[:, i, None, None] * keys[:, i, :, None]
            multiplied = multiplied - scaled @ (key @ multiplied)
            added = added + scaled @ (values[:, i, None] - key @ added)
        return multiplied, added

    def look(self, z: Tensor, x: Tensor, states: Tensor) -> Tensor:
        """The values under the key that the symbol asks for."""
        return torch.einsum("btw,bctw->btc", self.enter(z)[x], states)
