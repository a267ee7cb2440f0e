"""What a training needs, asked before any of it is taken: a slip of the hand must not fill the machine."""

from __future__ import annotations

from dfst.counted import counted
from dfst.memory import require_memory
from dfst.model.weights import Shape
from dfst.train.recipe import Recipe

COPIES = 16
"""Arrays as large as the parameters: Adam's moments, gradients by shard, packed weights, a checkpoint."""
PER_STEP = 16
"""Further numbers that a step of a trace takes, besides its hidden states and scores."""


def check_memory(shape: Shape, seeds: int, recipe: Recipe, steps: int = 0) -> None:
    """Refuse a training that this machine has no memory for. steps: of the longest batch, if known."""
    step = 2 * shape.d + shape.symbols + shape.motions + PER_STEP
    needed = recipe.dtype.itemsize * (seeds * COPIES * shape.size + steps * step)
    require_memory(
        needed,
        f"training {counted(seeds, 'seed')} with a hidden size of {shape.d:,}",
        "ask for fewer seeds, a smaller hidden size or shorter examples",
    )
