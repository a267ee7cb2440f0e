"""How the numbers of a recipe change from step to step."""

import numpy as np
import pytest

from dfst.learning.recipe import Recipe


def test_settling_rises_and_stays() -> None:
    weights = Recipe("any", 100, rate=0.1, settle=0.5).settles(0, 100)
    assert weights[0] == 0
    assert (np.diff(weights) > 0).all()
    assert weights[-1] == pytest.approx(0.5, rel=1e-2)


@pytest.mark.parametrize("fall", [1, 2])
def test_settling_may_fade_again(fall: float) -> None:
    recipe = Recipe("any", 100, rate=0.1, settle=0.5, settle_rise=8, settle_fall=fall)
    weights = recipe.settles(0, 100)
    peak = int(weights.argmax())
    left = recipe.rates(peak, 1)[0] / recipe.rate
    assert left == pytest.approx(fall / (8 + fall), abs=0.02)
    assert weights[0] == 0
    assert weights[-1] < weights[peak] / 10


def test_stretches_of_a_schedule_are_the_schedule() -> None:
    recipe = Recipe("any", 100, rate=0.1, decay=0.2, noise=0.3, settle=0.5, settle_fall=2)
    for levels in (recipe.rates, recipe.decays, recipe.noises, recipe.settles):
        assert (np.concatenate([levels(0, 37), levels(37, 63)]) == levels(0, 100)).all()
