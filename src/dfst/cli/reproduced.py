"""What `dfst reproduce` measures of the shipped models, and the one table that tells it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dfst.catalogue import note
from dfst.cli.output import console
from dfst.cli.tables import draw
from dfst.evaluation.board import BOARD, DIGITS, Mode
from dfst.evaluation.evaluate import evaluate
from dfst.model.rollout.compiled import Rollout
from dfst.paper import TASKS
from dfst.problems import find_problem
from dfst.subjects import DESCENT, descent_models, shipped, shipped_models

Found = dict[str, Any]  # a task's model as JSON: evaluation, strength, exact, seconds, samples, parameters


def measured(name: str, mode: Mode, descent: bool, tell: Callable[[str], None]) -> Found | None:
    """What the shipped model of a task does now; None where none is shipped."""
    model, there = (f"{name}{DESCENT}", descent_models()) if descent else (name, shipped_models())
    if model not in there:
        how = " --preset descent" if descent else ""
        console().print(f"no {model} is shipped; learn it: dfst learn {name}{how}", soft_wrap=True)
        return None
    weights = shipped(model)
    if mode == "far" or not descent:
        weights = weights.astype(np.float64 if mode == "far" else np.float32)
    if name in BOARD:
        sizes = BOARD[name].lengths(mode == "quick")
    else:
        paper = TASKS[name].tested_digits
        sizes = (paper if descent and mode == "paper" else DIGITS[mode][name],)
    report = evaluate(Rollout(weights), find_problem(name), sizes, name=model, progress=tell)
    told = weights.provenance
    return {
        "evaluation": report.as_json(),
        "strength": f"{told.exact_seeds} seeds exact" if descent else told.strength,
        "exact": report.right,
        "seconds": report.seconds,
        "samples": weights.examples,
        "parameters": weights.shape.size,
    }


def table(rows: Mapping[str, Found | None], title: str) -> str:
    """A row for each task, with what others have published."""
    lines = [_line(name, found) for name, found in rows.items()]
    return draw(
        lines,
        title,
        note(line["for every length"] for line in lines),
        prose=("task", "for every length", "published"),
        spare=("seconds", "parameters"),
    )


def _line(name: str, found: Found | None) -> dict[str, str]:
    columns = ("examples", "parameters", "right", "for every length", "smallest margin", "seconds")
    cells = dict.fromkeys(columns, "–") | {"right": "not shipped"}
    if found is not None:
        about = {"examples": f"{found['samples']:,}", "parameters": f"{found['parameters']:,}"}
        cells = about | figures(found, found["strength"])
    return {"task": name, **cells, "published": published(name)}


def figures(found: Found, strength: str) -> dict[str, str]:
    """What was measured of a model, as cells of the table."""
    asked = found["evaluation"]
    margins = [m["margin"] for m in asked if m["margin"] is not None]
    return {
        "right": " ".join(f"{'<' if m['failures'] else '≥'} {m['digits']:,}" for m in asked),
        "for every length": strength,
        "smallest margin": f"{min(margins):.2g}" if margins else "–",
        "seconds": f"{found['seconds']:.0f}",
    }


def published(name: str) -> str:
    """What others have published of a task."""
    if name not in TASKS:
        return BOARD[name].published or "–"
    row = TASKS[name]
    other = f"; Neural GPU {row.neural_gpu.rlg}" if row.neural_gpu else ""
    return f"paper ≥ {row.tested_digits:,}{other}"
