"""The LSTM: a recurrent network whose gates decide what to forget, to add and to show."""

from __future__ import annotations

from torch import nn

from dfst.experiments.rivals.assignment import Assignment, Trained
from dfst.experiments.rivals.network import Actions
from dfst.experiments.rivals.recurrent import Recurrent
from dfst.experiments.rivals.training import train_network


def build(actions: Actions, width: int) -> Recurrent:
    return Recurrent(actions, width, nn.LSTM)


def train(assignment: Assignment) -> Trained:
    return train_network(assignment, build)
