"""The page that reads the results says what was measured."""

from __future__ import annotations

from pathlib import Path

from dfst.experiments.comparison.result import stored_results
from dfst.experiments.comparison.table import Row, rows
from dfst.experiments.rivals.registry import LEARNERS
from dfst.paper import TASKS

PAGE = Path(__file__).parents[3] / "docs" / "compare.md"


def cell(row: Row | None) -> str:
    """RLG over the seeds, and how many of them succeeded."""
    if row is None:
        return "–"
    low, high = row.rlg_range
    spread = "" if low == high else f" ({low:,}–{high:,})"
    return f"{'≥ ' if row.exact == row.seeds else ''}{row.rlg:,}{spread}; {row.succeeded}/{row.seeds}"


def test_the_table_of_the_page() -> None:
    found = {(row.learner, row.task): row for row in rows(stored_results())}
    expected = [
        f"| `{learner}` | " + " | ".join(cell(found.get((learner, task))) for task in TASKS) + " |"
        for learner in LEARNERS
        if any((learner, task) in found for task in TASKS)
    ]
    told = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `") and ";" in line]
    assert told == expected
