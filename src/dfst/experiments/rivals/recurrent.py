"""The classical recurrent networks, on torch's own cells: one layer, a linear read-out.

elman   h ← tanh(W x + U h + b), the oldest of them
lstm    gates decide what to forget, to add and to show
gru     the LSTM's idea with two gates and one state, which in small sizes often trains best
"""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.nn.functional import one_hot

from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.network import Actions, Network
from dfst.experiments.rivals.training import train_network


class Recurrent(Network):
    """One layer of `cell`; the symbol enters one-hot, and h after reading it is scored."""

    def __init__(self, actions: Actions, width: int, cell: type[nn.RNN | nn.LSTM | nn.GRU]) -> None:
        super().__init__(actions)
        self.cell = cell(actions.symbols, width, batch_first=True)
        self.scores = nn.Linear(width, actions.scores)

    def forward(self, x: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        h, state = self.cell(one_hot(x, self.actions.symbols).to(self.scores.weight.dtype), state)
        return self.scores(h), state


elman, lstm, gru = (partial(Recurrent, cell=cell) for cell in (nn.RNN, nn.LSTM, nn.GRU))


def train_elman(assignment: Assignment) -> Trained:
    return train_network(assignment, elman)


def train_lstm(assignment: Assignment) -> Trained:
    return train_network(assignment, lstm)


def train_gru(assignment: Assignment) -> Trained:
    return train_network(assignment, gru)
