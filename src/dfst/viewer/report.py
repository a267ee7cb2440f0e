"""The report of a learning run as one HTML page: verdict, replay, learnt machine, matrices, curves, lengths.

Words and tables stand in the page; the browser draws the rest (web/report.js), and asks nothing of anybody.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from dfst.files import write_atomically
from dfst.machines.agent import Agent
from dfst.model.weights import Weights
from dfst.train.learnt import Learnt
from dfst.train.runfolder import RunFolder
from dfst.viewer.bundle import asset, page_parts
from dfst.viewer.payload import Subject, describe, pack, packed
from dfst.viewer.plots import Metrics, series
from dfst.viewer.replay import replay_data, write_html

MOST_MATRIX = 40
"""Of larger matrices only the spectral radius is told: tens of thousands of cells would make a heavy page."""
WORDS = (
    "Right: every action is the expert’s. "
    "PLG (probabilistic length generalization): right on 5 random inputs of exactly so many digits and 5 of "
    "at most so many. RLG (robust): also on every pair of numbers made of one repeated digit. "
)
HELD_OUT = "Right: every action is the machine’s, on inputs that were held out. "
RECORDED = "Right: every action is the one that was recorded; a number tells how many are. "
MARGIN = "Margin: how far the best score leads the second, in the closest decision."


def report_html(
    title: str, statement: str, strength: str, facts: Mapping[str, str] = {}, metrics: Metrics = (),
    seeds: Sequence[int] = (), chosen: int | None = None, lengths: Sequence[Mapping[str, str]] = (),
    models: Mapping[str, Weights] = {}, machine: Agent | None = None, example: str = "",
    reference: Subject | None = None,
) -> str:  # fmt: skip
    """The page; what is None or empty is left out.

    chosen: the chosen seed's place in `seeds`; lengths: `Report.rows()`; models: of the chosen seed, the last
    of which is watched on the example, beside the reference
    """
    last = [*models.values()][-1] if models else None
    drawn = {
        "replay": last and replay_data(last, example, reference),
        "machine": machine and describe(machine),
        "matrices": [_matrices(name, weights) for name, weights in models.items()],
        "curves": _curves(metrics, seeds, chosen),
    }
    told = "".join(f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>" for name, said in facts.items())
    return Template(asset("report.html")).substitute(
        title=escape(title),
        statement=escape(statement),
        strength=escape(strength),
        facts=f"<dl>{told}</dl>" if told else "",
        body=_lengths(lengths),
        parts=page_parts("report", "style.css", "report.css"),
        data=pack(drawn),
    )


def _matrices(name: str, weights: Weights) -> dict[str, Any]:
    """A[x] of each symbol as float32, with its spectral radius."""
    d = len(weights.h0)
    radii = np.abs(np.linalg.eigvals(weights.A.astype(np.float64))).max(axis=1).tolist()
    A = packed(weights.A.astype(np.float32)) if d <= MOST_MATRIX else None
    return {"name": name, "alphabet": weights.alphabet, "d": d, "radii": radii, "A": A}


def _curves(metrics: Metrics, seeds: Sequence[int], chosen: int | None) -> list[dict[str, Any]]:
    """Loss and RLG over the iterations, a line for each seed."""
    count = max((len(record["loss"]) for record in metrics), default=0)
    curves = []
    for key, label in (("loss", "loss"), ("rlg", "RLG, digits")):
        lines = []
        for place in range(count):
            x, y = series(metrics, key, place)
            name = f"seed {seeds[place]}"
            lines.append({"name": name, "x": x, "y": y, "front": place == chosen or count == 1})
        if any(line["y"] for line in lines):
            curves.append({"label": label, "lines": lines})
    return curves


def _lengths(lengths: Sequence[Mapping[str, str]]) -> str:
    if not lengths:
        return ""
    heads = "".join(f"<th scope=col>{escape(head)}</th>" for head in lengths[0])
    rows = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in lengths)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    # a table that may be wider than a phone can be scrolled by keys
    wide = f'<div class="wide" tabindex="0" role="region" aria-label="Longer inputs">{table}</div>'
    return f"<section><h2>Longer inputs</h2>{wide}<p>{_explained(lengths[0])}{MARGIN}</p></section>"


def _explained(row: Mapping[str, str]) -> str:
    """What the words in the table mean."""
    if "PLG" in row:
        return WORDS
    return RECORDED if row["asked"].endswith("traces") else HELD_OUT


def _cell(text: str) -> str:
    kind = " class=good" if text == "right" else " class=bad" if text.endswith("wrong") else ""
    return f"<td{kind}>{escape(text)}</td>"


def write_learning_report(learnt: Learnt) -> Path:
    """Write both pages; gives the report's place."""
    folder, weights, problem = RunFolder(learnt.folder), learnt.weights, learnt.problem
    seeds, chosen = list(learnt.recipe.seed_numbers), learnt.chosen
    text = problem.example or next(iter(learnt.traces.inputs), "")
    write_html(weights, text, folder.replay_page, against=problem.reference)
    page = report_html(
        f"{problem.name}, learnt", learnt.statement, learnt.strength, _facts(learnt),
        [progress.as_json() for progress in learnt.curve], seeds, seeds.index(chosen.seed),
        learnt.report.rows(),
        {**({"before the polish": chosen.raw} if chosen.polished else {}), "after": weights},
        learnt.machine or (chosen.polished.graph.machine() if chosen.polished else None),
        text, problem.reference,
    )  # fmt: skip
    write_atomically(folder.report_page, page)
    return folder.report_page


def _facts(learnt: Learnt) -> dict[str, str]:
    recipe, weights = learnt.recipe, learnt.weights
    return {
        "examples": "; ".join([learnt.examples, *([learnt.lesson.sentence()] if learnt.lesson else [])]),
        **({"machine": "; ".join(filter(None, [learnt.unmet, learnt.nearest]))} if learnt.unmet else {}),
        **({"disbelieved": "; ".join(learnt.disbelieved)} if learnt.disbelieved else {}),
        **({"warnings": "; ".join(learnt.warnings)} if learnt.warnings else {}),
        "model": f"hidden size {weights.shape.d}, {weights.shape.size:,} parameters in {weights.dtype}",
        "recipe": f"{recipe.preset}: {recipe.steps:,} Adam steps from a rate of {recipe.learning_rate:g}",
        "seeds": f"{len(learnt.outcomes)}; seed {learnt.chosen.seed} was chosen",
        "polish": weights.provenance.polish or "none",
        "time": f"{learnt.seconds:.0f} s",
    }
