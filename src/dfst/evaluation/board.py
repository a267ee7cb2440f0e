"""The board: tasks beside the paper's by which learners are judged, how far each is tested, what is known.

Figures of others are quoted from their papers or repositories, for models trained on inputs of up to 40
symbols unless a line says otherwise; docs/results/board.md gives the sources.
"""

from dataclasses import dataclass
from typing import Literal

from dfst.tasks.word_tasks import GROUPS

FAR, VERY_FAR = 500, 100_000
QUICK, QUICK_VERY_FAR = 60, 1_000
SD_SSM = "SD-SSM ≥ 500"
CHOMSKY = "with memory 500"

NUMBERS = ("sum", "div", "mod", "gcd", "sqrt")

Mode = Literal["quick", "paper", "far"]

DIGITS: dict[Mode, dict[str, int]] = {
    "quick": {"add2": 1_000, "add10": 300, "mult2": 150, "mult10": 24},
    "paper": {"add2": 4_000, "add10": 2_500, "mult2": 700, "mult10": 200},
    "far": {"add2": 10_000, "add10": 5_000, "mult2": 1_500, "mult10": 500},
}
"""Of the tasks of Table 1: for two minutes, a little beyond the paper's lengths, far beyond them."""


@dataclass(frozen=True)
class Row:
    """One task of the board."""

    name: str
    regular: bool = False  # whether a finite automaton can do it; then it is tested very far as well
    published: str = CHOMSKY

    def lengths(self, quick: bool = False) -> tuple[int, ...]:
        """Symbols, or digits, of the inputs it is tested on."""
        far, very_far = (QUICK, QUICK_VERY_FAR) if quick else (FAR, VERY_FAR)
        return (far, very_far) if self.regular else (far,)


BOARD = {
    row.name: row
    for row in (
        *(Row(name, True, SD_SSM) for name in ("parity", "even_pairs", "cycle", "modular")),
        Row("divisible3", True, ""),
        *(Row(name, True, {"d4": SD_SSM, "a5": SD_SSM}.get(name, "")) for name in GROUPS if name != "s5"),
        Row("s5", True, "DeltaProduct < 500"),
        *(Row(name) for name in ("reverse", "duplicate", "odds_first", "missing_duplicate", "stack")),
        *(Row(name) for name in ("modular_brackets", "solve", "sort")),
        *(Row(f"{name}{radix}", published="") for name in NUMBERS for radix in (2, 10)),
    )
}
