"""Figures of runs: training loss on the left, RLG on the right, as in the paper's appendix.

A row for each algorithm, a colour for each run, a line for each seed, the chosen one in front. While a run
goes on RLG is only watched, up to some length; what was measured at its end is the last point. Nothing global
is touched: no pyplot, no backend, no style of the caller's.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from dfst.errors import InputError, MissingExtra
from dfst.files import write_atomically
from dfst.train.config import read_config
from dfst.train.progress import POINT
from dfst.train.runfolder import RunFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, SOFT, LINE = "#23282b", "#6a6f70", "#d9d4c8"
ACCENT, SECOND, HEAD = "#1f6f5c", "#c8663f", "#e0a100"
FORMATS = (".png", ".svg", ".pdf")
COLOURS = (ACCENT, SECOND, HEAD, "#4a6fa5", "#8a5a9c", "#5f6b2d")
STYLES = ("-", "--", ":")
ROW = 2.5  # height of a row, in inches

Metrics = Sequence[Mapping[str, Any]]
"""Lines of metrics.jsonl: {"iteration", "loss": [a seed each], "rlg": [a seed each] or null, …}."""


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("a figure", "matplotlib", "plot") from error
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def quiet(axes: Any) -> None:
    """Two thin spines and soft ticks: the data is what should be seen."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.tick_params(colors=SOFT, labelsize=9)
    axes.grid(color=LINE, linewidth=0.6, alpha=0.6)
    axes.set_axisbelow(True)


def check_figure_name(path: Path) -> None:
    """Refuse a name that says no format."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            f"a figure is written as {', '.join(FORMATS)}, found {path.name!r}; change its ending"
        )


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure; its name says the format."""
    path = Path(path)
    check_figure_name(path)
    buffer = io.BytesIO()
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=160, metadata=metadata)
    write_atomically(path, buffer.getvalue())


def series(metrics: Metrics, key: str, seed: int) -> tuple[list[int], list[float]]:
    """Iterations and values of one seed, without the points where there is none."""
    when = "rlg_iteration" if key == "rlg" else "iteration"
    rows = [(record.get(when, record["iteration"]), record.get(key) or ()) for record in metrics]
    points = [(at, row[seed]) for at, row in rows if seed < len(row) and row[seed] is not None]
    finite = [(int(at), float(value)) for at, value in points if np.isfinite(value)]
    return [at for at, _ in finite], [value for _, value in finite]


@dataclass(frozen=True)
class LearningCurve:
    """One run as it was logged."""

    name: str
    metrics: Metrics
    chosen: int | None  # the chosen seed's place among the seeds; None while the run goes on
    iterations: int  # how long it was to be trained
    agent: str = ""
    final: Sequence[int | None] = ()
    """Of each seed, the largest number of digits measured at the end without a failure"""

    def front(self) -> int:
        """The seed to show in front: the chosen one, else the one whose last RLG is largest."""
        if self.chosen is not None:
            return self.chosen
        measured = [record["rlg"] for record in self.metrics if record.get("rlg")]
        return max(range(len(measured[-1])), key=measured[-1].__getitem__) if measured else 0


def learning_curves(runs: Sequence[LearningCurve]) -> Figure:
    """A row for each algorithm, in the order in which they come."""
    for run in runs:
        if not run.metrics:
            raise InputError(f"{run.name} has logged no metrics, so there is nothing to plot; train it first")
    agents = list(dict.fromkeys(run.agent for run in runs))
    figure = new_figure(9.6, ROW * len(agents) + 1.0)
    rows = figure.subplots(len(agents), 2, squeeze=False)
    for agent, (left, right) in zip(agents, rows, strict=True):
        group = sorted((run for run in runs if run.agent == agent), key=lambda run: run.iterations)
        for place, run in enumerate(group):
            _draw(left, run, "loss", place)
            _draw(right, run, "rlg", place)
        left.set_yscale("log")
        right.set_yscale("symlog", linthresh=1)
        if right.dataLim.ymax <= 0:
            right.set_ylim(-0.05, 1)  # around a 0 alone there would be one above and one below it
        right.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        for axes, what in ((left, "training loss"), (right, "RLG, digits")):
            quiet(axes)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:,g}k" if value else "0")
            axes.set_title(f"{agent}: {what}" if agent else what, loc="left", fontsize=10, color=SOFT)
        left.legend(fontsize=8, frameon=False, labelcolor=SOFT)
    for axes in rows[-1]:
        axes.set_xlabel("iterations", color=SOFT)
    return figure


def _draw(axes: Any, run: LearningCurve, key: str, place: int) -> None:
    """A line for each seed, the one in front last, and a dot where it was measured at the end."""
    front, count = run.front(), max(len(record["loss"]) for record in run.metrics)
    colour, style = COLOURS[place % len(COLOURS)], STYLES[place // len(COLOURS) % len(STYLES)]
    label = f"{run.name} ({run.iterations:,})"
    for seed in sorted(range(count), key=lambda seed: seed == front):
        shown = {"linewidth": 1.6, "label": label} if seed == front else {"linewidth": 0.7, "alpha": 0.35}
        at, values = series(run.metrics, key, seed)
        final = run.final[seed] if key == "rlg" and seed < len(run.final) else None
        if final is not None:
            at, values = [*at, run.iterations], [*values, float(final)]
            axes.plot(at[-1:], values[-1:], "o", markersize=3, alpha=shown.get("alpha", 1), color=colour)
        axes.plot(at, values, color=colour, linestyle=style, **shown)


def figure(of: Sequence[Any], tell: Callable[[str], object] = warn) -> Figure:
    """Draw run folders, or what `learn` gave. tell: takes what damage is left out"""
    if not of:
        raise InputError("plot needs something to draw; try dfst plot runs/my-run")
    return learning_curves([learning_curve(Path(getattr(run, "folder", run)), tell) for run in of])


def learning_curve(path: Path, tell: Callable[[str], object] = warn) -> LearningCurve:
    """What a run folder has logged."""
    folder, config = RunFolder(path, tell), read_config(path)
    problem, recipe, chosen = config.problem, config.recipe, None
    if folder.model_file.exists():
        seed = folder.read_weights(folder.model_file).provenance.seed or 0
        chosen = recipe.seed_numbers.index(seed) if seed in recipe.seed_numbers else None
    candidates = folder.read_report()["candidates"] if problem.sizes and folder.report_file.exists() else []
    name, metrics, final = path.resolve().name, folder.read_metrics(POINT), list(map(furthest, candidates))
    return LearningCurve(name, metrics, chosen, recipe.steps, problem.name, final)


def furthest(candidate: Mapping[str, Any]) -> int | None:
    """The largest length that a seed's final figures show no failure at."""
    right = [report["digits"] for report in candidate.get("measured", []) if report["right"]]
    return max([*right, candidate.get("reach") or 0]) if candidate.get("measured") else None
