"""A sweep in one table: a row for each task, learner and recipe, over its seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rich.table import Table

from dfst.experiments.sweep.results import Record


@dataclass(frozen=True)
class Row:
    """What the seeds of one task, learner and recipe came to."""

    task: str
    learner: str
    recipe: str
    seeds: int
    failed: int
    exact: int
    """Seeds that met no failure, hard cases included."""
    proved: int
    rlg: tuple[int, float, int] | None
    """Smallest, median and largest length that was right; None if every seed failed."""
    loss: float | None
    """Median"""
    seconds: float | None
    """Median time of training"""


def summarise(records: Sequence[Record]) -> list[Row]:
    """Rows in the order in which their first trial stands in the table of tasks, learners and recipes."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in sorted(records, key=lambda r: (r["task"], r["learner"], r["recipe"], r["seed"])):
        groups.setdefault((record["task"], record["learner"], record["recipe"]), []).append(record)
    return [_row(key, group) for key, group in groups.items()]


def _row(key: tuple[str, str, str], group: list[Record]) -> Row:
    done = [record for record in group if record["status"] == "done"]
    lengths = [record["rlg"] for record in done]
    losses = [record["loss"] for record in done if record["loss"] is not None]
    return Row(
        *key,
        seeds=len(group),
        failed=len(group) - len(done),
        exact=sum(record["exact"] for record in done),
        proved=sum(record["strength"] == "proved" for record in done),
        rlg=(min(lengths), median(lengths), max(lengths)) if lengths else None,
        loss=median(losses) if losses else None,
        seconds=median(record["seconds"] for record in done) if done else None,
    )


def summary_table(records: Sequence[Record]) -> Table:
    """The rows for people; failures have a column once there are any."""
    rows = summarise(records)
    any_failed = any(row.failed for row in rows)
    table = Table(caption="RLG, loss and time: medians over seeds", caption_justify="left")
    for heading in ("task", "learner", "recipe"):
        table.add_column(heading)
    for heading in ("exact", "proved", *(["failed"] if any_failed else []), "RLG", "loss", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.task,
            row.learner,
            row.recipe or "–",
            f"{row.exact} of {row.seeds}",
            str(row.proved),
            *([str(row.failed)] if any_failed else []),
            _lengths(row.rlg),
            "–" if row.loss is None else f"{row.loss:.1e}",
            "–" if row.seconds is None else f"{row.seconds:.1f} s",
        )
    return table


def _lengths(rlg: tuple[int, float, int] | None) -> str:
    """The median, and the range where there is one."""
    if rlg is None:
        return "–"
    low, middle, high = rlg
    return f"{middle:,.0f}" if low == high else f"{middle:,.0f} ({low:,}–{high:,})"
