"""The report of a learning run, from plain data."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from viewer_subjects import dense

from dfst.experts import expert
from dfst.model import compile_agent
from dfst.viewer.report import Exactness, LearningReport, report_html, write_report
from dfst.viewer.svg import Line, heat_map, line_chart

METRICS = [
    {
        "iteration": 100 * i,
        "loss": [10.0**-i, None if i > 2 else 0.5],
        "rlg": [i, 0],
        "rlg_iteration": 100 * i,
    }
    for i in range(1, 6)
]
LENGTHS = [
    {
        "digits": 100,
        "plg": True,
        "rlg": True,
        "inputs": 30,
        "steps": 12_345,
        "margin": 0.999,
        "hard_failures": 0,
    },
    {
        "digits": 3850,
        "plg": True,
        "rlg": False,
        "inputs": 30,
        "steps": 29_700_000,
        "margin": 0.01,
        "hard_failures": 2,
    },
]
MODEL = dense(compile_agent(expert("add2"), dtype=np.float64), 0)
FULL = LearningReport(
    title="add2 <learnt>",
    statement="proved: add2 acts as expert:add2 does on every input, of any length",
    strength="proved",
    facts={"examples": "20", "time": "58 s"},
    metrics=METRICS,
    seeds=(3, 4),
    chosen=0,
    lengths=LENGTHS,
    exactness=Exactness((1, 2, 3), np.array([[1.0, 1, 1], [1, 0.5, 1], [1, 1, 0]])),
    before=MODEL,
    after=MODEL,
    replay="replay.html",
)


def charts(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def test_the_page_holds_everything_it_was_given(tmp_path: Path) -> None:
    write_report(FULL, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "add2 &lt;learnt&gt;" in page
    assert FULL.statement in page
    for text in (
        "examples",
        "58 s",
        "29,700,000",
        "0.010000",
        "Lowest share 0%",
        "A[λ], ρ = 1.000000",
        "replay.html",
    ):
        assert text in page
    assert page.count(">right</td>") == 4
    assert page.count(">wrong</td>") == 2  # RLG, and the hard cases that it leaves out


def test_charts_are_well_formed_and_named() -> None:
    drawn = charts(report_html(FULL))
    assert len(drawn) == 2 + 1 + 2 * len(MODEL.alphabet)
    assert all(chart.get("role") == "img" and chart.get("aria-label") for chart in drawn)


def test_the_page_asks_nothing_and_runs_nothing() -> None:
    page = report_html(FULL)
    assert "<script" not in page
    assert not re.search(r"https?://|url\(|@import", page)


def test_what_was_not_measured_is_left_out() -> None:
    page = report_html(LearningReport("add2", "tested", "tested"))
    assert "<h2>" not in page
    assert charts(page) == []


def test_the_chosen_line_is_in_front_and_carries_its_last_value() -> None:
    (chart,) = charts(
        line_chart([Line([1, 2], [0.1, 0.01], "a", True), Line([1, 2], [1, 1], "b")], "n", "loss")
    )
    lines = [node for node in chart if node.tag == "polyline"]
    assert [line.get("class") for line in lines] == ["back", "front"]
    assert "0.01" in [node.text for node in chart if node.get("class") == "front-text"]


def test_a_logarithmic_chart_leaves_out_zero() -> None:
    (chart,) = charts(line_chart([Line([1, 2, 3], [0, 5, 50], "a", True)], "n", "RLG"))
    (line,) = (node for node in chart if node.tag == "polyline")
    assert len((line.get("points") or "").split()) == 2
    assert charts(line_chart([Line([1], [0], "a")], "n", "RLG")) == []


def test_a_line_of_one_point_is_a_dot() -> None:
    (chart,) = charts(line_chart([Line([3], [5], "a", True), Line([1, 2], [1, 2], "b")], "n", "RLG"))
    assert [node.get("class") for node in chart if node.tag == "circle"] == ["front"]


@pytest.mark.parametrize("values", [np.zeros((2, 2)), np.ones((1, 3)), -np.eye(50)])
def test_heat_maps_have_a_cell_for_each_value(values: np.ndarray) -> None:
    names = [str(i) for i in range(max(values.shape))]
    (chart,) = charts(heat_map(values, names, names, "values", diverging=True))
    cells = [node for node in chart if node.tag == "rect"]
    assert len(cells) == values.size
    opacity = np.array([float(cell.get("fill-opacity") or "nan") for cell in cells]).reshape(values.shape)
    assert opacity == pytest.approx(np.abs(values) / (np.abs(values).max() or 1))
    assert [cell.get("class") == "minus" for cell in cells] == (values.ravel() < 0).tolist()


def test_a_grid_that_fails_everywhere_is_not_blank() -> None:
    grid = Exactness((1, 2), np.zeros((2, 2)))
    page = report_html(LearningReport("add2", "refuted", "refuted", exactness=grid))
    (chart,) = charts(page)
    cells = [node for node in chart if node.tag == "rect"]
    assert [(cell.get("class"), cell.get("fill-opacity")) for cell in cells] == [("minus", "1.000")] * 4
    assert sum(node.get("class") == "cross" for node in chart) == 4
    assert cells[0][0].text == "1, 1: 0% exact"


def test_the_measures_are_explained_where_they_stand() -> None:
    page = report_html(FULL)
    assert "PLG (probabilistic length generalization)" in page
    assert "RLG (robust)" in page


def test_a_machine_without_a_task_has_no_digits() -> None:
    row = {**LENGTHS[0], "language": "[01]*", "unshown": [], "unmet": []}
    page = report_html(LearningReport("negate", "proved", "proved", lengths=[row]))
    assert "on inputs that were held out" in page
    assert not re.search("PLG|RLG|digit", page.partition("<body")[2])
