"""The hidden size that fits: where none is known it is doubled, and the run folder says so."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dfst.errors import InputError
from dfst.experts import expert
from dfst.learning import learn
from dfst.states.teachability import teachability
from dfst.train import fit as fitting
from dfst.train import prepare as preparing
from dfst.train.settings import configure


@pytest.fixture
def traces():
    return configure(expert("sort2")).problem.training_set().traces


@pytest.mark.parametrize(
    ("problem", "preset", "asked", "taken"),
    [
        ("add2", "paper", None, 12),
        ("add2", "quick", None, 12),
        ("bb3", "descent", None, 5),
        ("bb3", "quick", None, 5),
        ("bb3", "paper", 4, 4),
    ],
)
def test_the_papers_or_one_for_each_state_and_some_to_spare(
    monkeypatch, tmp_path, problem, preset, asked, taken
):
    class Stop(Exception):
        """Nothing needs to be trained for this."""

    def stop(config, *more):
        raise Stop(config.recipe.hidden_size)

    monkeypatch.setattr(preparing, "_begun", stop)
    plan = configure(problem, preset, hidden_size=asked)
    with pytest.raises(Stop, match=f"^{taken}$"):
        learn(replace(plan, device="cpu"), tmp_path / "run")


def test_the_run_folder_says_what_was_tried(monkeypatch, tmp_path):
    monkeypatch.setattr(fitting, "STEPS", 30)
    monkeypatch.setattr(fitting, "DOWN", 10.0)
    unknown = lambda *given: replace(teachability(*given), fewest=None)  # noqa: E731
    monkeypatch.setattr(preparing, "teachability", unknown)
    monkeypatch.setattr("dfst.problems.task.TaskProblem.hidden_size", lambda *_: None)
    monkeypatch.setattr("dfst.problems.task.TaskProblem.known_size", None)
    plan = configure(expert("increment2"), "paper", steps=10)
    learnt = learn(replace(plan, device="cpu", sizes=(1,)), tmp_path / "run")
    assert (learnt.recipe.hidden_size, learnt.weights.shape.d) == (16, 16)
    kept = json.loads((tmp_path / "run" / "config.json").read_text("utf-8"))
    assert (kept["recipe"]["hidden_size"], kept["fit"]["steps"], kept["fit"]["losses"][0][0]) == (16, 30, 16)


def test_what_was_a_search_is_refused_and_told():
    with pytest.raises(InputError, match="takes a whole number, found 'fit'; left out, it is found from"):
        configure("add2", hidden_size="fit")


@pytest.mark.parametrize(
    ("losses", "size"),
    [
        (lambda d: 1 / d**2, 512),
        (lambda d: 1.0 if d < 64 else 0.3, 16),
        (lambda d: 1e-7, 16),
        (lambda d: float("inf"), 16),
    ],
)
def test_sizes_are_doubled_as_long_as_that_helps(monkeypatch, traces, losses, size):
    """Where nobody has counted the states that explain the traces."""
    monkeypatch.setattr(fitting, "trained", lambda traces, size, device, tell: losses(size))
    told: list[str] = []
    found = fitting.grow_hidden_size(traces, 1, tell=told.append)
    assert "training hidden sizes 16, 32, … for 3,000 steps each" in told[0]
    assert found.size == size
    assert f"hidden size {size}: a larger one is hardly better" in found.sentence()


def test_a_size_whose_seeds_diverge_is_tried_with_smaller_steps(monkeypatch, traces):
    monkeypatch.setattr(fitting, "RECIPE", replace(fitting.RECIPE, learning_rate=0.5, gradient_clip=0.0))
    monkeypatch.setattr(fitting, "STEPS", 300)
    monkeypatch.setattr(fitting, "QUIET", 0.0)
    told: list[str] = []
    with_retries = fitting.trained(traces, 16, "cpu", told.append)
    assert told[0].startswith("hidden size 16: 30 of 300 steps, loss ")
    monkeypatch.setattr(fitting, "RECIPE", replace(fitting.RECIPE, retries=0))
    assert (fitting.trained(traces, 16, "cpu"), with_retries < float("inf")) == (float("inf"), True)
