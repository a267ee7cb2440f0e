"""How many seeds of a run meet no failure up to a length: a panel for each algorithm, a line for each run.

    python tools/reach_figure.py reach.svg runs/add2-paper runs/add2-descent

Every seed was measured at the end of its run (`dfst learn --every-seed`); the dot says how many are exact at
the length asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from dfst.errors import InputError
from dfst.train.config import read_config
from dfst.train.runfolder import RunFolder
from dfst.viewer.plots import COLOURS, SOFT, furthest, new_figure, quiet, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IN_A_ROW = 2
"""Panels beside each other: more would be too small to read on a page."""
LABEL_ROOM = 1.35
"""On a logarithmic axis, how much longer it is than what was tested: the counts stand there."""


@dataclass(frozen=True)
class Reach:
    """How far the seeds of a run go."""

    name: str
    agent: str
    preset: str
    final: Sequence[int | None]
    """Of each seed, the largest number of digits measured at the end without a failure"""
    tested: int
    """Digits that every seed was measured at"""


def reach_of(path: str) -> Reach:
    config, candidates = read_config(path), RunFolder(path).read_report()["candidates"]
    tested = max((report["digits"] for seed in candidates for report in seed["measured"]), default=0)
    return Reach(path, config.problem.name, config.recipe.preset, list(map(furthest, candidates)), tested)


def reached(runs: Sequence[Reach]) -> Figure:
    """Panels in the order in which the algorithms come."""
    for run in runs:
        if not run.final or None in run.final:
            raise InputError(
                f"{run.name} has not measured every seed; dfst learn --resume RUN --every-seed does"
            )
    agents = list(dict.fromkeys(run.agent for run in runs))
    # what is ours has the colour of ours
    presets = sorted(dict.fromkeys(run.preset for run in runs), key="paper".__eq__)
    across = min(IN_A_ROW, len(agents))
    down = ceil(len(agents) / across)
    figure = new_figure(3.9 * across + 0.6, 2.7 * down + 0.2)
    grid = figure.subplots(down, across, squeeze=False)
    panels = grid.ravel()
    for axes in panels[len(agents) :]:
        axes.set_axis_off()
    for agent, axes in zip(agents, panels[: len(agents)], strict=True):
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
        most = max(len(run.final) for run in runs if run.agent == agent)
        axes.set_ylim(-0.04 * most, 1.06 * most)
        axes.set_xlim(0.8, max(run.tested for run in runs if run.agent == agent) ** LABEL_ROOM)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_title(agent, loc="left", fontsize=10, color=SOFT)
        axes.set_xlabel("digits", color=SOFT)
    for axes in grid[:, 0]:
        axes.set_ylabel("seeds without a failure", color=SOFT)
    if len(presets) > 1:
        panels[0].legend(fontsize=8, frameon=False, labelcolor=SOFT, loc="lower left")
    return figure


def main(out: str, *runs: str) -> None:
    save_figure(reached([reach_of(run) for run in runs]), out)


if __name__ == "__main__":
    main(*sys.argv[1:])
