"""dfst reproduce: a line for each task."""

from __future__ import annotations

import json

import pytest

from dfst.evaluation.board import BOARD
from dfst.subjects import shipped
from dfst.viewer.offered import describe_offered

FEW = {name: BOARD[name] for name in ("parity", "missing_duplicate")}


def test_what_is_shipped_is_measured(dfst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dfst.evaluation.board.BOARD", FEW)
    done = dfst("reproduce", "--board", "--quick", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.status == 0
    assert [(row["subject"], row["digits"], row["rlg"]) for row in rows] == [
        ("parity", 60, True),
        ("parity", 1_000, True),
        ("missing_duplicate", 60, True),
    ]
    assert all(row["hard_failures"] == 0 for row in rows)
    assert [row["strength"] for row in rows] == ["proved", "proved", "conditional"]


def test_a_proof_that_leans_on_the_expert_says_so(dfst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dfst.evaluation.board.BOARD", FEW)
    table = dfst("reproduce", "--board", "--quick").out
    listed = dfst("list").out.split("\n\n")[0]
    for shown in (table, listed):
        [parity] = [line.split() for line in shown.splitlines() if line.startswith("parity ")]
        assert ("proved" in parity, "conditional" in shown) == (True, True)
        assert shown.rstrip().endswith(
            "conditional: as long as the expert has a rule (docs/concepts/proof.md)"
        )


def test_the_page_says_so_as_well() -> None:
    claims = {name: describe_offered(name, shipped(name))["claim"] for name in FEW}
    assert claims["parity"].endswith(" on every input of any length: proved.")
    assert claims["missing_duplicate"].endswith(": proved as long as the expert has a rule.")


def test_it_measures_all_or_nothing(dfst) -> None:
    done = dfst("reproduce", "--board", "--tasks", "add2")
    assert (done.status, done.err) == (
        2,
        "dfst: --board measures all of its tasks; leave out --far, --descent and --tasks\n",
    )
