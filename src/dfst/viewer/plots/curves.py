"""Loss and RLG over the iterations, a line for each seed, the chosen one in front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dfst.errors import InputError
from dfst.viewer.plots.canvas import ACCENT, LINE, SOFT, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Metrics = Sequence[Mapping[str, Any]]
"""Lines of metrics.jsonl: {"iteration", "loss": [a seed each], "rlg": [a seed each] or null, …}."""


def series(metrics: Metrics, key: str, seed: int) -> tuple[list[int], list[float]]:
    """Iterations and values of one seed, without the points where there is none."""
    at: list[int] = []
    values: list[float] = []
    for record in metrics:
        row = record.get(key)
        value = row[seed] if row is not None and seed < len(row) else None
        if value is not None and np.isfinite(value):
            at.append(
                int(record.get("rlg_iteration", record["iteration"]) if key == "rlg" else record["iteration"])
            )
            values.append(float(value))
    return at, values


def learning_curves(metrics: Metrics, chosen: int | None = None, title: str = "") -> Figure:
    """`chosen`: the place of the seed to bring to the front."""
    if not metrics:
        raise InputError("there is nothing to plot yet: the run has logged no metrics; train it first")
    count = max(len(record["loss"]) for record in metrics)
    measured = any(record.get("rlg") for record in metrics)
    figure = new_figure(7.5, 5.2 if measured else 3.2)
    rows = figure.subplots(2 if measured else 1, 1, sharex=True, squeeze=False)[:, 0]
    for axes, key, label in zip(rows, ("loss", "rlg"), ("loss", "RLG, digits"), strict=False):
        quiet(axes)
        axes.set_ylabel(label, color=SOFT)
        axes.set_yscale("log" if key == "loss" else "symlog", **({} if key == "loss" else {"linthresh": 1}))
        for seed in sorted(range(count), key=lambda seed: seed == chosen):
            front = seed == chosen or count == 1
            at, values = series(metrics, key, seed)
            axes.plot(
                at,
                values,
                color=ACCENT if front else LINE,
                linewidth=1.8 if front else 1.0,
                marker="o" if key == "rlg" else None,  # measured now and then: the line only joins the points
                markersize=3,
                label=f"{seed}",
            )
            if front and at:
                axes.annotate(
                    f"{values[-1]:.2g}" if key == "loss" else f"{values[-1]:,.0f}",
                    (at[-1], values[-1]), xytext=(5, 0), textcoords="offset points", color=ACCENT, fontsize=9,
                )  # fmt: skip
    rows[-1].set_xlabel("iteration", color=SOFT)
    rows[0].set_title(title, loc="left", fontsize=11)
    return figure
