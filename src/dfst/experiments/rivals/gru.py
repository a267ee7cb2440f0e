"""The GRU: the LSTM's two gates and one state, which in small sizes often trains best."""

from __future__ import annotations

from torch import nn

from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.network import Actions
from dfst.experiments.rivals.recurrent import Recurrent
from dfst.experiments.rivals.training import train_network


def build(actions: Actions, width: int) -> Recurrent:
    return Recurrent(actions, width, nn.GRU)


def train(assignment: Assignment) -> Trained:
    return train_network(assignment, build)
