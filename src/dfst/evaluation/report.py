"""Reports for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from dfst.evaluation.length import LengthReport
from dfst.evaluation.search import SearchReport

SHOWN_FAILURES = 3


def length_table(reports: Sequence[LengthReport]) -> Table:
    """One row a length."""
    table = Table(title=f"Length generalisation of {reports[0].subject}", title_justify="left")
    for heading in ("digits", "PLG", "RLG", "hard cases", "inputs", "steps", "smallest margin", "seconds"):
        table.add_column(heading, justify="right")
    for report in reports:
        table.add_row(
            f"{report.digits:,}",
            _word(report.plg),
            _word(report.rlg),
            "right" if not report.hard_failures else f"{report.hard_failures} wrong",
            str(report.pairs),
            f"{report.steps:,}",
            f"{report.margin:.6f}",
            f"{report.seconds:.1f}",
        )
    return table


def tell_failures(reports: Sequence[LengthReport]) -> Iterator[str]:
    """The first failures of each length, and where they began."""
    for report in reports:
        for failure in report.failures[:SHOWN_FAILURES]:
            shown = (
                failure.input if len(failure.input) <= 60 else f"{failure.input[:28]}…{failure.input[-28:]}"
            )
            yield f"{report.digits:,} digits, {failure.kind}, {shown}: {failure.reason}"
        if len(report.failures) > SHOWN_FAILURES:
            yield f"{report.digits:,} digits: {len(report.failures) - SHOWN_FAILURES} more failures"


def search_sentence(found: SearchReport) -> str:
    """Where a search ended, in one sentence."""
    why = {
        "failure": "longer ones fail",
        "budget": "no failure was met; the time budget ended the search",
        "limit": "no failure was met up to the limit",
    }[found.stopped_by]
    return f"{found.subject}: RLG {found.rlg:,} digits, PLG {found.plg:,} digits ({why})"


def _word(right: bool) -> str:
    return "right" if right else "wrong"
