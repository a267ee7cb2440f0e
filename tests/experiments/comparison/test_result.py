"""Records come back as they were written, and nothing else comes back at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from records import RESULT, record

from dfst.agents import expert
from dfst.errors import InputError
from dfst.experiments.comparison.result import (
    Record,
    SeedResult,
    load,
    load_record,
    load_result,
    save,
    stored_records,
)
from dfst.experiments.rivals.registry import LEARNERS, find_learner


def test_round_trips(tmp_path: Path) -> None:
    kept = record("gru", "add2", 3, 40, 0)
    save(kept, tmp_path / "gru-add2.json")
    assert load_record(tmp_path / "gru-add2.json") == kept
    assert stored_records(tmp_path) == [kept]
    save(RESULT, tmp_path / "result.json")
    assert load_result(tmp_path / "result.json") == RESULT


FIELDS = (
    "learner, task, seed, samples, parameters, iterations, seconds, device, loss, plg, rlg, stopped_by, "
    "ladder, hard_failures, settings"
)
DAMAGES: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda r: r.pop("loss"), f"r.json: a SeedResult has {FIELDS}; found no field 'loss'"),
    (lambda r: r.update(los=1), f"r.json: a SeedResult has {FIELDS}; found the unknown field 'los'"),
    (lambda r: r.update(rlg="5"), "r.json: rlg: expected int, found '5'"),
    (lambda r: r.update(rlg=True), "r.json: rlg: expected int, found True"),
    (lambda r: r.update(rlg=5.5), "r.json: rlg: expected int, found 5.5"),
    (lambda r: r.update(seconds=None), "r.json: seconds: expected float, found None"),
    (lambda r: r.update(ladder={}), "r.json: ladder: expected a list, found {}"),
    (lambda r: r.update(ladder=[3]), "r.json: ladder: expected a Rung as an object, found 3"),
    (lambda r: r.update(hard_failures=[3]), "r.json: hard_failures: expected str, found 3"),
    (lambda r: r.update(settings=[]), "r.json: settings: expected dict, found []"),
]


@pytest.mark.parametrize(("damage", "line"), DAMAGES)
def test_a_result_that_is_not_quite_one_is_refused(damage: Callable[..., object], line: str) -> None:
    value = json.loads(json.dumps(asdict(RESULT)))
    damage(value)
    with pytest.raises(InputError) as told:
        load(SeedResult, "r.json", json.dumps(value))
    assert str(told.value) == line


def test_a_whole_number_of_seconds_and_no_loss_are_fine() -> None:
    value = {**asdict(RESULT), "seconds": 3, "loss": None}
    loaded = load(SeedResult, "r.json", json.dumps(value))
    assert (loaded.seconds, loaded.loss) == (3.0, None)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", "r.json is no JSON"),
        ("3", "r.json: expected a Record as an object, found 3"),
        (
            json.dumps({**asdict(record("gru", "add2", 1)), "format": "dfst-comparison/0"}),
            "r.json: expected a record of format 'dfst-comparison/1', found 'dfst-comparison/0'",
        ),
        (
            json.dumps({**asdict(record("gru", "add2", 1)), "learner": "lstm"}),
            "r.json: a record of lstm on add2 holds a result of gru on add2; keep one file for each",
        ),
    ],
)
def test_records_that_are_none(text: str, line: str) -> None:
    with pytest.raises(InputError) as told:
        load(Record, "r.json", text)
    assert str(told.value).startswith(line)


def test_folders_without_records(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no records"):
        stored_records(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        stored_records(tmp_path / "no")
    with pytest.raises(InputError, match="cannot read"):
        load_record(tmp_path / "no.json")


STORED = stored_records()


@pytest.mark.parametrize("kept", STORED, ids=lambda kept: f"{kept.learner}-{kept.task}")
def test_a_stored_record_is_sound(kept: Record) -> None:
    assert find_learner(kept.learner).tasks in ((), ("add2", "mult2"))
    assert expert(kept.task).task is not None
    assert kept.machine
    assert [result.seed for result in kept.seeds] == list(range(len(kept.seeds)))
    for result in kept.seeds:
        assert result.rlg <= result.plg
        assert result.stopped_by in ("failure", "budget", "limit")
        assert all(rung.right <= rung.asked for rung in result.ladder)
        assert all(rung.plg for rung in result.ladder if rung.rlg)
        assert [r.digits for r in result.ladder] == sorted({r.digits for r in result.ladder})
        assert result.plg >= max((r.digits for r in result.ladder if r.plg), default=0)


@pytest.mark.parametrize("kept", STORED, ids=lambda kept: f"{kept.learner}-{kept.task}")
def test_the_command_of_a_stored_record_asks_for_that_record(kept: Record) -> None:
    words = kept.command.split()
    assert words[:2] == ["dfst", "compare"]
    options = dict(zip(words[2::2], words[3::2], strict=True))
    asked = [options.pop(name) for name in ("--learner", "--task", "--seeds", "--device")]
    assert asked == [kept.learner, kept.task, str(len(kept.seeds)), kept.seeds[0].device]
    assert {result.device for result in kept.seeds} == {kept.seeds[0].device}
    assert set(options) <= {"--seconds", "--iterations"}
    if "--seconds" in options:
        assert find_learner(kept.learner).timed
        assert all(result.seconds < float(options["--seconds"]) + 1 for result in kept.seeds)


def test_stored_records_are_there_once_and_small() -> None:
    names = [(kept.learner, kept.task) for kept in STORED]
    assert len(set(names)) == len(names)
    files = (resources.files("dfst") / "comparison" / "results").iterdir()
    sizes = {file.name: len(file.read_bytes()) for file in files if file.name.endswith(".json")}
    assert sorted(sizes) == sorted(f"{learner}-{task}.json" for learner, task in names)
    assert sum(sizes.values()) < 1_000_000


def test_every_learner_has_a_stored_record() -> None:
    assert {kept.learner for kept in STORED} == set(LEARNERS)
