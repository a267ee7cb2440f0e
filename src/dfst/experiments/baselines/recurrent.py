"""The classical recurrent networks, on torch's own cells: one layer, a linear read-out."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.nn.functional import one_hot

from dfst.experiments.baselines.network import Actions, Network


class Recurrent(Network):
    """One layer of a cell; the symbol enters one-hot, and h after reading it is scored."""

    kind: type[nn.LSTM | nn.GRU]

    def __init__(self, actions: Actions, width: int) -> None:
        super().__init__(actions, width)
        self.cell = self.kind(actions.read, width, batch_first=True)
        self.scores = nn.Linear(width, actions.scores)

    def forward(self, x: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        h, state = self.cell(one_hot(x, self.actions.read).to(self.scores.weight.dtype), state)
        return self.scores(h), state


class LSTM(Recurrent):
    """Gates decide what to forget, to add and to show."""

    kind = nn.LSTM


class GRU(Recurrent):
    """The LSTM's idea with two gates and one state, which in small sizes often trains best."""

    kind = nn.GRU
