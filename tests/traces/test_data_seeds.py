"""The tool that judges many data seeds."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TOOL = str(Path(__file__).parents[2] / "tools" / "data_seeds.py")


def test_the_rows_and_counts_of_the_document(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["data_seeds.py", "add10", "--seeds", "0-1", "100", "--each"])
    runpy.run_path(TOOL, run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [
        "| 0 | none |",
        "| 1 | (carry, 9) of 2, (advance, λ) of 2 |",
        "| 100 | ((add,0), λ) of 2, ((add,8), λ) of 2 |",
        "add10: of 3 data seeds 1 without a warning, 2 with a loop that a cycle fits as well",
    ]


def test_a_seed_that_is_no_number(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["data_seeds.py", "add10", "--seeds", "few"])
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(TOOL, run_name="__main__")
    assert "few" in capsys.readouterr().err
