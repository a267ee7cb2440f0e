"""The lengths at which `dfst reproduce` measures the tasks of the paper's Table 1."""

from __future__ import annotations

from typing import Literal

Mode = Literal["quick", "paper", "far"]

DIGITS: dict[Mode, dict[str, int]] = {
    "quick": {"add2": 1_000, "add10": 300, "mult2": 150, "mult10": 24},
    "paper": {"add2": 4_000, "add10": 2_500, "mult2": 700, "mult10": 200},
    "far": {"add2": 10_000, "add10": 5_000, "mult2": 1_500, "mult10": 500},
}
"""A subset for two minutes, a little beyond the paper's own lengths, and far beyond them."""
