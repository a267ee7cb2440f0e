"""The table and the figure say what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from records import rung, seeds

from dfst.errors import InputError
from dfst.experiments.comparison.figure import LOOKS, exactness, exactness_curve
from dfst.experiments.comparison.table import rows
from dfst.experiments.comparison.tasks import trained_length
from dfst.experiments.rivals.neural_gpu.data import LONGEST
from dfst.experiments.rivals.registry import LEARNERS
from dfst.viewer.plots import save_figure


def test_a_row_is_its_seeds_in_short() -> None:
    row = rows(seeds("gru", "add2", 3, 40, 0, ladder=(rung(1, 25),)))[0]
    assert (row.title, row.seeds, row.succeeded) == ("GRU", 3, 1)
    assert (row.rlg, row.rlg_range, row.plg, row.plg_range) == (3, (0, 40), 4, (1, 41))
    assert (row.exact, row.longest, row.hard_failures) == (0, 1000, 0)
    assert (row.samples, row.parameters, row.seconds) == (20, 975, 2.5)


@pytest.mark.parametrize(
    ("task", "rlg", "succeeded"), [("add2", 12, 1), ("add2", 11, 0), ("mult2", 19, 0), ("mult2", 20, 1)]
)
def test_success_is_four_times_the_training_length(task: str, rlg: int, succeeded: int) -> None:
    assert rows(seeds("lstm", task, rlg, stopped_by="budget", ladder=()))[0].succeeded == succeeded


def test_a_length_that_failed_on_the_way_is_no_success() -> None:
    gap = (rung(3, 25), rung(5, 24, plg=True), rung(8, 25), rung(15, 25))
    assert rows(seeds("lstm", "add2", 15, ladder=gap))[0].succeeded == 0
    beyond = (rung(3, 25), rung(8, 25), rung(15, 24, plg=True))
    assert rows(seeds("lstm", "add2", 12, ladder=beyond))[0].succeeded == 1


def test_who_trains_on_longer_examples_must_go_further() -> None:
    assert trained_length("add2", "neural-gpu") == LONGEST
    assert trained_length("add2", "gru") == trained_length("add2") == 3
    found = rows(seeds("neural-gpu", "add2", 4 * LONGEST - 1, 4 * LONGEST, ladder=()))[0]
    assert found.succeeded == 1


def test_hard_cases_count_where_random_inputs_were_right() -> None:
    ladder = (rung(3, 24, hard=1, plg=True), rung(5, 10, hard=9, plg=False))
    assert rows(seeds("gru", "add2", 3, 3, ladder=ladder))[0].hard_failures == 2


def test_tasks_stand_in_the_papers_order_and_learners_in_the_registrys() -> None:
    results = [
        *seeds("rpni", "sort10", 1),
        *seeds("gru", "mult2", 1),
        *seeds("rpni", "add2", 1),
        *seeds("other", "add2", 1),
        *seeds("dfst", "add2", 1000, stopped_by="limit"),
    ]
    assert [(row.task, row.learner) for row in rows(results)] == [
        ("add2", "dfst"),
        ("add2", "rpni"),
        ("add2", "other"),
        ("mult2", "gru"),
        ("sort10", "rpni"),
    ]


def test_curves_are_means_and_short_ladders_go_on_as_they_ended() -> None:
    one = seeds("gru", "add2", 5, ladder=(rung(1, 25), rung(5, 25), rung(8, 5), rung(10, 0)))
    two = seeds("gru", "add2", 5, ladder=(rung(1, 25), rung(5, 0)))
    assert exactness_curve(one + two) == [(1, 1.0), (5, 0.5), (8, 0.1), (10, 0.0)]


def test_the_figure_is_drawn(tmp_path: Path) -> None:
    results = [
        result
        for name in ("dfst", "gru", "rpni")
        for task in ("add2", "add10", "mult2")
        for result in seeds(name, task, 5)
    ]
    save_figure(exactness(results), tmp_path / "exactness.svg")
    text = (tmp_path / "exactness.svg").read_text("utf-8")
    assert "<svg" in text
    figure = exactness(results)
    assert [axes.get_title(loc="left") for axes in figure.axes if axes.axison] == ["add2", "add10", "mult2"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "DFST, trained and polished",
        "GRU",
        "state merging (RPNI)",
    ]
    with pytest.raises(InputError, match="nothing to plot"):
        exactness([])


def test_every_learner_has_a_look_of_its_own() -> None:
    assert set(LOOKS) == set(LEARNERS)
    assert len(set(LOOKS.values())) == len(LOOKS)
