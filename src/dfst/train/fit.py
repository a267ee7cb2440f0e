"""A hidden size for traces whose states nobody can count: it is doubled as long as that at least halves the
loss of a short training."""

import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dfst.counted import counted
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet
from dfst.train.engines import make_engine
from dfst.train.progress import Tell
from dfst.train.recipe import Recipe
from dfst.train.state import initial_state
from dfst.train.train import fall_back

STEPS, PART = 3_000, 30  # in all, and at a time: Ctrl-C need not wait for all of them
DOWN = 3e-6  # a loss that has fallen as far as this needs no larger size
RECIPE = Recipe("fit", STEPS, rate_scale=0.1, gradient_clip=2.0, retries=5)
QUIET = 20.0  # seconds after which it is said how far a size has come
SMALLEST, LARGEST = 16, 512
SEEDS = 4
MOST = 3  # so many of the seeds must come down


@dataclass(frozen=True)
class Fit:
    """The size that fits, and what speaks for it."""

    size: int
    losses: dict[int, float]
    """Size → the loss that most of its seeds reached at the end, infinite where they diverged"""

    def sentence(self) -> str:
        tried = ", ".join(f"{loss:.0e} at {size}" for size, loss in self.losses.items())
        return f"hidden size {self.size}: a larger one is hardly better (loss {tried})"

    def as_json(self) -> dict[str, Any]:
        """How it stands in config.json."""
        return {"steps": STEPS, "losses": [[d, float(f"{loss:.3g}")] for d, loss in self.losses.items()]}


def grow_hidden_size(
    traces: TraceSet, least: int, device: Literal["cpu", "cuda"] = "cpu", tell: Tell = lambda text: None
) -> Fit:
    """least: fewer states cannot explain the traces."""
    losses: dict[int, float] = {}

    def loss(size: int) -> float:
        if size not in losses:
            losses[size] = trained(traces, size, device, tell)
            tell(f"hidden size {size}: loss {losses[size]:.1e} after {counted(STEPS, 'step')}")
        return losses[size]

    size = max(SMALLEST, least)
    tell(
        f"no small machine was found that explains them, and {least} states are too few or just enough: "
        f"training hidden sizes {size}, {2 * size}, … for {counted(STEPS, 'step')} each, as long as the loss "
        "halves; --hidden-size N saves that"
    )
    while size < LARGEST and DOWN < loss(size) < np.inf and loss(2 * size) <= loss(size) / 2:
        size *= 2
    return Fit(size, losses)


def trained(
    traces: TraceSet, size: int, device: Literal["cpu", "cuda"], tell: Tell = lambda text: None
) -> float:
    """The loss that most seeds of this size reach."""
    shape = Shape(len(traces.alphabet), len(traces.motions), size)
    state = initial_state(shape, range(SEEDS), RECIPE.dtype)
    engine = make_engine(device, shape, traces, RECIPE)
    losses: list[NDArray[np.float64]] = []
    began = told = time.monotonic()
    for parts in range(1, STEPS // PART + 1):
        losses.append(engine.advance(state, PART))
        engine.sync(state)
        fall_back(state, RECIPE.retries)
        engine.load(state)
        now = time.monotonic()
        if now - told > QUIET:
            left = counted(round((now - began) / parts * (STEPS // PART - parts) / 60), "minute")
            done, loss = f"{parts * PART:,} of {counted(STEPS, 'step')}", f"{np.nanmin(losses[-1]):.1e}"
            tell(f"hidden size {size}: {done}, loss {loss}, about {left} left")
            told = now
    found = np.mean(losses[-len(losses) // 10 :], axis=0)
    return float(np.sort(np.where(np.isfinite(found), found, np.inf))[MOST - 1])
