"""Results come back as they were written, and nothing else comes back at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from records import RESULT, seeds

from dfst.errors import InputError
from dfst.experiments.baselines.registry import LEARNERS, RECORDED
from dfst.experiments.comparison.results import (
    FILE,
    Result,
    by_learner,
    keep_results,
    kept_results,
    read_result,
    stored_results,
    trained_length,
)


def test_a_result_takes_the_place_of_its_like(tmp_path: Path) -> None:
    keep_results(seeds("gru", "add2", 3, 40), tmp_path)
    again = replace(seeds("gru", "add2", 3, 41)[1], command="another")
    assert keep_results([again, *seeds("lstm", "add2", 1)], tmp_path) == tmp_path / FILE
    assert kept_results(tmp_path) == [seeds("gru", "add2", 3)[0], again, *seeds("lstm", "add2", 1)]
    assert len((tmp_path / FILE).read_text("utf-8").splitlines()) == 3


DAMAGES: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda r: r.pop("loss"), "loss is missing"),
    (lambda r: r.update(los=1), "'los' is unknown"),
    (lambda r: r.update(rlg="5"), "rlg is '5'"),
    (lambda r: r.update(rlg=True), "rlg is True"),
    (lambda r: r.update(seconds=None), "seconds is None"),
    (lambda r: r["ladder"][0].pop(), "a length of its ladder is a list of 7 values"),
]


@pytest.mark.parametrize(("damage", "line"), DAMAGES)
def test_a_result_that_is_not_quite_one_is_refused(damage: Callable[..., object], line: str) -> None:
    value = json.loads(json.dumps(RESULT.as_json()))
    damage(value)
    with pytest.raises(InputError) as told:
        read_result(value, "r")
    assert str(told.value) == f"r: it is no result: {line}; remove it, and measure again with dfst compare"


def test_a_whole_number_of_seconds_and_no_loss_are_fine() -> None:
    loaded = read_result({**RESULT.as_json(), "seconds": 3, "loss": None}, "r")
    assert (loaded.seconds, loaded.loss) == (3.0, None)


def test_what_is_no_file_of_results(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "no"):
        with pytest.raises(InputError, match=r"holds no records.jsonl; make one with dfst compare"):
            kept_results(folder)
    (tmp_path / FILE).write_text("{}\n")
    with pytest.raises(InputError, match=r"records.jsonl, line 1: it is no result: learner is missing"):
        kept_results(tmp_path)


def test_exact_means_that_nothing_went_wrong() -> None:
    assert not RESULT.exact
    unbeaten = replace(RESULT, stopped_by="limit")
    assert not unbeaten.exact
    assert replace(unbeaten, ladder=RESULT.ladder[:2]).exact


STORED = by_learner(stored_results())
GROUPS = pytest.mark.parametrize("kept", STORED.values(), ids=map("-".join, STORED))


@GROUPS
def test_a_stored_result_is_sound(kept: list[Result]) -> None:
    assert kept[0].learner in {*LEARNERS, *RECORDED}
    assert trained_length(kept[0].task) > 1
    assert [result.seed for result in kept] == list(range(len(kept)))
    for result in kept:
        assert result.machine
        assert result.rlg <= result.plg <= result.longest
        assert result.stopped_by in ("failure", "budget", "limit")
        assert all(rung.right <= rung.asked for rung in result.ladder)
        assert all(rung.plg for rung in result.ladder if rung.rlg)
        assert [r.digits for r in result.ladder] == sorted({r.digits for r in result.ladder})
        assert result.plg >= max((r.digits for r in result.ladder if r.plg), default=0)


@GROUPS
def test_the_command_of_stored_results_asks_for_them(kept: list[Result]) -> None:
    (command,) = {result.command for result in kept}
    words = command.split()
    assert words[:2] == ["dfst", "compare"]
    options = dict(zip(words[2::2], words[3::2], strict=True))
    asked = [options.pop(name) for name in ("--learner", "--task", "--seeds", "--device")]
    assert asked == [kept[0].learner, kept[0].task, str(len(kept)), kept[0].device.split(",")[0]]
    assert set(options) <= {"--seconds", "--iterations"}
    if "--seconds" in options:
        for result in kept:
            # Three pilots and the training look at the clock between steps, so each may end a step late.
            late = max(1.0, 4 * result.seconds / result.iterations)
            assert result.seconds < float(options["--seconds"]) + late


def test_stored_results_stand_together_and_every_learner_has_some() -> None:
    stored = [(result.learner, result.task) for result in stored_results()]
    assert len([name for name, _ in groupby(stored)]) == len(set(stored)) == len(STORED)
    assert {learner for learner, _ in stored} == {*LEARNERS, *RECORDED}
