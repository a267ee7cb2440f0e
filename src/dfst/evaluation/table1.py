"""The paper's Table 1: its published columns, and the lengths at which ours is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["quick", "paper", "far"]


@dataclass(frozen=True)
class PaperResult:
    """What was published for one task. None: not reported."""

    task: str
    samples: int
    parameters: int
    train_digits: int
    rlg: int
    """The paper's DFST; there it ran out of memory, so both figures are lower bounds"""
    plg: int
    neural_gpu_rlg: str | None
    neural_gpu_plg: str | None
    neural_gpu_samples: str | None


TABLE = (
    PaperResult("add2", 20, 1020, 3, 3850, 3850, "≤ 20", "≥ 2,000", "~ 200,000"),
    PaperResult("add10", 225, 8900, 3, 2450, 2450, None, None, None),
    PaperResult("mult2", 750, 5280, 5, 600, 600, "≤ 8", "≥ 2,000", "~ 200,000"),
    PaperResult("mult10", 10_000, 162_108, 5, 180, 180, None, None, None),
)

DIGITS: dict[Mode, dict[str, int]] = {
    "quick": {"add2": 1000, "add10": 300, "mult2": 150, "mult10": 24},
    "paper": {"add2": 4_000, "add10": 2_500, "mult2": 700, "mult10": 200},
    "far": {"add2": 10_000, "add10": 5_000, "mult2": 1_500, "mult10": 500},
}
"""Lengths to measure: a subset for two minutes, a little beyond the paper's own, and far beyond them."""
