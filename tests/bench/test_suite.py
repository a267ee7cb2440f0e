"""`dfst bench`: tables whose rows have the same keys, and one line where too much is asked."""

from __future__ import annotations

import json

import pytest

from dfst.bench import suite
from dfst.cli import execute

ROWS = [{"machine": "bb5", "steps": 47_176_870, "ratio": 2.5, "flat": None, "passes": True}]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    rows = [dict(row) for row in ROWS]
    monkeypatch.setattr(suite.Benchmark, "rows", lambda self, tell: rows)
    return rows


def test_a_table(measured, capsys):
    assert execute(["bench", "rollouts"]) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in ("bb5", "47.2 M", "2.5", "–", "yes"))


def test_json_and_a_missed_bar(measured, capsys):
    measured[0]["passes"] = False
    assert execute(["bench", "rollouts", "--json"]) == 1
    said = json.loads(capsys.readouterr().out.splitlines()[0])
    assert said == {"benchmark": "Closed loops on one core, in steps a second", **ROWS[0], "passes": False}
