"""The hidden size that fits: where the search goes, what it costs, and what the run folder keeps of it."""

from __future__ import annotations

import json

import pytest

from dfst.experts import expert
from dfst.learning import learn
from dfst.train import fit as fitting
from dfst.train import prepare as preparing
from dfst.train.fit import STEPS, Fit, Trial, fit_hidden_size
from dfst.train.settings import configure


class Pretended:
    """Trainings whose losses a function of size and steps gives."""

    def __init__(self, losses) -> None:
        self.losses, self.made = losses, {}

    def __call__(self, *arguments: object) -> Pretended:
        return self

    def loss(self, size: int, steps: int) -> float:
        self.made[size, steps] = Trial(size, steps, self.losses(size, steps))
        return self.made[size, steps].loss


@pytest.fixture
def traces():
    return configure(expert("sort2")).problem.training_set().traces


def searched(monkeypatch, traces, losses, bounds=(10, 10), **more) -> Fit:
    monkeypatch.setattr(fitting, "_Trainings", Pretended(losses))
    return fit_hidden_size(traces, bounds, **more)


@pytest.mark.parametrize("fits", range(1, 16))
def test_it_finds_the_smallest_size_that_comes_down(monkeypatch, traces, fits):
    found = searched(monkeypatch, traces, lambda size, steps: 1e-6 if size >= fits else 1e-2)
    assert (found.size, found.start, found.roomy) == (fits, 10, 15)
    assert len({trial.size for trial in found.trials}) <= 8


def test_a_size_that_is_only_slow_is_given_twice_the_steps(monkeypatch, traces):
    def slow(size: int, steps: int) -> float:
        return 1e-6 if size >= 10 or (size >= 8 and steps > STEPS[0]) else 1e-4 if size >= 8 else 1e-2

    assert searched(monkeypatch, traces, slow).size == 8


def test_a_floor_is_one_only_where_the_roomy_size_came_down(monkeypatch, traces):
    def late(size: int, steps: int) -> float:
        return 1e-6 if steps == STEPS[1] and size >= 12 else 1e-2

    assert searched(monkeypatch, traces, late).size == 12


def test_where_nothing_comes_down_the_number_of_states_is_taken(monkeypatch, traces):
    found = searched(monkeypatch, traces, lambda size, steps: 0.1)
    assert found.size == 10
    assert (
        found.sentence()
        == "no hidden size came down (loss 1e-01 at 15); taking 10, since 10 states explain the traces"
    )


def test_with_a_polish_states_share_no_dimensions(monkeypatch, traces):
    assert searched(monkeypatch, traces, lambda size, steps: 1e-6, share=False).size == 10


def test_bounds_far_apart_leave_room_enough(monkeypatch, traces):
    assert searched(monkeypatch, traces, lambda size, steps: 1e-6 if size >= 5 else 1, (4, 40)).roomy == 40


def test_one_state_needs_one_dimension_and_the_run_folder_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(fitting, "STEPS", (300, 600))
    plan = configure(expert("increment2"), "paper", hidden_size="fit", steps=10)
    learnt = learn(plan.problem, plan.recipe, tmp_path / "run", "cpu", (1,))
    assert (learnt.recipe.hidden_size, learnt.weights.shape.d) == (1, 1)
    kept = json.loads((tmp_path / "run" / "config.json").read_text("utf-8"))
    assert (kept["recipe"]["hidden_size"], kept["fit"]["start"], kept["fit"]["roomy"]) == (1, 1, 2)
    assert {trial[0] for trial in kept["fit"]["trials"]} == {1, 2}


def test_one_state_is_no_plural():
    found = fitting.Fit(1, 1, 2, (fitting.Trial(1, 300, 2e-9), fitting.Trial(2, 300, 1e-9)))
    assert (
        found.sentence()
        == "hidden size 1 fits the traces (loss 2e-09 at 1, 1e-09 at 2; 1 state explains them)"
    )


@pytest.mark.parametrize(
    ("problem", "preset", "asked", "searched"),
    [
        ("add2", "paper", None, False),
        ("add2", "quick", None, False),
        ("add2", "quick", "fit", True),
        ("bb3", "paper", None, True),
        ("bb3", "quick", None, False),
        ("bb3", "paper", 4, False),
    ],
)
def test_it_is_the_default_where_neither_paper_nor_polish_say_a_size(
    monkeypatch, tmp_path, problem, preset, asked, searched
):
    class Stop(Exception):
        """Nothing needs to be trained for this."""

    def stop(*arguments, **more):
        raise Stop

    monkeypatch.setattr(preparing, "fit_hidden_size", stop)
    monkeypatch.setattr(preparing, "_begun", lambda config, *more: config.recipe.hidden_size / 0)
    plan = configure(problem, preset, hidden_size=asked)
    with pytest.raises(Stop if searched else ZeroDivisionError):
        learn(plan.problem, plan.recipe, tmp_path / "run", "cpu")


@pytest.mark.parametrize(
    ("losses", "size"),
    [(lambda d, _: 1 / d**2, 512), (lambda d, _: 1.0 if d < 64 else 0.3, 16), (lambda d, _: 1e-7, 16)],
)
def test_sizes_are_doubled_as_long_as_that_helps(monkeypatch, traces, losses, size):
    """Where nobody has counted the states that explain the traces."""
    monkeypatch.setattr(fitting, "_Trainings", Pretended(losses))
    found = fitting.grow_hidden_size(traces, 1)
    assert found.size == size
    assert f"hidden size {size}: a larger one is hardly better" in found.sentence()
