"""Exactness against length: the share of inputs on which a learner is right throughout, at growing lengths.

One panel a task, one line a learner, the mean over its seeds; where the training set ends is marked. A ladder
that ended early, since nothing was right any more, goes on as it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dfst.comparison.result import Record, SeedResult
from dfst.comparison.table import rows, trained_digits
from dfst.errors import InputError
from dfst.viewer.plots.canvas import ACCENT, LINE, SOFT, new_figure, quiet
from dfst.viewer.plots.compare import COLOURS, STYLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = list[tuple[int, float]]
"""(digits, share of inputs that were right), shortest first."""


def exactness_curve(seeds: Sequence[SeedResult]) -> Curve:
    """The mean share over the seeds at every length that one of them was asked."""
    lengths = sorted({rung.digits for result in seeds for rung in result.ladder})
    return [(digits, float(np.mean([_share(result, digits) for result in seeds]))) for digits in lengths]


def _share(result: SeedResult, digits: int) -> float:
    """The share at the length itself, or at the longest one asked before it."""
    asked = [rung for rung in result.ladder if rung.digits <= digits]
    return asked[-1].right / asked[-1].asked if asked else 0.0


def exactness(records: Sequence[Record]) -> Figure:
    """The records as one figure."""
    ordered = rows(records)
    if not ordered:
        raise InputError("there is nothing to plot: the records hold no seeds; give others with --results")
    tasks = list(dict.fromkeys(row.task for row in ordered))
    learners = list(dict.fromkeys(row.learner for row in ordered))
    titles = {row.learner: row.title for row in ordered}
    seeds = {(record.learner, record.task): record.seeds for record in records}
    columns = min(2, len(tasks))
    figure = new_figure(4.8 * columns + 1.6, 3.1 * -(-len(tasks) // columns))
    panels = figure.subplots(-(-len(tasks) // columns), columns, squeeze=False).ravel()
    for panel in panels[len(tasks) :]:
        panel.set_axis_off()
    for panel, task in zip(panels, tasks, strict=False):
        quiet(panel)
        panel.axvline(trained_digits(task), color=LINE, linewidth=6, zorder=0)
        for place, learner in enumerate(learners):
            if (learner, task) not in seeds:
                continue
            digits, shares = zip(*exactness_curve(seeds[learner, task]), strict=True)
            own = learner == "dfst"
            panel.plot(
                digits, shares, label=titles[learner], marker=".", markersize=5,
                color=ACCENT if own else COLOURS[1 + place % (len(COLOURS) - 1)],
                linestyle=STYLES[place // (len(COLOURS) - 1) % len(STYLES)],
                linewidth=2.2 if own else 1.2, zorder=3 if own else 2,
            )  # fmt: skip
        panel.set_xscale("log")
        panel.set_ylim(-0.03, 1.03)
        panel.set_title(task, loc="left", fontsize=11)
        panel.set_xlabel("digits", color=SOFT)
        panel.set_ylabel("inputs right", color=SOFT)
    lines = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    named = [titles[learner] for learner in learners if titles[learner] in lines]
    figure.legend(
        [lines[name] for name in named], named, loc="outside right center", fontsize=8, frameon=False,
        labelcolor=SOFT,
    )  # fmt: skip
    return figure
