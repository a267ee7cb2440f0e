"""dfst reproduce --board: a line for each task, one that is not shipped is said so and is no success."""

from __future__ import annotations

import json

import pytest

from dfst.cli import board
from dfst.evaluation.board import BOARD
from dfst.subjects import shipped
from dfst.viewer.offered import describe_offered

FEW = {name: BOARD[name] for name in ("parity", "stack")}


def test_what_is_shipped_is_measured(dfst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "BOARD", FEW)
    done = dfst("reproduce", "--board", "--quick", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.status == 0
    assert [(row["subject"], row["digits"], row["rlg"]) for row in rows] == [
        ("parity", 60, True),
        ("parity", 1_000, True),
        ("stack", 60, True),
    ]
    assert all(row["strength"] == "proved" and row["hard_failures"] == 0 for row in rows)
    known = ["proved", "proved", "proved as long as the expert has a rule"]
    assert [row["for_every_length"] for row in rows] == known


def test_a_proof_that_leans_on_the_expert_is_marked(dfst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "BOARD", FEW)
    table = dfst("reproduce", "--board", "--quick").out
    listed = dfst("list").out.split("\n\n")[0]
    for shown in (table, listed):
        [parity] = [line.split() for line in shown.splitlines() if line.startswith("parity ")]
        [stack] = [line.split() for line in shown.splitlines() if line.startswith("stack ")]
        assert ("proved" in parity, "proved*" in stack) == (True, True)
        assert shown.rstrip().endswith("\n* as long as the expert has a rule (docs/proof.md)")


def test_the_page_says_so_as_well() -> None:
    claims = {name: describe_offered(name, shipped(name))["claim"] for name in FEW}
    assert claims["parity"].endswith(" on every input of any length: proved.")
    assert claims["stack"].endswith(": proved as long as the expert has a rule.")


def test_what_is_missing_is_said(dfst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "BOARD", {"parity": BOARD["parity"], "stack": BOARD["stack"]})
    monkeypatch.setattr(board, "shipped_models", lambda: ["parity"])
    done = dfst("reproduce", "--board", "--quick")
    assert done.status == 1
    assert "not shipped" in done.out
    assert "no model is shipped of stack; learn one: dfst learn stack\n" in done.err
    assert "≥ 60 ≥ 1,000" in done.out


def test_it_measures_all_or_nothing(dfst) -> None:
    done = dfst("reproduce", "--board", "--tasks", "add2")
    assert (done.status, done.err) == (
        2,
        "dfst: --board measures all of its tasks; leave out --far, --descent and --tasks\n",
    )
