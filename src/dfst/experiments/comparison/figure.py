"""Exactness against length: the share of inputs on which a learner is right throughout, at growing lengths.

A panel for each task, a line for each learner (the mean over its seeds); where the training set ends is
marked. A ladder that ended early, since nothing was right any more, goes on as it ended. A family shares a
colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dfst.errors import InputError
from dfst.experiments.comparison.result import Result
from dfst.experiments.comparison.table import by_learner, rows
from dfst.experiments.comparison.tasks import trained_length, unit_of
from dfst.viewer.plots.canvas import ACCENT, HEAD, LINE, SECOND, SOFT, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = list[tuple[int, float]]
"""(digits, share of inputs that were right), shortest first."""

LOOKS = {
    "dfst": (ACCENT, "-"),
    "dfst-descent": (ACCENT, "-."),
    "dfst-raw": (ACCENT, "--"),
    "dfst-spectral": (ACCENT, ":"),
    "gru": (SECOND, "-"),
    "lstm": (SECOND, "--"),
    "elman": (SECOND, ":"),
    "transformer": ("#4a6fa5", "-"),
    "diagonal": ("#8a5a9c", "--"),
    "diagonal-gated": ("#8a5a9c", "-"),
    "selective-dense": ("#2f7f6f", "-"),
    "permuted": ("#2f7f6f", "--"),
    "delta-product": ("#2f7f6f", ":"),
    "neural-gpu": (HEAD, "-"),
    "rpni": (SOFT, "-"),
    "edsm": (SOFT, "--"),
    "spectral": (SOFT, ":"),
}
OTHER_LOOK = ("#5f6b2d", "-")


def exactness_curve(seeds: Sequence[Result]) -> Curve:
    """The mean share over the seeds at every length that one of them was asked."""
    lengths = sorted({rung.digits for result in seeds for rung in result.ladder})
    return [(digits, float(np.mean([_share(result, digits) for result in seeds]))) for digits in lengths]


def _share(result: Result, digits: int) -> float:
    """The share at the length itself, or at the longest one asked before it."""
    asked = [rung for rung in result.ladder if rung.digits <= digits]
    return asked[-1].right / asked[-1].asked if asked else 0.0


def exactness(results: Sequence[Result]) -> Figure:
    """The results as one figure."""
    ordered = rows(results)
    if not ordered:
        raise InputError("there is nothing to plot; give a folder with results: --results")
    tasks = list(dict.fromkeys(row.task for row in ordered))
    titles = {row.learner: row.title for row in ordered}
    seeds = by_learner(results)
    columns = min(2, len(tasks))
    figure = new_figure(4.2 * columns + 2.4, 2.9 * -(-len(tasks) // columns))
    panels = figure.subplots(-(-len(tasks) // columns), columns, squeeze=False, sharey=True).ravel()
    lines: dict[str, Any] = {}
    for panel in panels[len(tasks) :]:
        panel.set_axis_off()
    for place, (panel, task) in enumerate(zip(panels, tasks, strict=False)):
        _prepare(panel, task, place % columns == 0)
        for learner in titles:
            if (learner, task) in seeds:
                curve = exactness_curve(seeds[learner, task])
                lines[titles[learner]] = _draw(panel, learner, curve)
    figure.legend(
        [lines[title] for title in titles.values()], list(titles.values()), loc="outside right center",
        fontsize=8, frameon=False, labelcolor=SOFT, handlelength=2.6,
    )  # fmt: skip
    return figure


def _prepare(panel: Any, task: str, first: bool) -> None:
    from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter

    quiet(panel)
    longest, unit = trained_length(task), unit_of(task)
    panel.axvline(longest, color=LINE, linewidth=5, zorder=0)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(FuncFormatter(lambda digits, _: f"{digits:,.0f}"))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.set_ylim(-0.03, 1.03)
    panel.yaxis.set_major_formatter(PercentFormatter(1.0))
    panel.set_title(task, loc="left", fontsize=11)
    told = f"the bar: longest training example, {longest} {unit}"
    panel.set_title(told, loc="right", fontsize=7, color=SOFT)
    panel.set_xlabel(unit, color=SOFT)
    if first:
        panel.set_ylabel("inputs right throughout", color=SOFT)


def _draw(panel: Any, learner: str, curve: Curve) -> Any:
    digits, shares = zip(*curve, strict=True)
    colour, style = LOOKS.get(learner, OTHER_LOOK)
    own = learner == "dfst"
    (line,) = panel.plot(
        digits, shares, marker=".", markersize=6 if own else 3.5, color=colour, linestyle=style,
        linewidth=2.6 if own else 1.3, zorder=3 if own else 2, clip_on=False,
    )  # fmt: skip
    return line
