"""Which inputs a model is asked: the paper's random pairs and repeated digits, and a list of hard ones.

PLG at m    5 random inputs of exactly m digits and 5 of at most m digits, all right
RLG at m    PLG at m, and the R² pairs of m-digit numbers made of one repeated digit, all right
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dfst.agents.task import NumberTask, Task
from dfst.errors import InputError

RANDOM_INPUTS = 5
"""How many random inputs of each kind PLG takes."""


@dataclass(frozen=True)
class Case:
    """One input and why it is asked."""

    kind: str
    operands: tuple[str, ...]


def random_cases(task: Task, digits: int, seed: int) -> list[Case]:
    """The inputs of PLG: a function of the task, the length and the seed."""
    check_digits(digits)
    if seed < 0:
        raise InputError(f"the seed must not be negative, found {seed}")
    rng = np.random.default_rng([seed, digits, _symbols(task), task.operand_count])
    arity = task.operand_count
    exact = [
        Case(f"exactly m {task.unit}", task.random_operands(rng, (digits,) * arity))
        for _ in range(RANDOM_INPUTS)
    ]
    shorter = []
    for _ in range(RANDOM_INPUTS):
        lengths = tuple(int(n) for n in rng.integers(1, digits + 1, size=arity))
        shorter.append(Case(f"at most m {task.unit}", task.random_operands(rng, lengths)))
    return exact + shorter


def _symbols(task: Task) -> int:
    return task.radix if isinstance(task, NumberTask) else len(task.alphabet)


def repeated_cases(task: Task, digits: int) -> list[Case]:
    """The inputs RLG adds: every combination of one repeated digit; for words, one thing over and over."""
    check_digits(digits)
    what = "repeated digits" if task.unit == "digits" else "repeated symbols"
    return [Case(what, operands) for operands in task.repeated(digits)]


def hard_cases(task: Task, digits: int) -> list[Case]:
    """Carry chains, leading zeros, zeros, lopsided lengths: where other models are known to fail."""
    check_digits(digits)
    return [Case(kind, operands) for kind, operands in task.hard(digits).items()]


def check_digits(digits: int) -> None:
    """Refuse fewer digits than one."""
    if digits < 1:
        raise InputError(f"digits must be at least 1, found {digits}; try --digits 100")
