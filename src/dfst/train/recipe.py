"""Recipes: every number that decides how a model is trained.

There is one recipe with a polish (`quick`), one without (`descent`), and the paper's. None of them knows a
task: the learning rate follows from the hidden size, with a polish the number of steps as well; everything
else is a constant or measured while training goes on. What speaks for the numbers:
docs/research/one-recipe.md and descent.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError, UnknownName
from dfst.paper import BATCH, TASKS

MOST = 1_000_000_000  # steps, traces or seeds; more of them are a slip of the hand

MOST_SEED = 2**32 - 1  # the order of the traces is drawn from 32 bits

RANGES: tuple[tuple[str, Callable[[float], bool], str], ...] = (
    ("steps retries", lambda n: 0 <= n <= MOST, f"from 0 to {MOST:,}"),
    ("batch_size seeds hidden_size", lambda n: 1 <= n <= MOST, f"from 1 to {MOST:,}"),
    ("rate_scale path epsilon", lambda x: 0 < x < np.inf, "above 0 and finite"),
    (
        "learning_rate gradient_clip weight_decay weight_decay_until state_noise stability",
        lambda x: 0 <= x < np.inf,
        "finite and not negative",
    ),
    ("reweighting stability_floor", lambda x: 0 <= x <= 1, "from 0 to 1"),
    ("beta1 beta2", lambda x: 0 <= x < 1, "at least 0 and below 1"),
)
"""Settings, what they may be, and how that is said."""


class Levels(NamedTuple):
    """What changes from step to step, each (steps,)."""

    rates: NDArray[np.float64]
    decays: NDArray[np.float64]  # share of a weight that a step takes away
    noises: NDArray[np.float64]  # on the hidden state
    stabilities: NDArray[np.float64]  # weight of the penalty: nothing at the start, a little at the end


@dataclass(frozen=True)
class Recipe:
    """How to train: Adam on the mean squared next-action loss."""

    preset: str
    steps: int = 0
    """Adam steps; 0: as many as follow from the learning rate."""
    learning_rate: float = 0.0
    """Learning rate at the start, falling along a cosine to 0; 0: what follows from the hidden size."""
    rate_scale: float = 0.025
    """Learning rate · (hidden size)^0.7, where the learning rate is not given."""
    path: float = 120.0
    """Learning rate · steps, where the steps are not given."""
    batch_size: int = BATCH
    """Traces that a step sees; the whole set where it is smaller."""
    gradient_clip: float = 0.0
    """Largest norm of the gradient, in units of its running average; 0 leaves it alone."""
    retries: int = 0
    """Times that a learning rate may be halved where a seed diverges; while all goes well it rises again."""
    weight_decay: float = 0.0
    """Decoupled weight decay at the start: each step takes learning rate · decay of a weight away."""
    weight_decay_until: float = 0.5
    """Fraction of the steps at which the decay has fallen linearly to zero."""
    reweighting: float = 0.0
    """Reweighting of rare steps: a kind of step counts by one over its share, to this power, 0 to 1."""
    state_noise: float = 0.0
    """Noise on every component of the hidden state, in units of the learning rate."""
    stability: float = 0.0
    """Weight of the stability penalty: it rises as the learning rate falls, and falls with it in the end."""
    stability_floor: float = 0.02
    """Share of the learning rate below which that weight falls no further."""
    beta1: float = 0.9
    """Of Adam's mean of gradients."""
    beta2: float = 0.999
    """Of Adam's mean of squared gradients."""
    epsilon: float = 1e-8
    """Of Adam's denominator."""
    precision: Literal["float32", "float64"] = "float32"
    """Of the training."""
    polish: bool = False
    """Finish in float64 on the graph of learnt states of the same traces."""
    seeds: int = 1
    """Models trained side by side; the best is kept."""
    first_seed: int = 0
    """The seeds are this one and those after it."""
    hidden_size: int | None = None
    """Dimensions of the hidden state; None: found from the traces."""

    def __post_init__(self) -> None:
        self._check_kinds()
        if not 0 <= self.first_seed <= MOST_SEED - self.seeds:
            raise InputError(
                f"seeds must lie between 0 and {MOST_SEED:,}, "
                f"found {self.first_seed:,} to {self.first_seed + self.seeds - 1:,}"
            )
        for names, allows, expected in RANGES:
            for name in names.split():
                value = getattr(self, name)
                if value is not None and not allows(value):
                    found = f"{value:,}" if isinstance(value, int) else value
                    advice = "; 0.5 is a good start" if name == "reweighting" else ""
                    raise InputError(f"{name} must be {expected}, found {found}{advice}")

    def _check_kinds(self) -> None:
        """Python takes 2.0 for a count, and a text for anything, until a training is under way."""
        for field in fields(self):
            value = getattr(self, field.name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            found = value is not None and field.name == "hidden_size"
            if (field.type == "int" or found) and not whole:
                advice = "; left out, it is found from the traces" * found
                raise InputError(f"{field.name} takes a whole number, found {value!r}{advice}")
            if field.type == "float" and not (whole or isinstance(value, float)):
                raise InputError(f"{field.name} takes a number, found {value!r}")

    @property
    def seed_numbers(self) -> range:
        return range(self.first_seed, self.first_seed + self.seeds)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.precision)

    def for_size(self, d: int) -> Recipe:
        """The recipe with its numbers for a hidden size; what was given stays.

        The larger the matrices, the further their products move in a step; a training is a path of a certain
        length, so the smaller its steps, the more of them.
        """
        rate = self.learning_rate or min(MOST_RATE, self.rate_scale / d**0.7)
        return replace(
            self, learning_rate=rate, steps=self.steps or min(MOST, max(1, round(self.path / rate)))
        )

    @property
    def looks(self) -> list[int]:
        """The steps after which seeds are looked at, at most once each."""
        return [max(1, int(share * self.steps)) for share in LOOKS] if self.polish else []

    def levels(self, first: int, count: int) -> Levels:
        """Of the steps from `first` on."""
        steps = np.arange(first, first + count)
        left = 0.5 * (1 + np.cos(np.pi * steps / self.steps))  # a cosine from 1 to 0
        rates, decays = self.learning_rate * left, np.zeros(count)
        if self.weight_decay and self.weight_decay_until:
            fading = np.clip(1 - steps / self.steps / self.weight_decay_until, 0, None)
            decays = self.weight_decay * rates * fading
        # not to 0: the loss alone, which a slow drift hardly touches, would let loops go in the last steps
        stabilities = self.stability * (1 - left) ** 2 * np.maximum(left, self.stability_floor)
        return Levels(rates, decays, self.state_noise * rates, stabilities)


LOOKS = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Shares of the steps after which seeds that are to be polished are looked at."""
MOST_RATE = 0.01  # the largest learning rate that follows from a hidden size

QUICK = Recipe(
    "quick", gradient_clip=1.0, retries=5, weight_decay=0.05, reweighting=0.25, polish=True, seeds=4,
)  # fmt: skip
"""Clipping survives the cliffs of long products of matrices, weight decay finds small solutions that repeat
their hidden states, reweighting stresses what is seldom shown, and the polish makes exact what the learnt
states already say, so training can be short: it ends where all seeds agree on how many there are."""

DESCENT = Recipe(
    "descent", 200_000, rate_scale=0.05, gradient_clip=3.0, retries=5, beta1=0.98, beta2=0.99,
    reweighting=0.5, state_noise=3.0, stability=2.5e-3,
)  # fmt: skip
"""Gradient descent on the traces alone, like the paper's: no polish, no longer inputs. What the traces leave
open must not answer: noise on the hidden state takes away what carries errors from pass to pass, and the
stability penalty what grows or drifts."""

PRESETS = ("quick", "descent", "paper")


def find_recipe(preset: str, task: str = "") -> Recipe:
    """The preset's recipe; the paper's has numbers of its own for each of its tasks."""
    if preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    if preset == "paper":
        row = TASKS.get(task, TASKS["add10"])
        return Recipe("paper", row.iterations, row.rate)
    return QUICK if preset == "quick" else DESCENT
