"""How many seeds of a run meet no failure up to a length: a panel for each algorithm, a line for each run.

Every seed was measured at the end of its run (`dfst learn --every-seed`); the dot says how many are exact at
the length asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dfst.errors import InputError
from dfst.viewer.plots.canvas import SOFT, new_figure, quiet
from dfst.viewer.plots.compare import COLOURS, LearningCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABEL_ROOM = 1.35
"""On a logarithmic axis, how much longer it is than what was tested: the counts stand there."""


def reached(runs: Sequence[LearningCurve]) -> Figure:
    """Panels in the order in which the algorithms come."""
    for run in runs:
        if not run.final or None in run.final:
            raise InputError(
                f"{run.name} has not measured every seed; dfst learn --resume RUN --every-seed does"
            )
    agents = list(dict.fromkeys(run.agent for run in runs))
    presets = list(dict.fromkeys(run.preset for run in runs))
    figure = new_figure(3.4 * len(agents) + 0.6, 2.9)
    panels = figure.subplots(1, len(agents), squeeze=False)[0]
    for agent, axes in zip(agents, panels, strict=True):
        for run in (each for each in runs if each.agent == agent):
            furthest = sorted(length for length in run.final if length is not None)
            end = max(run.tested, furthest[-1], 1)
            colour = COLOURS[presets.index(run.preset) % len(COLOURS)]
            # after a length that a seed still passes, one seed less
            at = [1.0, *(max(length, 1) for length in furthest if length < end), end]
            left = [len(furthest) - sum(length < x for length in furthest) for x in at]
            axes.step(at, left, where="pre", color=colour, linewidth=1.8, label=run.preset)
            axes.plot(at[-1:], left[-1:], "o", markersize=5, color=colour)
            axes.annotate(
                f"{left[-1]} of {len(furthest)}", (at[-1], left[-1]), xytext=(7, 0), va="center",
                textcoords="offset points", fontsize=9, color=colour,
            )  # fmt: skip
        quiet(axes)
        axes.set_xscale("log")
        axes.set_ylim(-0.6, None if axes.dataLim.ymax > 0 else 1)
        axes.set_xlim(0.8, max(run.tested for run in runs if run.agent == agent) ** LABEL_ROOM)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_title(agent, loc="left", fontsize=10, color=SOFT)
        axes.set_xlabel("digits", color=SOFT)
    panels[0].set_ylabel("seeds without a failure", color=SOFT)
    if len(presets) > 1:
        panels[0].legend(fontsize=8, frameon=False, labelcolor=SOFT, loc="lower left")
    return figure
