"""Which inputs a model is asked: the paper's random pairs and repeated digits, and a list of hard ones.

PLG at m    5 random inputs of exactly m digits and 5 of at most m digits, all right
RLG at m    PLG at m, and the R² pairs of m-digit numbers made of one repeated digit, all right
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from dfst.agents.task import DIGITS, Task
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
    rng = np.random.default_rng([seed, digits, task.radix, task.operand_count])
    arity = task.operand_count
    exact = [
        Case("exactly m digits", task.random_operands(rng, (digits,) * arity)) for _ in range(RANDOM_INPUTS)
    ]
    shorter = []
    for _ in range(RANDOM_INPUTS):
        lengths = tuple(int(n) for n in rng.integers(1, digits + 1, size=arity))
        shorter.append(Case("at most m digits", task.random_operands(rng, lengths)))
    return exact + shorter


def repeated_cases(task: Task, digits: int) -> list[Case]:
    """The inputs RLG adds: every combination of one repeated digit."""
    check_digits(digits)
    repeated = [digit * digits for digit in task.digits]
    return [Case("repeated digits", pair) for pair in product(repeated, repeat=task.operand_count)]


def hard_cases(task: Task, digits: int) -> list[Case]:
    """Carry chains, leading zeros, zeros, lopsided lengths: where other models are known to fail."""
    check_digits(digits)
    m, top = digits, DIGITS[task.radix - 1]
    two = DIGITS[2] if task.radix > 2 else "10"
    alternating = (top + "0") * ((m + 1) // 2)
    if task.operand_count == 1:
        singles = {
            "carry chain": top * m,
            "zeros": "0" * m,
            "leading zeros": "0" * (m - 1) + "1",
            "power of the radix": "1" + "0" * (m - 1),
            "alternating": alternating[:m],
        }
        return [Case(kind, (operand,)) for kind, operand in singles.items()]
    small = ("0" * m + two)[-m:]
    pairs = {
        "carry chain": (top * m, "1"),
        "carry chain, turned": ("1", top * m),
        "carry chain, same length": (top * m, ("0" * m + "1")[-m:]),
        "leading zeros": (small, small),
        "zeros": ("0" * m, "0" * m),
        "zero and a number": ("0" * m, top * m),
        "a number and zero": (top * m, "0"),
        "lopsided": (alternating[:m], top),
        "lopsided, turned": (top, alternating[:m]),
        "powers of the radix": ("1" + "0" * (m - 1), "1" + "0" * (m - 1)),
        "alternating": (alternating[:m], alternating[-m:]),
    }
    return [Case(kind, operands) for kind, operands in pairs.items()]


def check_digits(digits: int) -> None:
    """Refuse fewer digits than one."""
    if digits < 1:
        raise InputError(f"digits must be at least 1, found {digits}; try --digits 100")
