"""The pages that read the results say what was measured."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from statistics import median

import pytest

from dfst.experiments.baselines.network import RATES
from dfst.experiments.baselines.registry import LEARNERS, RECORDED
from dfst.experiments.comparison.results import Row, by_learner, rows, stored_results
from dfst.paper import TASKS

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
cut_short = runpy.run_path(str(ROOT / "tools" / "comparison_figure.py"))["cut_short"]
CELLS = re.compile(rf"\| `({'|'.join([*LEARNERS, *RECORDED])})` \| .*; ")


def cell(row: Row | None) -> str:
    """RLG over the seeds, how many of them succeeded, and † where there was no time."""
    if row is None:
        return "–"
    low, high = row["rlg_range"]
    spread = "" if low == high else f" ({low:,}–{high:,})"
    rlg = f"{'≥ ' if row['exact'] == row['seeds'] else ''}{row['rlg']:,}{spread}"
    short = cut_short(row["learner"], row["task"], row["iterations"])
    return f"{rlg}; {row['succeeded']}/{row['seeds']}{' †' if short else ''}"


@pytest.mark.parametrize(
    ("page", "tasks"),
    [
        ("research/comparison.md", tuple(TASKS)),
        ("results/groups.md", ("parity", "a5", "s5", "a5-states", "s5-states")),
    ],
)
def test_the_table_of_the_page(page: str, tasks: tuple[str, ...]) -> None:
    found = {(row["learner"], row["task"]): row for row in rows(stored_results())}
    expected = [
        f"| `{learner}` | " + " | ".join(cell(found.get((learner, task))) for task in tasks) + " |"
        for learner in (*LEARNERS, *RECORDED)
        if any((learner, task) in found for task in tasks)
    ]
    told = [line for line in (DOCS / page).read_text("utf-8").splitlines() if CELLS.match(line)]
    assert sorted(told) == sorted(expected)


def test_the_short_table() -> None:
    """The median length to which nothing goes wrong; ≥ where that is the end of the test of every seed."""
    columns = ("dfst-descent", "dfst", "gru", "lstm", "transformer", "neural-gpu", "edsm")
    found = by_learner(stored_results())

    def told(learner: str, task: str) -> str:
        seeds = found.get((learner, task))
        if seeds is None:
            return "–"
        end = "≥ " if all(seed.exact for seed in seeds) else ""
        return f"{end}{median(seed.reach for seed in seeds):,.0f}"

    page = (DOCS / "results/comparison.md").read_text("utf-8").splitlines()
    for task in ("add2", "add10", "mult2", "a5"):
        assert f"| {task} | " + " | ".join(told(learner, task) for learner in columns) + " |" in page


def test_how_often_the_largest_rate_was_taken() -> None:
    others = {"neural-gpu", *(name for name in (*LEARNERS, *RECORDED) if name.startswith("dfst"))}
    settings = [one.settings for one in stored_results() if one.learner not in others]
    rates = [setting["rate"] for setting in settings if "rate" in setting]
    page = " ".join((DOCS / "results/comparison.md").read_text("utf-8").split())
    assert f"took the largest, {max(RATES)}, in {rates.count(max(RATES))} of {len(rates)} trainings" in page


@pytest.mark.parametrize(
    ("tool", "page"),
    [
        ("sizes", "comparison.md"),
        ("curves", "comparison.md"),
        ("margins", "descent.md"),
        ("losses", "descent.md"),
        ("unpolished", "without-polish.md"),
    ],
)
def test_a_table_is_what_its_records_make(tool: str, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    records = DOCS / "research" / "records" / f"{tool}.jsonl"
    runpy.run_path(str(ROOT / "tools" / f"{tool}.py"))["table"](str(records))
    told = (DOCS / "research" / page).read_text("utf-8").splitlines()
    assert [line for line in capsys.readouterr().out.splitlines() if line not in told] == []
