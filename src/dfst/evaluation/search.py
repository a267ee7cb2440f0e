"""How far does it go? The largest number of digits at which RLG (or PLG) holds, within a budget.

Lengths grow by half until one fails, then the gap is halved. That finds the largest length that passes when
failures are monotone in length, which accumulated error makes them in practice; every length that is
reported was tested, and the report says where it stopped and why.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from dfst.agents.agent import Agent
from dfst.errors import InputError
from dfst.evaluation.length import LengthReport, Subject, evaluate, task_with_digits
from dfst.world.grid import Limits


@dataclass(frozen=True)
class SearchReport:
    """The largest length that passed, and what stopped the search."""

    subject: str
    rlg: int
    """Largest number of digits tested at which RLG held; 0 if none."""
    plg: int
    stopped_by: str
    """`failure`, `budget` or `limit`."""
    reports: list[LengthReport]

    def as_json(self) -> dict[str, object]:
        return {
            "subject": self.subject,
            "rlg": self.rlg,
            "plg": self.plg,
            "stopped_by": self.stopped_by,
            "tested": [report.as_json() for report in self.reports],
        }


def search(
    subject: Subject,
    name: str,
    expert: Agent,
    seconds: float = 60.0,
    limit: int = 1_000_000,
    start: int = 1,
    seed: int = 0,
    tell: Callable[[LengthReport], None] | None = None,
    hard: bool = False,
) -> SearchReport:
    """The largest number of digits at which RLG holds, tested within about `seconds`.

    hard: the hard cases must be right as well
    """
    if not seconds > 0:  # nor is nan any time
        raise InputError(f"the time budget must be positive, found {seconds}; try --seconds 60")
    _compile(subject, expert)
    began = time.perf_counter()
    reports: list[LengthReport] = []

    def passes(digits: int) -> bool:
        report = evaluate(subject, name, expert, digits, seed, hard, stop_early=True)
        reports.append(report)
        if tell:
            tell(report)
        return report.right

    good, bad, digits, stopped_by = 0, limit + 1, min(start, limit), "failure"
    while bad - good > max(1, good // 50):
        if good >= limit:
            stopped_by = "limit"
            break
        spent = time.perf_counter() - began
        if reports and spent + _estimate(reports[-1], digits) > seconds:
            stopped_by = "budget"
            break
        if passes(digits):
            good = digits
        else:
            bad = digits
        digits = min(max(good + 1, good * 3 // 2), limit) if bad > limit else (good + bad) // 2
    return SearchReport(
        name,
        rlg=good,
        plg=max((r.digits for r in reports if r.plg), default=0),
        stopped_by=stopped_by if good < limit else "limit",
        reports=reports,
    )


def _compile(subject: Subject, expert: Agent) -> None:
    """Run once, before the clock starts: the first run on a machine compiles, for longer than many last."""
    list(subject.run_each([task_with_digits(expert).example], Limits(), expert))


def _estimate(last: LengthReport, digits: int) -> float:
    """Seconds the next test may take: steps grow with the square of the length."""
    return last.seconds * (digits / last.digits) ** 2 if last.right else last.seconds
