"""Inputs to explore a model with: every short one first, then random ones, with leading zeros among them.

Short inputs come in order of length, so that "the last new edge appeared on a 3-digit input" means
something. The edges of a machine that a carry chain or a long operand needs show early or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from dfst.tasks.task import Task


def by_length(task: Task) -> Iterator[str]:
    """Every input of the task, the shorter first."""
    return map(task.write, task.by_length())


def random_inputs(task: Task, rng: np.random.Generator, count: int, longest: int) -> list[str]:
    """Operands of 1 to `longest` symbols, with repetitions and leading zeros among them."""
    return [
        task.write(
            tuple(
                task.uneven_operand(rng, int(rng.integers(1, longest + 1))) for _ in range(task.operand_count)
            )
        )
        for _ in range(count)
    ]


def exploration_inputs(
    task: Task, rng: np.random.Generator, short: int = 1_000, random: int = 1_000, longest: int = 8
) -> list[str]:
    """The first `short` inputs by length, then `random` random ones, shortest first."""
    return [*islice(by_length(task), short), *sorted(random_inputs(task, rng, random, longest), key=len)]
