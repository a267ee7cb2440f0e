"""A sweep in one table: a row for each task, learner and recipe, over its seeds.

RLG, exact and seconds of every learner come from `comparison.measure`, so that a column means one thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from dfst.experiments.lines import Line

NOTE = (
    "RLG: largest length that is right, searched up to the digits beside it; "
    "time: until the model is finished; medians over seeds"
)


@dataclass(frozen=True)
class Summary:
    """What the seeds of one task, learner and recipe came to."""

    task: str
    learner: str
    recipe: str
    seeds: int
    failed: int
    exact: int
    """Seeds that met no failure, hard cases included."""
    proved: int
    longest: int | None
    """Where the measurement ends; None for a machine without digits."""
    rlg: tuple[int, float, int] | None
    """Smallest, median and largest length that was right; None where there is none."""
    loss: float | None
    """Median"""
    seconds: float | None
    """Median time until the model was finished"""

    def cells(self) -> dict[str, str]:
        """heading → what stands below it"""
        return {
            "task": self.task,
            "learner": self.learner,
            "recipe": self.recipe or "–",
            "exact": f"{self.exact} of {self.seeds}",
            "proved": str(self.proved),
            "failed": str(self.failed),
            "up to": "–" if self.longest is None else f"{self.longest:,}",
            "RLG": _lengths(self.rlg),
            "loss": "–" if self.loss is None else f"{self.loss:.1e}",
            "time": "–" if self.seconds is None else f"{self.seconds:.1f} s",
        }


def summarise(lines: Sequence[Line]) -> list[Summary]:
    """One summary for each task, learner and recipe, sorted by them."""
    groups: dict[tuple[str, str, str], list[Line]] = {}
    for line in sorted(lines, key=lambda line: (line["task"], line["learner"], line["recipe"], line["seed"])):
        groups.setdefault((line["task"], line["learner"], line["recipe"]), []).append(line)
    return [_summary(key, group) for key, group in groups.items()]


def _summary(key: tuple[str, str, str], group: list[Line]) -> Summary:
    done = [line for line in group if line["status"] == "done"]
    lengths = [line["rlg"] for line in done if line["rlg"] is not None]
    losses = [line["loss"] for line in done if line["loss"] is not None]
    return Summary(
        *key,
        seeds=len(group),
        failed=len(group) - len(done),
        exact=sum(line["exact"] for line in done),
        proved=sum(line["strength"] == "proved" for line in done),
        longest=max((line["longest"] for line in done if line["longest"] is not None), default=None),
        rlg=(min(lengths), median(lengths), max(lengths)) if lengths else None,
        loss=median(losses) if losses else None,
        seconds=median(line["seconds"] for line in done) if done else None,
    )


def _lengths(rlg: tuple[int, float, int] | None) -> str:
    """The median, and the range where there is one."""
    if rlg is None:
        return "–"
    low, middle, high = rlg
    return f"{middle:,.0f}" if low == high else f"{middle:,.0f} ({low:,}–{high:,})"
