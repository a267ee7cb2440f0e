"""A baseline of your own, without editing the package: a torch network that reads symbols and scores actions.

    dfst compare --learner examples/own_baseline.py:MinimalGRU --task add2
    dfst sweep --tasks add2 --learners dfst examples/own_baseline.py:MinimalGRU --seeds 4

It is trained on the DFST's traces, with its loss, batches and number of steps; its width is chosen so that it
has about as many parameters. What it is measured by, and how its hidden states are merged, is the same too.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dfst.experiments.baselines.network import Actions, Network


class MinimalGRU(Network):
    """h ← h + f (c - h): one gate f, and what enters c, both from the symbol and from h."""

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width)
        self.symbol = nn.Embedding(actions.read, 2 * width)
        self.recur = nn.Linear(width, 2 * width)
        self.scores = nn.Linear(width, actions.scores)

    def forward(self, x: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Scores (b, T, Σ + M) for the symbols read x (b, T), and the state (b, w) after them."""
        h = self.scores.weight.new_zeros(len(x), self.width) if state is None else state
        hidden = []
        for symbols in x.unbind(1):
            gate, new = (self.symbol(symbols) + self.recur(h)).chunk(2, dim=1)
            h = h + torch.sigmoid(gate) * (torch.tanh(new) - h)
            hidden.append(h)
        return self.scores(torch.stack(hidden, 1)), h
