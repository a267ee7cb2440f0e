"""The figure that was asked for, of run folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal
from warnings import warn

from matplotlib.figure import Figure

from dfst.errors import InputError
from dfst.train.config import read_config
from dfst.train.progress import POINT
from dfst.train.runfolder import RunFolder
from dfst.viewer.plots import LearningCurve, learning_curves, reached

Kind = Literal["curves", "reach"]


def figure(of: Sequence[Any], kind: Kind = "curves", tell: Callable[[str], object] = warn) -> Figure:
    """Draw run folders, or what `learn` gave. tell: takes what damage is left out"""
    if not of:
        raise InputError("plot needs something to draw; try dfst plot runs/my-run")
    runs = [learning_curve(Path(getattr(run, "folder", run)), tell) for run in of]
    return learning_curves(runs) if kind == "curves" else reached(runs)


def learning_curve(path: Path, tell: Callable[[str], object] = warn) -> LearningCurve:
    """What a run folder has logged."""
    folder, config = RunFolder(path, tell), read_config(path)
    problem, recipe, chosen = config.problem, config.recipe, None
    if folder.model_file.exists():
        seed = folder.read_weights(folder.model_file).provenance.seed or 0
        chosen = recipe.seed_numbers.index(seed) if seed in recipe.seed_numbers else None
    candidates = _candidates(folder) if problem.sizes else []
    return LearningCurve(
        path.resolve().name,
        folder.read_metrics(POINT),
        chosen,
        recipe.steps,
        problem.name,
        problem.trained_size,
        [_furthest(candidate) for candidate in candidates],
        recipe.preset,
        max((report["digits"] for c in candidates for report in c.get("measured", [])), default=0),
    )


def _candidates(folder: RunFolder) -> list[dict[str, Any]]:
    """The final figures of each seed."""
    found: list[dict[str, Any]] = folder.read_report()["candidates"] if folder.report_file.exists() else []
    return found


def _furthest(candidate: dict[str, Any]) -> int | None:
    """The largest length that a seed's final figures show no failure at."""
    right = [report["digits"] for report in candidate.get("measured", []) if report["right"]]
    return max([*right, candidate.get("reach") or 0]) if candidate.get("measured") else None
