"""Time to exact: the row says what was learnt, and what the paper's schedule would take here."""

from __future__ import annotations

import pytest

from dfst.bench import learning, suite


@pytest.mark.slow
def test_an_adder_is_proved_long_before_the_papers_schedule_ends():
    row = learning.measure("add2")
    assert row["strength"] == "proved"
    assert row["ratio"] > 1


def test_the_table(monkeypatch):
    row = learning.row("add2", 10, 2.0, "proved", 500, 30.0)
    monkeypatch.setattr(learning, "measure", lambda task: row)
    ((title, rows),) = suite.run_suite("learning")
    assert "seconds" in title
    assert [r["ratio"] for r in rows] == [15.0] * 3
