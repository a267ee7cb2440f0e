"""Figures: how runs learnt, how far their seeds go.

Each function takes plain data and returns a matplotlib `Figure`; `save_figure` writes it. Nothing global is
touched: no pyplot, no backend, no style of the caller's.
"""

from dfst.viewer.plots.canvas import check_figure_name, save_figure
from dfst.viewer.plots.curves import LearningCurve, learning_curves
from dfst.viewer.plots.reach import reached

__all__ = [
    "LearningCurve",
    "check_figure_name",
    "learning_curves",
    "reached",
    "save_figure",
]
