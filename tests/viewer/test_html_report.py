"""The report of a learning run, from plain data."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from viewer_subjects import dense

from dfst.evaluation.report import Measurement, Report
from dfst.experts import expert
from dfst.model import compile_agent
from dfst.viewer.report import report_html

METRICS = [
    {
        "iteration": 100 * i,
        "loss": [10.0**-i, None if i > 2 else 0.5],
        "rlg": [i, 0],
        "rlg_iteration": 100 * i,
    }
    for i in range(1, 6)
]
REPORT = Report(
    "add2",
    "digits",
    (
        Measurement(100, True, True, 30, 12_345, 1.0, margin=0.999),
        Measurement(3850, True, False, 30, 29_700_000, 9.0, margin=0.01, hard_failures=2),
    ),
)
MODEL = dense(compile_agent(expert("add2"), dtype=np.float64), 0)
FULL = dict[str, Any](
    title="add2 <learnt>",
    statement="proved: add2 acts as expert:add2 does on every input, of any length",
    strength="proved",
    facts={"examples": "20", "time": "58 s"},
    metrics=METRICS,
    seeds=(3, 4),
    chosen=0,
    lengths=REPORT.rows(),
    models={"before the polish": MODEL, "after": MODEL},
    machine=expert("add2"),
    example="1+1",
    reference=expert("add2"),
)


def test_the_page_holds_everything_it_was_given() -> None:
    page = report_html(**FULL)
    assert "add2 &lt;learnt&gt;" in page
    assert FULL["statement"] in page
    for text in ("examples", "58 s", "29,700,000", "<td>0.01</td>"):
        assert text in page
    assert page.count(">right</td>") == 4
    assert page.count("wrong</td>") == 2  # RLG, and the hard cases that it leaves out


def drawn(page: str) -> dict[str, Any]:
    """What the browser draws of it."""
    held = re.search(r'id="dfst-data">([^<]*)<', page)
    assert held is not None
    return json.loads(gzip.decompress(base64.b64decode(held[1])))


def test_what_is_drawn_travels_with_the_page() -> None:
    data = drawn(report_html(**FULL))
    assert [curve["label"] for curve in data["curves"]] == ["loss", "RLG, digits"]
    loss = data["curves"][0]["lines"]
    assert [(line["name"], line["front"], len(line["y"])) for line in loss] == [
        ("seed 3", True, 5),
        ("seed 4", False, 2),
    ]
    before, after = data["matrices"]
    assert (before["name"], after["name"]) == ("before the polish", "after")
    matrix = np.frombuffer(base64.b64decode(after["A"]), "<f4").reshape(MODEL.A.shape)
    assert matrix == pytest.approx(MODEL.A)
    assert after["radii"] == pytest.approx(np.ones(len(MODEL.alphabet)))
    assert data["replay"]["input"] == "1+1"
    assert data["replay"]["against"]["name"] == "add2"
    assert data["machine"]["kind"] == "table"


def test_the_page_asks_nothing() -> None:
    page = report_html(**FULL)
    assert "default-src 'none'" in page
    assert not re.search(r"https?://(?!www.w3.org/)|url\(|@import", page)


def test_what_was_not_measured_is_left_out() -> None:
    page = report_html("add2", "tested", "tested")
    assert "<h2>" not in page
    assert drawn(page) == {"replay": None, "machine": None, "matrices": [], "curves": []}


def test_the_measures_are_explained_where_they_stand() -> None:
    page = report_html(**FULL)
    assert "PLG (probabilistic length generalization)" in page
    assert "RLG (robust)" in page


def test_a_machine_without_a_task_has_no_digits() -> None:
    found = replace(REPORT.measurements[0], kind="held-out inputs", language="[01]*")
    rows = replace(REPORT, measurements=(found,)).rows()
    page = report_html("negate", "proved", "proved", lengths=rows)
    assert "on inputs that were held out" in page
    assert not re.search("PLG|RLG|digit", page.partition("<body")[2])


def test_a_recording_has_no_machine_and_what_agrees_in_part_is_not_called_right() -> None:
    found = replace(REPORT.measurements[0], kind="held-out traces", steps=88, other=5)
    rows = replace(REPORT, measurements=(found,)).rows()
    page = report_html("log", "agrees", "tested", lengths=rows)
    assert "every action is the one that was recorded" in page
    assert "<td>83 of 88</td>" in page
    assert "the machine’s" not in page
