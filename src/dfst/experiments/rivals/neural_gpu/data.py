"""Questions and answers as the Neural GPU reads and writes them: rows of cells, lowest digit first.

Both operands are written with the same number of digits k, the shorter one filled with zeros, so that a
question is n = 2k + 1 cells long and its answer, filled with zeros, fits into the same cells:

    011 + 001   →   1 1 0 + 1 0 0   →   0 0 1 0 0 0 0   =   100

Training sets are the published ones in kind and in size: for every k from 1 to 20, 10,000 pairs of operands
whose digits are drawn uniformly, leading zeros included.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dfst.agents.task import DIGITS, NumberTask

LONGEST = 20
"""Digits of an operand in training, at most."""
EXAMPLES = 10_000
"""Questions of each length in a training set: 200,000 in all."""


Examples = tuple[NDArray[np.uint8], NDArray[np.uint8]]
"""(count, n) questions of one length, digits and the radix for the operator, and their answers."""


def cells(digits: int) -> int:
    """n, the length of a question about operands of k digits."""
    return 2 * digits + 1


def encode(task: NumberTask, operands: tuple[str, ...]) -> NDArray[np.uint8]:
    """(n,) the cells of a question."""
    digits = max(len(operand) for operand in operands)
    low_first = [[DIGITS.index(c) for c in reversed(operand.rjust(digits, "0"))] for operand in operands]
    return np.array([*low_first[0], task.radix, *low_first[1]], dtype=np.uint8)


def decode(answer: Sequence[int]) -> str:
    """The number in a row of cells, without leading zeros."""
    return "".join(DIGITS[digit] for digit in reversed(answer)).lstrip("0") or "0"


def draw_examples(task: NumberTask, digits: int, count: int, rng: np.random.Generator) -> Examples:
    """Random questions about operands of `digits` digits, and the right answers."""
    a, b = rng.integers(0, task.radix, size=(2, count, digits), dtype=np.uint8)
    operator = np.full((count, 1), task.radix, dtype=np.uint8)
    answers = _carried(_columns(task, a.astype(np.int64), b.astype(np.int64)), task.radix)
    return np.concatenate([a, operator, b], axis=1), answers


def training_set(
    task: NumberTask, seed: int, longest: int = LONGEST, count: int = EXAMPLES
) -> list[Examples]:
    """The examples of every length, shortest first."""
    return [
        draw_examples(task, digits, count, np.random.default_rng([seed, digits, task.radix]))
        for digits in range(1, longest + 1)
    ]


def _columns(task: NumberTask, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """(count, n) what each column of the written calculation adds up to, before any carry."""
    count, digits = a.shape
    columns = np.zeros((count, cells(digits)), dtype=np.int64)
    if task.family.name == "add":
        columns[:, :digits] = a + b
    else:
        for shift in range(digits):
            columns[:, shift : shift + digits] += a[:, shift, None] * b
    return columns


def _carried(columns: NDArray[np.int64], radix: int) -> NDArray[np.uint8]:
    for cell in range(columns.shape[1] - 1):
        carry, columns[:, cell] = np.divmod(columns[:, cell], radix)
        columns[:, cell + 1] += carry
    return columns.astype(np.uint8)
