"""Inputs to explore a model with: every short one first, then random ones, with leading zeros among them.

Short inputs come in order of length, so that "the last new edge appeared on a 3-digit input" means
something. The edges of a machine that a carry chain or a long operand needs show early or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

import numpy as np

from dfst.agents.task import Task


def by_length(task: Task) -> Iterator[str]:
    """Every input of the task, the shorter first."""
    total = task.operand_count
    while True:
        splits = [(total,)] if task.operand_count == 1 else [(i, total - i) for i in range(1, total)]
        for lengths in splits:
            for digits in product(task.digits, repeat=total):
                text = "".join(digits)
                yield task.write((text,) if len(lengths) == 1 else (text[: lengths[0]], text[lengths[0] :]))
        total += 1


def random_inputs(task: Task, rng: np.random.Generator, count: int, longest: int) -> list[str]:
    """Operands of 1 to `longest` digits: a third repeat one digit, half of the others have leading zeros."""
    return [
        task.write(
            tuple(_operand(task, rng, int(rng.integers(1, longest + 1))) for _ in range(task.operand_count))
        )
        for _ in range(count)
    ]


def exploration_inputs(
    task: Task, rng: np.random.Generator, short: int = 1_000, random: int = 1_000, longest: int = 8
) -> list[str]:
    """The first `short` inputs by length, then `random` random ones, shortest first."""
    return [*islice(by_length(task), short), *sorted(random_inputs(task, rng, random, longest), key=len)]


def _operand(task: Task, rng: np.random.Generator, length: int) -> str:
    if rng.random() < 1 / 3:
        return str(rng.choice(task.digits)) * length
    zeros = int(rng.integers(0, length)) if rng.random() < 1 / 2 else 0
    digits = rng.choice(task.digits, size=length - zeros)
    return "0" * zeros + "".join(digits)
