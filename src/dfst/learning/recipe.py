"""Recipes: every number that decides how a model is trained, and the presets with their reasons."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dfst.agents.word_tasks import WORD_TASKS
from dfst.errors import InputError, UnknownName
from dfst.kernels.settling import steps_to
from dfst.paper import BATCH, TASKS

MOST = 1_000_000_000
"""Steps, traces or seeds; more of them are a slip of the hand."""

LONGEST_ROUND = 8
"""Symbols of a walk that must settle."""


@dataclass(frozen=True)
class Recipe:
    """How to train: Adam on the mean squared next-action loss."""

    preset: str
    iterations: int
    """Adam steps."""
    rate: float
    """Learning rate at the start; it falls along a cosine to 0."""
    batch: int = BATCH
    """Traces that a step sees; the whole set where it is smaller."""
    clip: float = 0.0
    """Largest global norm of the gradient; 0 leaves it alone."""
    decay: float = 0.0
    """Decoupled weight decay at the start: each step takes rate · decay of a weight away."""
    decay_until: float = 0.5
    """Fraction of the iterations at which the decay has fallen linearly to zero."""
    rare: float = 0.0
    """How much more a step counts if it is seldom shown: by one over its share, to this power, 0 to 1."""
    noise: float = 0.0
    """Noise on every component of the hidden state, at the start; it falls with the rate."""
    settle: float = 0.0
    """Weight of the penalty on walks that do not settle; it rises as the rate falls."""
    settle_by: int = 8
    """Rounds by which a walk must have settled; cycles whose length divides it may stay."""
    settle_over: int = 1
    """Symbols in a round of a walk, 1 to 8: several are read in turn, as the traces show them in a row."""
    settle_rise: float = 2.0
    """How late that weight rises: the power of 1 − rate / first rate that it is multiplied by."""
    settle_fall: float = 0.0
    """How early it fades again: the power of rate / first rate that it is multiplied by; 0 keeps it."""
    settle_on: Literal["change", "growth"] = "change"
    """What is penalised: any change from n rounds to twice as many, or growth alone."""
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    precision: Literal["float32", "float64"] = "float32"
    polish: bool = False
    """Finish in float64 on the graph of learnt states of the same traces."""
    validate: bool = False
    """Choose learnt states and seeds by what the expert does on inputs longer than the training set's."""
    seeds: int = 1
    """Models trained side by side; the best is kept."""

    def __post_init__(self) -> None:
        self._check_kinds()
        for name in ("iterations", "batch", "seeds"):
            if not 1 <= getattr(self, name) <= MOST:
                raise InputError(f"{name} must be from 1 to {MOST:,}, found {getattr(self, name):,}")
        for name in ("rate", "epsilon"):
            if not 0 < getattr(self, name) < np.inf:
                raise InputError(f"{name} must be above 0 and finite, found {getattr(self, name)}")
        for name in ("clip", "decay", "decay_until", "noise", "settle", "settle_rise", "settle_fall"):
            if not 0 <= getattr(self, name) < np.inf:
                raise InputError(f"{name} must be finite and not negative, found {getattr(self, name)}")
        if not 0 <= self.rare <= 1:
            raise InputError(f"rare must be from 0 to 1, found {self.rare}; 0.5 is a good start")
        steps_to(self.settle_by)
        if not 1 <= self.settle_over <= LONGEST_ROUND:
            raise InputError(f"settle_over must be from 1 to {LONGEST_ROUND}, found {self.settle_over}")
        if self.settle_on not in ("change", "growth"):
            raise InputError(f"settle_on must be change or growth, found {self.settle_on!r}")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 0 and below 1, found {getattr(self, name)}")

    def _check_kinds(self) -> None:
        """Python takes 2.0 for a count, and a text for anything, until a training is under way."""
        for field in fields(self):
            value = getattr(self, field.name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if field.type == "int" and not whole:
                raise InputError(f"{field.name} takes a whole number, found {value!r}")
            if field.type == "float" and not (whole or isinstance(value, float)):
                raise InputError(f"{field.name} takes a number, found {value!r}")

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.precision)

    def rates(self, first: int, count: int) -> NDArray[np.float64]:
        """(count,) learning rates of the iterations from `first` on."""
        t = np.arange(first, first + count) / self.iterations
        return 0.5 * self.rate * (1 + np.cos(np.pi * t))

    def decays(self, first: int, count: int) -> NDArray[np.float64]:
        """(count,) weight decay of the iterations from `first` on."""
        if self.decay == 0 or self.decay_until == 0:
            return np.zeros(count)
        t = np.arange(first, first + count) / self.iterations
        return self.decay * np.clip(1 - t / self.decay_until, 0, None)

    def noises(self, first: int, count: int) -> NDArray[np.float64]:
        """(count,) noise on the hidden state in the iterations from `first` on."""
        return self.rates(first, count) * (self.noise / self.rate)

    def settles(self, first: int, count: int) -> NDArray[np.float64]:
        """(count,) weight of `settling` in the iterations from `first` on: nothing at the start."""
        left = self.rates(first, count) / self.rate
        return self.settle * (1 - left) ** self.settle_rise * left**self.settle_fall

    def with_overrides(self, **changes: object) -> Recipe:
        """The recipe with the values that are given and not None."""
        return replace(self, **{k: v for k, v in changes.items() if v is not None})  # type: ignore[arg-type]


MACHINE = "machine without a task"
"""In place of a task's name."""

PAPER = {name: Recipe("paper", row.iterations, row.rate) for name, row in TASKS.items()}
"""As in the paper: Adam, cosine to 0, no warm-up, batch 32, float32, no clipping, no decay, no polish."""

QUICK = {
    "add2": Recipe("quick", iterations=10_000, rate=0.01, decay=0.01, clip=1.0, polish=True, seeds=3),
    "add10": Recipe(
        "quick", iterations=20_000, rate=0.003, decay=0.03, clip=1.0, rare=0.5, polish=True, seeds=3
    ),
    "mult2": Recipe("quick", iterations=20_000, rate=0.003, decay=0.01, clip=0.1, polish=True, seeds=3),
    "mult10": Recipe("quick", iterations=60_000, rate=0.001, decay=0.02, clip=0.02, polish=True, seeds=3),
    MACHINE: Recipe("quick", iterations=40_000, rate=0.003, decay=0.01, clip=0.3, polish=True, seeds=6),
}


def _board(
    iterations: int, rate: float, decay: float, clip: float, rare: float = 0.0, seeds: int = 3
) -> Recipe:
    return Recipe("quick", iterations, rate, decay=decay, clip=clip, rare=rare, polish=True, seeds=seeds)


QUICK |= dict.fromkeys(WORD_TASKS, _board(10_000, 0.01, 0.01, 1.0)) | {
    "s3": _board(20_000, 0.005, 0.01, 1.0),
    "d4": _board(20_000, 0.005, 0.01, 1.0),
    "a5": _board(10_000, 0.002, 0.1, 0.1),
    "s5": _board(15_000, 0.001, 0.2, 0.1),
    "modular": _board(20_000, 0.003, 0.1, 0.3),
    "modular_brackets": _board(24_000, 0.002, 0.07, 0.1, rare=0.5),
    "solve": _board(20_000, 0.003, 0.1, 0.3),
    "sum2": _board(10_000, 0.01, 0.01, 1.0),
    "sum10": _board(20_000, 0.003, 0.03, 0.3),
    "div2": _board(30_000, 0.003, 0.07, 0.1),
    "mod2": _board(30_000, 0.003, 0.07, 0.1),
    "gcd2": _board(30_000, 0.003, 0.07, 0.1),
    "div10": _board(30_000, 0.001, 0.16, 0.03, rare=0.5),
    "mod10": _board(40_000, 0.0015, 0.075, 0.05, rare=0.5),
    "gcd10": _board(60_000, 0.001, 0.06, 0.02, rare=0.5, seeds=2),
    "sqrt2": _board(20_000, 0.005, 0.03, 0.3),
    "sqrt10": _board(30_000, 0.002, 0.05, 0.1),
}
"""Our own: decay finds small solutions that repeat their hidden states, clipping survives the cliffs of long
products of matrices, and the polish makes exact what the learnt states already say, so training can be short.
Three seeds, so that two can agree; six for machines, whose lessons are short and often get one stuck, and two
where three would take more than ten minutes on two cores."""

DESCENT = {
    "add2": Recipe("descent", 200_000, rate=0.01, clip=1.0, noise=0.03, settle=0.001),
    "add10": Recipe("descent", 500_000, rate=0.003, clip=1.0, rare=0.5, noise=0.01, settle=0.001),
    "mult2": Recipe(
        "descent",
        600_000,
        rate=0.003,
        clip=0.1,
        rare=0.5,
        noise=0.01,
        settle=0.03,
        settle_by=4,
        settle_over=6,
        settle_fall=1,
        settle_on="growth",
    ),
    "mult10": Recipe(
        "descent",
        600_000,
        rate=0.001,
        clip=0.02,
        rare=0.5,
        noise=0.003,
        settle=0.001,
        settle_by=3,
        settle_over=3,
        settle_rise=8,
    ),
}
"""Gradient descent on the traces alone, like the paper's: no polish, no longer inputs. What the traces leave
open must not answer: noise on the hidden state takes away what carries errors from pass to pass, and settling
what drifts or grows on a walk (docs/recipes.md). But for add2, some rules are shown so seldom that they need
emphasis. The multipliers take, add and go up in turn, so their walks are over several symbols. In mult2 only
growth is penalised, which leaves loops alone that are half learnt, and the penalty fades, so that the end is
the traces' own; in mult10 walks must settle late, once its loops are loops."""

PRESETS = {"paper": PAPER, "descent": DESCENT, "quick": QUICK}
GENERAL = {
    "paper": Recipe("paper", TASKS["add10"].iterations, TASKS["add10"].rate),
    "descent": Recipe(
        "descent",
        TASKS["add10"].iterations,
        rate=0.003,
        clip=1.0,
        noise=0.01,
        settle=0.003,
        settle_over=3,
        settle_fall=1,
        settle_on="growth",
    ),
    "quick": Recipe("quick", iterations=40_000, rate=0.003, decay=0.01, clip=0.3, polish=True, seeds=4),
}
"""For any other agent: growth alone, since it may turn in cycles of any length."""


def find_recipe(preset: str, task: str) -> Recipe:
    """The preset's recipe for a task or agent."""
    if preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    return PRESETS[preset].get(task, GENERAL[preset])
