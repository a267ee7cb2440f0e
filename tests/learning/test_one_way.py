"""The one way to learn: what it gives back is what it keeps, and a start may be given."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dfst.agents import expert
from dfst.errors import InputError
from dfst.formats import read_machine
from dfst.learning.learn import learn, resume_plan
from dfst.learning.learnt import Learnt
from dfst.learning.plan import OLD_FORMAT, make_plan, plan_from_json
from dfst.learning.runfolder import RunFolder
from dfst.model import compile_agent
from dfst.model.weights import load_weights
from dfst.paper import TASKS
from dfst.traces.coverage import rule_coverage

ITERATIONS = 60


@pytest.fixture(scope="module")
def from_exact(tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    """Two seeds, the second at the solution already, trained at a rate that moves nothing."""
    agent = expert("add2")
    plan = make_plan(agent, iterations=ITERATIONS, rate=1e-12, decay=0.0, precision="float64", seeds=2)
    exact = compile_agent(agent, dtype=np.float64).flat()
    start = np.stack([np.zeros_like(exact), exact])
    return learn(plan, tmp_path_factory.mktemp("run") / "run", "cpu", (5,), start=start)


def test_training_starts_where_it_is_told(from_exact: Learnt) -> None:
    assert from_exact.curve[0].losses[0] > 0.1
    assert from_exact.curve[0].losses[1] < 1e-9
    assert (from_exact.chosen.seed, from_exact.strength, from_exact.exact) == (1, "proved", True)


def test_all_that_came_out_is_given_back_and_kept(from_exact: Learnt) -> None:
    learnt, folder = from_exact, RunFolder(from_exact.folder)
    assert [progress.as_json() for progress in learnt.curve] == folder.read_metrics()
    assert learnt.curve[-1].iteration == ITERATIONS
    report = json.loads(folder.report_file.read_text("utf-8"))
    assert report == learnt.as_json()
    assert (report["chosen"], report["device"]) == (1, "cpu")
    assert [found["seed"] for found in report["candidates"]] == [0, 1]
    assert report["candidates"][1]["states"] == 12
    for outcome in learnt.outcomes:
        kept = load_weights(folder.seed_file(outcome.seed))
        assert kept.fingerprint() == outcome.raw.fingerprint()
    assert load_weights(folder.model_file).training == learnt.weights.training
    assert learnt.statement.startswith("add2, learnt from 20 examples, did what its expert does in all ")


def test_a_start_of_another_shape_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match=r"a start must have the shape \(3, 1020\), found \(1, 3\)"):
        learn(make_plan(expert("add2")), tmp_path / "run", "cpu", start=np.zeros((1, 3)))
    assert not RunFolder(tmp_path / "run").exists()


def test_settling_over_more_symbols_than_any_trace_has_is_refused(tmp_path: Path) -> None:
    """It would settle over one symbol at a time, and the run folder would say otherwise."""
    plan = make_plan(expert("parity"), inputs=("0", "1"), settle=0.1, settle_over=8)
    said = "settle_over 8 asks for so many symbols in a row, and the longest trace of parity has 2 steps"
    with pytest.raises(InputError, match=said):
        learn(plan, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_preset_is_not_refused_for_it(tmp_path: Path) -> None:
    """Nobody asked for so many; walks over one symbol are what is left."""
    plan = make_plan(expert("parity"), "descent", inputs=("0", "1"), iterations=20, hidden_size=2)
    assert plan.recipe.settle_over > 2
    assert learn(plan, tmp_path / "run", "cpu").curve[-1].iteration == 20


def test_a_plan_survives_its_file(from_exact: Learnt) -> None:
    assert resume_plan(from_exact.folder) == from_exact.plan


def test_run_folders_of_the_first_format_are_still_read(from_exact: Learnt) -> None:
    config = from_exact.plan.as_json(from_exact.traces)
    config["format"], config["d"] = OLD_FORMAT, config.pop("hidden_size")
    sampling = config["sampling"]
    sampling["n"], sampling["q"] = sampling.pop("samples"), sampling.pop("max_digits")
    del config["recipe"]["validate"]
    assert plan_from_json(config, "old") == from_exact.plan


def test_run_folders_from_before_emphasis_are_still_read(from_exact: Learnt) -> None:
    config = from_exact.plan.as_json(from_exact.traces)
    del config["recipe"]["rare"], config["recipe"]["settle_over"]
    assert plan_from_json(config, "old") == from_exact.plan


def test_what_a_plan_does_not_know_is_named() -> None:
    with pytest.raises(InputError, match="d is called hidden_size now"):
        make_plan(expert("add2"), d=12)
    with pytest.raises(InputError, match="unknown setting 'iteration': did you mean iterations"):
        make_plan(expert("add2"), iteration=3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"settle_over": 2.0}, r"settle_over takes a whole number, found 2\.0"),
        ({"iterations": "10"}, "iterations takes a whole number, found '10'"),
        ({"seeds": True}, "seeds takes a whole number, found True"),
        ({"rare": "0.5"}, "rare takes a number, found '0.5'"),
    ],
)
def test_what_is_no_number_is_refused_before_training(change, said) -> None:
    with pytest.raises(InputError, match=said):
        make_plan(expert("add2"), **change)


@pytest.mark.parametrize("task", TASKS)
def test_the_papers_preset_is_the_papers(task: str) -> None:
    plan, row = make_plan(expert(task), "paper"), TASKS[task]
    sampling, recipe = plan.sampling, plan.recipe
    assert sampling is not None
    assert (sampling.p, sampling.max_digits, sampling.samples) == (row.p, row.max_digits, row.samples)
    assert (plan.hidden_size, recipe.iterations, recipe.rate) == (row.hidden_size, row.iterations, row.rate)
    assert (recipe.batch, recipe.clip, recipe.decay, recipe.polish) == (32, 0, 0, False)


def test_the_input_in_a_machine_file_is_one_example_of_many() -> None:
    machine = read_machine(Path(__file__).parents[2] / "examples" / "negate.yaml")
    plan = make_plan(machine)
    assert plan.inputs[0] == machine.sample_inputs[0] == "0110"
    assert len(plan.inputs) > 30
    assert rule_coverage(machine, plan.traces()).unseen == []
    assert make_plan(machine, inputs=("1",)).inputs == ("1",)
