"""The numbers of a recipe: by hidden size, and from step to step."""

import numpy as np
import pytest

from dfst.errors import UnknownName
from dfst.train.recipe import MOST_RATE, Recipe, find_recipe
from dfst.train.settings import configure


@pytest.mark.parametrize("preset", ["quick", "descent"])
def test_one_recipe_for_every_task(preset: str) -> None:
    assert find_recipe(preset, "add2") == find_recipe(preset, "mult10") == find_recipe(preset, "")
    with pytest.raises(UnknownName, match="did you mean quick"):
        find_recipe("quik")


@pytest.mark.parametrize("preset", ["quick", "descent"])
def test_larger_models_take_smaller_steps(preset: str) -> None:
    """With a polish so many more of them that the path is as long."""
    sizes = [find_recipe(preset).for_size(d) for d in (1, 2, 12, 20, 108)]
    rates = [recipe.learning_rate for recipe in sizes]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == MOST_RATE
    for recipe in sizes:
        steps = round(recipe.path / recipe.learning_rate) if recipe.polish else 200_000
        assert recipe.steps == steps
        assert recipe.for_size(7) == recipe


def test_what_is_given_stays() -> None:
    given = Recipe("any", steps=70, learning_rate=0.3)
    assert given.for_size(50) == given
    assert Recipe("any", learning_rate=0.5, path=50).for_size(9).steps == 100


def test_a_path_that_is_given_decides_the_steps_of_any_preset() -> None:
    given = configure("add2", "paper", path=60).recipe
    assert given.for_size(12).steps == round(60 / given.learning_rate)
    assert configure("add2", "paper", path=60, steps=7).recipe.for_size(12).steps == 7


@pytest.mark.parametrize("floor", [0.0, 0.02, 0.1])
def test_the_penalty_rises_and_falls_to_what_stays(floor: float) -> None:
    recipe = Recipe("any", 100, learning_rate=0.1, stability=0.5, stability_floor=floor)
    levels = recipe.levels(0, 100)
    weights, left = levels.stabilities, levels.rates / 0.1
    peak, low = int(weights.argmax()), int((left > floor).sum())
    assert weights[0] == 0
    assert (np.diff(weights[: peak + 1]) > 0).all()
    assert (np.diff(weights[peak:low]) < 0).all()
    assert weights[low:] == pytest.approx(0.5 * floor * (1 - left[low:]) ** 2)


def test_stretches_of_a_schedule_are_the_schedule() -> None:
    recipe = Recipe("any", 100, learning_rate=0.1, weight_decay=0.2, state_noise=0.3, stability=0.5)
    for whole, *parts in zip(recipe.levels(0, 100), recipe.levels(0, 37), recipe.levels(37, 63), strict=True):
        assert (np.concatenate(parts) == whole).all()
