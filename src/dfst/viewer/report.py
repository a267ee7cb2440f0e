"""The report of a learning run as one HTML page: curves, lengths, exactness, matrices, what is proved.

A function over plain data: whoever ran the learning gathers it, and a run folder read years later gives the
same page. No script, no outside request, no plotting library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.files import write_atomically
from dfst.model.weights import Weights
from dfst.viewer.bundle import asset
from dfst.viewer.plots.curves import Metrics, series
from dfst.viewer.svg import Line, heat_map, line_chart

FAILED = 0.35
"""How dark a cell with a single failure is."""
MOST_MATRIX = 40
"""Of larger matrices only the spectral radius is told: tens of thousands of cells would make a heavy page."""

WORDS = (
    "Right: every action is the expert’s. "
    "PLG (probabilistic length generalization): right on 5 random inputs of exactly so many digits and 5 of "
    "at most so many. RLG (robust): also on every pair of numbers made of one repeated digit. "
)
HELD_OUT = "Right: every action is the machine’s, on inputs that were held out. "
MARGIN = "Margin: how far the best score leads the second, in the closest decision."


@dataclass(frozen=True, eq=False)
class Exactness:
    """How often the model was exact, by the lengths of the two operands."""

    lengths: Sequence[int]
    share: NDArray[np.float64]
    """(n, n) row: digits of the first operand, column: of the second; 1 is always exact"""


@dataclass(frozen=True, eq=False)
class LearningReport:
    """All that the page shows; what is None or empty is left out."""

    title: str
    statement: str
    """The strongest sentence that was reached about the model."""
    strength: str
    """proved, bounded, tested or refuted"""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Rows of words: examples, recipe, seeds, time."""
    metrics: Metrics = ()
    """The lines of metrics.jsonl."""
    seeds: Sequence[int] = ()
    chosen: int | None = None
    """The chosen seed's place in `seeds`."""
    lengths: Sequence[Mapping[str, Any]] = ()
    """`Report.as_json()`, a line for each size."""
    exactness: Exactness | None = None
    before: Weights | None = None
    """The chosen seed before the polish."""
    after: Weights | None = None
    replay: str = ""
    """A link to a replay beside the report."""


def write_report(report: LearningReport, path: str | Path) -> None:
    """Write the page, all or nothing."""
    write_atomically(path, report_html(report))


def report_html(report: LearningReport) -> str:
    sections = [
        ("Learning", _curves(report)),
        ("Longer inputs", _lengths(report)),
        ("Exactness by the lengths of the operands", _exactness(report.exactness)),
        ("The matrices A[x]", _matrices(report.before, report.after)),
    ]
    body = "".join(f"<section><h2>{title}</h2>{content}</section>" for title, content in sections if content)
    return Template(asset("report.html")).substitute(
        title=escape(report.title),
        statement=escape(report.statement),
        strength=escape(report.strength),
        facts=_facts(report),
        body=body,
        style=asset("report.css"),
    )


def _facts(report: LearningReport) -> str:
    rows = [f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in report.facts.items()]
    link = f'<p><a href="{escape(report.replay, quote=True)}">Watch it work</a></p>' if report.replay else ""
    return (f"<dl>{''.join(rows)}</dl>" if rows else "") + link


def _curves(report: LearningReport) -> str:
    if not report.metrics:
        return ""
    count = max(len(record["loss"]) for record in report.metrics)
    charts = []
    for key, label in (("loss", "loss"), ("rlg", "RLG, digits")):
        lines = []
        for place in range(count):
            x, y = series(report.metrics, key, place)
            name = f"seed {report.seeds[place]}" if place < len(report.seeds) else f"seed number {place}"
            lines.append(Line(x, y, name, front=place == report.chosen or count == 1))
        if any(line.y for line in lines):
            charts.append(f"<figure>{line_chart(lines, 'iterations', label)}</figure>")
    note = (
        ""
        if report.chosen is None or count == 1
        else f"<p>The strong line is the chosen seed of {count}.</p>"
    )
    return "".join(charts) + note


def _lengths(report: LearningReport) -> str:
    if not report.lengths:
        return ""
    held_out = "language" in report.lengths[0]  # a machine without a task: its inputs have no digits
    judged = ("longest", "actions") if held_out else ("digits", "PLG", "RLG", "hard cases")
    heads = "".join(f"<th>{head}</th>" for head in (*judged, "inputs", "steps", "smallest margin"))
    rows = "".join(
        f"<tr><td>{row['digits']:,}</td>{_judged(row, held_out)}<td>{row['inputs']:,}</td>"
        f"<td>{row['steps']:,}</td><td>{_margin(row['margin'])}</td></tr>"
        for row in report.lengths
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div><p>{HELD_OUT if held_out else WORDS}{MARGIN}</p>'


def _judged(row: Mapping[str, Any], held_out: bool) -> str:
    verdicts = [row["plg"]] if held_out else [row["plg"], row["rlg"], not row["hard_failures"]]
    return "".join(map(_verdict, verdicts))


def _margin(margin: float | None) -> str:
    return "–" if margin is None else f"{margin:.6f}"


def _verdict(right: bool) -> str:
    return f'<td class="{"good" if right else "bad"}">{"right" if right else "wrong"}</td>'


def _exactness(exactness: Exactness | None) -> str:
    if exactness is None:
        return ""
    names = [str(length) for length in exactness.lengths]
    share = exactness.share
    # What fails must be seen, above all where everything does: any failure takes the other colour.
    values = np.where(share == 1, 1.0, -FAILED - (1 - FAILED) * (1 - share))
    says = [[f"{part:.0%} exact" for part in row] for row in share]
    chart = heat_map(values, names, names, "share of exact answers by operand lengths", True, says)
    lowest = float(share.min())
    words = (
        "Rows: digits of the first operand; columns: of the second. A cell marked × holds inputs that went "
        f"wrong, the darker the more. Lowest share {lowest:.0%}."
    )
    return f"<figure>{chart}</figure><p>{words}</p>"


def _matrices(before: Weights | None, after: Weights | None) -> str:
    shown = [
        (name, weights) for name, weights in (("before the polish", before), ("after", after)) if weights
    ]
    if not shown:
        return ""
    rows = []
    for name, weights in shown:
        radii = np.abs(np.linalg.eigvals(weights.A.astype(np.float64))).max(axis=1)
        cells = []
        for symbol, matrix, radius in zip(weights.alphabet, weights.A, radii, strict=True):
            d = len(matrix)
            numbers = [str(i) for i in range(d)]
            picture = heat_map(matrix, numbers, numbers, f"A[{symbol}]", True) if d <= MOST_MATRIX else ""
            cells.append(
                f"<figure>{picture}<figcaption>A[{escape(symbol)}], ρ = {radius:.6f}</figcaption></figure>"
            )
        rows.append(f'<h3>{name}</h3><div class="matrices">{"".join(cells)}</div>')
    return "".join(rows) + "<p>ρ is the spectral radius; for a symbol that repeats it must not exceed 1.</p>"
