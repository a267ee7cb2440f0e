"""Seeds that `dfst learn` trained side by side, measured as results; what was changed is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dfst.errors import InputError
from dfst.experiments.comparison import measure as measuring
from dfst.experiments.comparison.from_run import results_of_run
from dfst.experiments.comparison.measure import describe_machine
from dfst.experiments.comparison.protocol import run_learner
from dfst.learning import learn
from dfst.train import recipe
from dfst.train.settings import configure


@pytest.fixture(autouse=True)
def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measuring.LONGEST, "add2", 4)
    monkeypatch.setattr(recipe, "DESCENT", replace(recipe.DESCENT, steps=300))


def learnt(folder: Path, **changes: float) -> None:
    plan = configure("add2", "descent", **changes)
    learn(plan.problem, plan.recipe, folder, "cpu", (1,))


def test_each_seed_is_as_it_is_alone(tmp_path: Path) -> None:
    learnt(tmp_path / "run", seeds=2)
    found = results_of_run(tmp_path / "run")
    assert [(result.learner, result.seed, result.samples) for result in found] == [
        ("dfst-descent", 0, 20),
        ("dfst-descent", 1, 20),
    ]
    assert found[0].settings["seeds_side_by_side"] == 2
    assert found[0].command == (
        "dfst learn add2 --preset descent --seeds 2 --device cpu --out RUN; dfst compare --run RUN"
    )
    for result in found:
        alone = run_learner("dfst-descent", "add2", result.seed, tmp_path / f"{result.seed}", device="cpu")
        assert (alone.loss, alone.ladder, alone.rlg) == (result.loss, result.ladder, result.rlg)


def test_a_run_may_be_one_part_of_many_seeds(tmp_path: Path) -> None:
    learnt(tmp_path / "run", first_seed=3, seeds=2)
    found = results_of_run(tmp_path / "run")
    assert [result.seed for result in found] == [3, 4]
    assert " --set first_seed=3 --seeds 2 " in found[0].command


@pytest.mark.parametrize("changes", [{"data_seed": 1}, {"learning_rate": 0.02}, {"hidden_size": 13}])
def test_a_changed_run_is_refused(tmp_path: Path, changes: dict[str, float]) -> None:
    learnt(tmp_path / "run", **changes)
    with pytest.raises(
        InputError, match="must hold a task learnt by the preset descent or quick, changed in"
    ):
        results_of_run(tmp_path / "run")


def test_a_run_of_another_machine_is_measured_here(tmp_path: Path) -> None:
    learnt(tmp_path / "run")
    report = tmp_path / "run" / "report.json"
    report.write_text(json.dumps({**json.loads(report.read_text("utf-8")), "device": "cuda, cpu"}), "utf-8")
    [result] = results_of_run(tmp_path / "run")
    assert result.device == "cuda, cpu"
    assert "--device cuda --out" in result.command
    assert result.machine == f"trained on cuda, cpu, measured on {describe_machine('cpu')}"


def test_an_unfinished_run_is_refused(tmp_path: Path) -> None:
    learnt(tmp_path / "run")
    (tmp_path / "run" / "report.json").unlink()
    with pytest.raises(InputError, match="holds no finished run"):
        results_of_run(tmp_path / "run")
