"""The table and the figure say what was measured."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from records import rung, seeds

from dfst.errors import InputError
from dfst.experiments.baselines.registry import LEARNERS, RECORDED
from dfst.experiments.comparison.results import Rung, rows, trained_length
from dfst.viewer.plots import save_figure

FIGURE = runpy.run_path(str(Path(__file__).parents[3] / "tools" / "comparison_figure.py"))
FAMILIES, NOTHING, exactness = (FIGURE[name] for name in ("FAMILIES", "NOTHING", "exactness"))
cut_short, dfst_steps = FIGURE["cut_short"], FIGURE["dfst_steps"]
LONGEST = 20
"""Digits of the longest examples of the Neural GPU, of which records are kept."""


def test_a_row_is_its_seeds_in_short() -> None:
    row = rows(seeds("gru", "add2", 3, 40, 0, ladder=(rung(1, 25),)))[0]
    expected = {
        "title": "GRU", "seeds": 3, "succeeded": 1, "rlg": 3, "rlg_range": [0, 40], "plg": 4,
        "plg_range": [1, 41], "exact": 0, "longest": 1000, "hard_failures": 0, "samples": 20,
        "parameters": 975, "seconds": 2.5,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("task", "rlg", "succeeded"), [("add2", 12, 1), ("add2", 11, 0), ("mult2", 19, 0), ("mult2", 20, 1)]
)
def test_success_is_four_times_the_training_length(task: str, rlg: int, succeeded: int) -> None:
    assert rows(seeds("lstm", task, rlg, stopped_by="budget", ladder=()))[0]["succeeded"] == succeeded


def test_a_length_that_failed_on_the_way_is_no_success() -> None:
    gap = (rung(3, 25), rung(5, 24, plg=True), rung(8, 25), rung(15, 25))
    assert rows(seeds("lstm", "add2", 15, ladder=gap))[0]["succeeded"] == 0
    beyond = (rung(3, 25), rung(8, 25), rung(15, 24, plg=True))
    assert rows(seeds("lstm", "add2", 12, ladder=beyond))[0]["succeeded"] == 1


def test_who_trains_on_longer_examples_must_go_further() -> None:
    assert trained_length("add2", "neural-gpu") == LONGEST
    assert trained_length("add2", "gru") == trained_length("add2") == 3
    found = rows(seeds("neural-gpu", "add2", 4 * LONGEST - 1, 4 * LONGEST, ladder=()))[0]
    assert found["succeeded"] == 1


def test_hard_cases_count_where_random_inputs_were_right() -> None:
    ladder = (rung(3, 24, hard=1, plg=True), rung(5, 10, hard=9, plg=False))
    assert rows(seeds("gru", "add2", 3, 3, ladder=ladder))[0]["hard_failures"] == 2


def test_tasks_stand_in_the_papers_order_and_learners_in_the_registrys() -> None:
    results = [
        *seeds("rpni", "sort10", 1),
        *seeds("gru", "mult2", 1),
        *seeds("rpni", "add2", 1),
        *seeds("other", "add2", 1),
        *seeds("dfst", "add2", 1000, stopped_by="limit"),
    ]
    assert [(row["task"], row["learner"]) for row in rows(results)] == [
        ("add2", "dfst"),
        ("add2", "rpni"),
        ("add2", "other"),
        ("mult2", "gru"),
        ("sort10", "rpni"),
    ]


@pytest.mark.parametrize(
    ("ladder", "stopped_by", "reach"),
    [
        ((rung(1, 25), rung(5, 25), rung(8, 24, plg=True), rung(10, 25)), "failure", 5),
        ((rung(1, 24),), "failure", 0),
        ((rung(1, 25), rung(5, 25)), "budget", 5),
        ((rung(1, 25), rung(5, 25)), "limit", 1000),
    ],
)
def test_a_seed_reaches_as_far_as_nothing_went_wrong(
    ladder: tuple[Rung, ...], stopped_by: str, reach: int
) -> None:
    assert seeds("gru", "add2", 10, ladder=ladder, stopped_by=stopped_by)[0].reach == reach


def test_a_network_that_had_no_time_is_told_from_one_that_failed() -> None:
    few = dfst_steps("a5") // 10 - 1
    assert cut_short("gru", "a5-states", few)
    assert not cut_short("gru", "a5", few + 1)
    assert not cut_short("rpni", "a5", 0)


def test_the_figure_is_drawn(tmp_path: Path) -> None:
    tasks = ("add2", "add10", "mult2", "mult10", "a5-states")
    results = [result for task in tasks for result in seeds("gru", task, 5, 6)]
    results += seeds("rpni", "add2", 0, ladder=(rung(1, 20),))
    results += seeds("dfst", "add2", 1000, 1000, ladder=(rung(1, 25),), stopped_by="limit")
    figure = exactness(results)
    shown = [panel for panel in figure.axes if panel.axison]
    assert [panel.get_title(loc="left").split(",")[0] for panel in shown] == list(tasks)
    assert [text.get_text() for text in shown[0].get_yticklabels()] == [
        "DFST, trained and polished",
        "GRU",
        "state merging (RPNI)",
    ]
    marks = [(line.get_marker(), line.get_xdata()[0], line.get_ydata()[0]) for line in shown[0].lines[1:]]
    assert marks == [
        (">", 1000, -0.0625),
        (">", 1000, 0.0625),
        ("o", 5, 1 - 0.0625),
        ("o", 5, 1 + 0.0625),
        ("o", NOTHING, 2.0),
    ]
    assert [text.get_text() for text in shown[0].texts] == ["2"]
    assert [text.get_text() for text in shown[1].texts] == ["not run", "not run"]
    save_figure(figure, tmp_path / "exactness.svg")
    assert "<svg" in (tmp_path / "exactness.svg").read_text("utf-8")
    with pytest.raises(InputError, match="nothing to plot"):
        exactness([])


def test_every_learner_has_a_colour() -> None:
    assert sorted(name for family in FAMILIES.values() for name in family) == sorted([*LEARNERS, *RECORDED])
