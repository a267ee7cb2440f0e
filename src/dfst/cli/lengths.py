"""Length generalisation in words: the table of lengths, what failed, where a search ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dfst.cli.tables import draw
from dfst.counted import counted
from dfst.evaluation.length import LengthReport
from dfst.evaluation.search import SearchReport

SHOWN_FAILURES = 3


def length_table(reports: Sequence[LengthReport]) -> str:
    """A row for each length."""
    rows = [
        {
            "digits": f"{report.digits:,}",
            "PLG": _word(report.plg),
            "RLG": _word(report.rlg),
            "hard cases": "right" if not report.hard_failures else f"{report.hard_failures} wrong",
            "inputs": str(report.inputs),
            "steps": f"{report.steps:,}",
            "smallest margin": f"{report.margin:.6f}" if report.steps else "–",
            "seconds": f"{report.seconds:.1f}",
        }
        for report in reports
    ]
    return draw(rows, f"Length generalisation of {reports[0].subject}", left=0)


def tell_failures(reports: Sequence[LengthReport], unit: str = "digits") -> Iterator[str]:
    """The first failures of each length, which is counted in `unit`, and where they began."""
    for report in reports:
        for failure in report.failures[:SHOWN_FAILURES]:
            shown = (
                failure.input if len(failure.input) <= 60 else f"{failure.input[:28]}…{failure.input[-28:]}"
            )
            yield f"{counted(report.digits, unit)}, {failure.kind}, {shown}: {failure.reason}"
        if len(report.failures) > SHOWN_FAILURES:
            more = counted(len(report.failures) - SHOWN_FAILURES, "more failure")
            yield f"{counted(report.digits, unit)}: {more}"


def search_sentence(found: SearchReport) -> str:
    """Where a search ended, in one sentence."""
    why = {
        "failure": "longer ones fail",
        "budget": "no failure was met; the time budget ended the search",
        "limit": "no failure was met up to the limit",
    }[found.stopped_by]
    return f"{found.subject}: RLG {counted(found.rlg, 'digit')}, PLG {counted(found.plg, 'digit')} ({why})"


def _word(right: bool) -> str:
    return "right" if right else "wrong"
