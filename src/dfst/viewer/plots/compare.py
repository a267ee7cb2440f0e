"""Several runs in one figure: training loss on the left, RLG on the right, as in the paper's appendix.

Each run is shown by the seed it chose (or its first), so that a task trained for longer and longer can be
read off: how far the loss falls, how far the digits go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dfst.errors import InputError
from dfst.viewer.plots.canvas import ACCENT, HEAD, SECOND, SOFT, new_figure, quiet
from dfst.viewer.plots.curves import Metrics, series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (ACCENT, SECOND, HEAD, "#4a6fa5", "#8a5a9c", "#5f6b2d")
STYLES = ("-", "--", ":")


@dataclass(frozen=True)
class LearningCurve:
    """One run as it was logged."""

    name: str
    metrics: Metrics
    chosen: int | None
    """The chosen seed's place among the seeds; None while the run goes on."""
    iterations: int
    """How long it was to be trained."""


def compared_curves(runs: Sequence[LearningCurve]) -> Figure:
    """One line a run in each half, the shorter trainings first."""
    figure = new_figure(9.6, 3.8)
    left, right = figure.subplots(1, 2)
    for place, run in enumerate(sorted(runs, key=lambda run: run.iterations)):
        if not run.metrics:
            raise InputError(f"{run.name} has logged no metrics, so there is nothing to plot; train it first")
        style = {
            "color": COLOURS[place % len(COLOURS)],
            "linestyle": STYLES[place // len(COLOURS) % len(STYLES)],
            "linewidth": 1.5,
        }
        for axes, key in ((left, "loss"), (right, "rlg")):
            at, values = series(run.metrics, key, run.chosen or 0)
            axes.plot(at, values, label=f"{run.name} ({run.iterations:,})", **style)
    for axes, label in ((left, "training loss"), (right, "RLG, digits")):
        quiet(axes)
        axes.set_ylabel(label, color=SOFT)
        axes.set_xlabel("iterations", color=SOFT)
    left.set_yscale("log")
    right.set_yscale("symlog", linthresh=1)
    left.legend(fontsize=8, frameon=False, labelcolor=SOFT)
    return figure
