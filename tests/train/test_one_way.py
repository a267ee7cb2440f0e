"""The one way to learn: what it gives back is what it keeps, and a start may be given."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dfst.asking import Asked, learn_asking
from dfst.errors import InputError
from dfst.experts import expert
from dfst.learning import learn, learn_corrected
from dfst.machines.formats import read_machine
from dfst.model import compile_agent
from dfst.model.weights import load_weights
from dfst.paper import TASKS
from dfst.problems.recording import recorded_problem
from dfst.states.doubt import foretells
from dfst.traces.recording import Recording
from dfst.traces.replay import rule_coverage
from dfst.train.config import read_config
from dfst.train.learnt import Learnt
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure

ITERATIONS = 60


@pytest.fixture(scope="module")
def from_exact(tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    """Two seeds, the second at the solution already, trained at a rate that moves nothing."""
    agent = expert("add2")
    plan = configure(
        agent, steps=ITERATIONS, learning_rate=1e-12, weight_decay=0.0, precision="float64", seeds=2
    )
    exact = compile_agent(agent, dtype=np.float64).flat()
    start = np.stack([np.zeros_like(exact), exact])
    return learn(replace(plan, device="cpu", sizes=(5,)), tmp_path_factory.mktemp("run") / "run", start=start)


def test_training_starts_where_it_is_told(from_exact: Learnt) -> None:
    assert from_exact.curve[0].losses[0] > 0.1
    assert from_exact.curve[0].losses[1] < 1e-9
    assert (from_exact.chosen.seed, from_exact.strength, from_exact.exact) == (1, "proved", True)


def test_all_that_came_out_is_given_back_and_kept(from_exact: Learnt) -> None:
    learnt, folder = from_exact, RunFolder(from_exact.folder)
    assert [progress.as_json() for progress in learnt.curve] == folder.read_metrics()
    assert learnt.curve[-1].iteration == ITERATIONS
    report = folder.read_report()
    assert report == learnt.as_json()
    assert (report["chosen"], report["device"]) == (1, "cpu")
    assert [found["seed"] for found in report["candidates"]] == [0, 1]
    assert report["candidates"][1]["states"] == 12
    for outcome in learnt.outcomes:
        kept = load_weights(folder.seed_file(outcome.seed))
        assert kept.fingerprint() == outcome.raw.fingerprint()
    assert load_weights(folder.model_file).provenance == learnt.weights.provenance
    assert learnt.statement.startswith("proved: add2 does exactly what its expert does")
    assert learnt.statement.endswith("(learnt from 20 examples)")


def test_a_start_of_another_shape_is_refused(tmp_path) -> None:
    plan = configure(expert("add2"))
    with pytest.raises(InputError, match=r"a start must have the shape \(4, 1020\), found \(1, 3\)"):
        learn(replace(plan, device="cpu"), tmp_path / "run", start=np.zeros((1, 3)))
    assert not RunFolder(tmp_path / "run").exists()


def test_traces_shorter_than_a_word_of_the_penalty_can_be_learnt_from(tmp_path: Path) -> None:
    plan = configure(expert("parity"), "descent", inputs=("0", "1"), steps=20, hidden_size=2)
    assert plan.recipe.stability > 0
    assert learn(replace(plan, device="cpu"), tmp_path / "run").curve[-1].iteration == 20


def test_a_plan_survives_its_file(from_exact: Learnt) -> None:
    read = read_config(from_exact.folder)
    assert (read.recipe, read.sizes) == (from_exact.recipe, (5,))
    assert read.problem.as_json() == from_exact.problem.as_json()
    assert read.problem.training_set().traces.fingerprint == from_exact.traces.fingerprint


def test_what_a_plan_does_not_know_is_named() -> None:
    with pytest.raises(InputError, match="unknown setting 'd': did you mean hidden_size"):
        configure(expert("add2"), d=12)
    with pytest.raises(InputError, match="unknown setting 'learning_rat': did you mean learning_rate"):
        configure(expert("add2"), learning_rat=3)
    with pytest.raises(InputError, match="unknown setting 'lr': did you mean learning_rate"):
        configure(expert("add2"), lr=3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"retries": 2.0}, r"retries takes a whole number, found 2\.0"),
        ({"steps": "10"}, "steps takes a whole number, found '10'"),
        ({"seeds": True}, "seeds takes a whole number, found True"),
        ({"reweighting": "0.5"}, "reweighting takes a number, found '0.5'"),
    ],
)
def test_what_is_no_number_is_refused_before_training(change, said) -> None:
    with pytest.raises(InputError, match=said):
        configure(expert("add2"), **change)


@pytest.mark.parametrize("task", TASKS)
def test_the_papers_preset_is_the_papers(task: str) -> None:
    plan, row = configure(expert(task), "paper"), TASKS[task]
    sampling, recipe = plan.problem.as_json()["sampling"], plan.recipe
    assert [sampling[name] for name in ("p", "max_digits", "samples")] == [row.p, row.max_digits, row.samples]
    assert plan.problem.known_size == row.hidden_size
    assert (recipe.steps, recipe.learning_rate) == (row.iterations, row.rate)
    assert (recipe.batch_size, recipe.gradient_clip, recipe.weight_decay, recipe.polish) == (32, 0, 0, False)


def test_the_input_in_a_machine_file_is_one_example_of_many() -> None:
    machine = read_machine(Path(__file__).parents[2] / "examples" / "negate.yaml")
    traces = configure(machine).problem.training_set().traces
    assert traces.inputs[0] == machine.sample_inputs[0] == "0110"
    assert len(traces) > 30
    assert rule_coverage(machine, traces).unseen == []
    assert configure(machine, inputs="1").problem.training_set().traces.inputs == ("1",)


def test_a_refutation_becomes_an_example(tmp_path: Path) -> None:
    """From a start that is exact, but of which the polish keeps no more than the examples show."""
    agent = expert("sort2")
    still = {"learning_rate": 1e-12, "weight_decay": 0.0, "precision": "float64", "seeds": 1}
    plan = configure(agent, inputs=("0", "1"), steps=20, hidden_size=len(agent.states), **still)
    start = compile_agent(agent, dtype=np.float64).flat()[None]
    learnt = learn_corrected(replace(plan, device="cpu", sizes=(5,)), tmp_path / "run", rounds=2, start=start)
    assert len(learnt.corrections) == 2
    assert learnt.traces.inputs == ("0", "1", *learnt.corrections)
    assert learnt.folder == tmp_path / "run"
    assert sorted(file.name for file in (tmp_path / "run" / "rounds").iterdir()) == ["0", "1"]
    report = json.loads(RunFolder(learnt.folder).report_file.read_text("utf-8"))
    assert report["corrections"] == list(learnt.corrections)
    assert report["examples"].startswith("4 examples, given; added after a refutation: ")


def test_whoever_asks_begins_with_few_and_learns_the_answers(tmp_path):
    plan = configure("parity", seeds=2, steps=1)
    learnt = learn_asking(replace(plan, device="cpu", sizes=(5,)), tmp_path / "run", questions=3)
    assert learnt.folder == tmp_path / "run"
    assert len(learnt.questions) == 3
    assert learnt.traces.inputs == (*plan.problem.shortest(5), *learnt.questions)
    report = json.loads(RunFolder(learnt.folder).report_file.read_text("utf-8"))
    assert report["questions"] == list(learnt.questions)
    assert report["examples"].startswith("8 examples, 3 questions: ")
    assert (learnt.folder / "recording.jsonl").is_file()


def test_questions_lead_merging_to_the_machine_and_the_test_is_not_learnt():
    problem, said = configure("divisible3").problem, []
    short = problem.shortest(500)
    asked = Asked(problem, short, {text: problem.answer(text) for text in short[:5]}, 200)
    machine, tested = asked.settle(said.append)
    assert all(foretells(machine, problem.answer(text)) for text in short)
    assert asked.left == 200 + 5 - len(asked.answers) - len(tested)
    assert tested.keys().isdisjoint(asked.answers)
    assert any(line.endswith("not all were foretold") for line in said)  # the first machine was too small


def test_nobody_can_ask_a_recording(tmp_path):
    shown = configure("parity").problem.training_set().traces
    recorded = recorded_problem(Recording("log", shown.alphabet, 2, "first", None, shown))
    with pytest.raises(InputError, match="there is no expert to ask"):
        learn_asking(configure(recorded), tmp_path / "run", questions=3, first=("1",))
