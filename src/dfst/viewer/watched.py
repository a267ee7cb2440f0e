"""A closed loop that remembers what a picture of it needs: its last action, and how far it has been."""

from __future__ import annotations

import numpy as np

from dfst.viewer.payload import Subject
from dfst.world.grid import Limits, first_cell
from dfst.world.unit import Action, ClosedLoop


class WatchedLoop(ClosedLoop):
    """A run that is drawn between its steps."""

    def __init__(self, subject: Subject, text: str = "", limits: Limits = Limits()) -> None:
        super().__init__(subject, text, limits)
        self.subject = subject
        symbols, start = subject.encode(text)
        (left, top), shape = first_cell(symbols, start), np.atleast_2d(symbols).shape
        self.box = (left, top + 1 - shape[0], max(0, left + shape[1] - 1), top)
        """left, bottom, right, top of the cells laid or visited; it only grows, so its view does not jump"""
        self.last: Action | None = None

    def act(self, action: Action) -> None:
        super().act(action)
        self.last = action
        (x, y), (left, bottom, right, top) = self.cell, self.box
        self.box = (min(left, x), min(bottom, y), max(right, x), max(top, y))
