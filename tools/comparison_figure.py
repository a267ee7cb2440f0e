"""How far each seed is right: a panel for each task, a row for each learner, a mark for each seed.

    python tools/comparison_figure.py exactness.svg add2 add10 mult2 mult10
    python tools/comparison_figure.py mine.svg add2 --results runs/compare

A mark stands at the length up to which nothing went wrong; where the training set ends is marked by a bar.
Rows say more than curves here: most of seventeen curves would lie on each other. Marks of trainings that
were cut short are hollow, because they tell of a clock rather than of a learner. A family shares a colour.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dfst.errors import InputError
from dfst.experiments.baselines.registry import LEARNERS, RECORDED, place_of
from dfst.experiments.comparison.results import (
    Result,
    by_learner,
    kept_results,
    known_problem,
    rows,
    stored_results,
    trained_length,
    unit_of,
)
from dfst.train.recipe import find_recipe
from dfst.viewer.plots import ACCENT, HEAD, INK, LINE, SECOND, SOFT, new_figure, quiet, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAMILIES = {
    ACCENT: ("dfst-descent", "dfst", "dfst-raw", "dfst-spectral"),
    SECOND: ("elman", "lstm", "gru"),
    "#4a6fa5": ("transformer",),
    "#8a5a9c": ("diagonal", "diagonal-gated", "selective-dense", "permuted", "delta-product"),
    HEAD: ("neural-gpu",),
    INK: ("rpni", "edsm", "edsm-told", "sat", "spectral"),
}
OTHER = SOFT
CUT_SHORT = 0.1
"""A training that took a smaller part of the DFST's steps says little of what its learner can learn."""
COLUMNS = 2
"""Panels beside each other: more would be too small to read on a page."""
NOTHING = 0.4
"""Where a logarithmic axis has its zero: what is wrong from one digit on."""
CROWDED = 10_000
"""From here on every other power of ten has a tick."""
SPREAD = 0.5
"""Of a row's height, how much the marks of many seeds may take."""


def exactness(results: Sequence[Result]) -> Figure:
    """The results as one figure."""
    ordered = rows(results)
    if not ordered:
        raise InputError("there is nothing to plot; give a folder with results: --results")
    tasks, seeds = list(dict.fromkeys(row["task"] for row in ordered)), by_learner(results)
    titles = {row["learner"]: row["title"] for row in ordered}
    learners = sorted(titles, key=place_of)
    columns = min(COLUMNS, len(tasks))
    lines = -(-len(tasks) // columns)
    figure = new_figure(2.2 * columns + 2.8, lines * (0.22 * len(learners) + 1.0))
    panels = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
    for panel in panels[len(tasks) :]:
        panel.set_axis_off()
    for panel, task in zip(panels, tasks, strict=False):
        longest = max(row["longest"] for row in ordered if row["task"] == task)
        _prepare(panel, task, [titles[name] for name in learners], longest)
        for place, name in enumerate(learners):
            _draw(panel, place, name, seeds.get((name, task), ()))
    figure.supxlabel(
        "▸ no failure up to the end of the test, and how many · ● no failure up to there\n○ the same, "
        "stopped before a tenth of the DFST's steps · the bar: the longest training example",
        fontsize=9, color=SOFT,
    )  # fmt: skip
    return figure


def dfst_steps(task: str) -> int:
    """Steps that a DFST is trained for before its polish: the most that a network may take."""
    problem = known_problem(task)
    return find_recipe("quick").for_size((problem and problem.hidden_size(None)) or 1).steps


def cut_short(learner: str, task: str, iterations: int) -> bool:
    """Whether a network has taken less than a tenth of the steps that a DFST takes."""
    known = LEARNERS.get(learner)
    network = known.needs == "torch" if known else learner in {*RECORDED} - {"rpni", "spectral"}
    return network and iterations < CUT_SHORT * dfst_steps(task)


def _prepare(panel: Any, task: str, titles: list[str], longest: int) -> None:
    quiet(panel)
    panel.axvline(trained_length(task), color=LINE, linewidth=5, zorder=0)
    panel.set_xscale("log")
    panel.set_xlim(NOTHING * 0.7, longest * 1.4)
    powers = range(0, len(str(longest)), 2 if longest >= CROWDED else 1)
    ticks = [10**power for power in powers if 10**power < longest / 2] + [longest]
    panel.set_xticks([NOTHING, *ticks], ["0", *(f"{tick:,}" for tick in ticks)], fontsize=8)
    panel.set_xticks([], minor=True)
    panel.set_ylim(len(titles) - 0.4, -0.6)
    panel.set_yticks(range(len(titles)), titles, fontsize=8, color=INK)
    panel.tick_params(axis="y", length=0)
    panel.set_title(f"{task}, {unit_of(task)}", loc="left", fontsize=10)


def _draw(panel: Any, place: int, learner: str, seeds: Sequence[Result]) -> None:
    """One row: a mark for each seed, or a word where there is none."""
    if not seeds:
        panel.text(NOTHING, place, "not run", fontsize=8, color=SOFT, va="center")
        return
    colour = next((colour for colour, family in FAMILIES.items() if learner in family), OTHER)
    heights = place + SPREAD * (np.arange(len(seeds)) - (len(seeds) - 1) / 2) / max(len(seeds) - 1, 4)
    for seed, height in zip(sorted(seeds, key=lambda seed: seed.reach), heights, strict=True):
        fill = "white" if cut_short(learner, seed.task, seed.iterations) else colour
        panel.plot(
            [seed.reach or NOTHING], [height], marker=">" if seed.exact else "o", markersize=4,
            color=colour, markerfacecolor=fill, alpha=0.85, clip_on=False,
        )  # fmt: skip
    exact = [seed.reach for seed in seeds if seed.exact]
    if len(exact) > 1:
        panel.annotate(
            str(len(exact)), (max(exact), place), xytext=(5, 0), textcoords="offset points",
            fontsize=8, color=colour, va="center",
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figure", help="the file to write, .png, .svg or .pdf")
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--results", help="a folder of dfst compare, in place of the stored results")
    given = parser.parse_args()
    results = kept_results(given.results) if given.results else stored_results()
    save_figure(exactness([result for result in results if result.task in given.tasks]), given.figure)


if __name__ == "__main__":
    main()
