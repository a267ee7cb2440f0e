"""A problem of your own on the plane: every x of a board becomes an o, and every o an x.

    dfst learn examples/own_board.py:Negative
    dfst run RUN $'xxo\\nxoo'

`Problem` is subclassed where you want your own sampler and your own tests. An input is a text of several
lines, its size the number of rows. Nothing says which boards there are in all, so models are measured and
not proved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dfst import Problem, RuleBook
from dfst.problems import Case, TestSet, TrainingSet
from dfst.traces.sample import record_all
from dfst.world.grid import BLANK, D, L, R


def snake() -> RuleBook:
    """Along the first row, back along the second, and so on, until a row is empty."""
    rules = RuleBook(("x", "o", BLANK))
    for way, motion, other in (("right", R, "left"), ("left", L, "right")):
        for state in (way, f"first {way}"):
            rules.on(state, "x", motion, write="o", to=way)
            rules.on(state, "o", motion, write="x", to=way)
        rules.on(way, BLANK, D, to=f"enter {other}")
        rules.on(f"enter {way}", BLANK, motion, to=f"first {way}")
        rules.halt(f"first {way}", BLANK)
    return rules


class Negative(Problem):
    """Boards of any number of rows and columns."""

    def __init__(self) -> None:
        agent = snake().agent("negative")
        super().__init__(
            name="negative",
            alphabet=agent.alphabet,
            blank=agent.blank,
            reference=agent,
            unit="rows",
            sizes=(20,),
            example="xxo\nxoo",
        )

    def training_set(self) -> TrainingSet:
        rng = np.random.default_rng(0)
        boards = [_board(rng, *rng.integers(1, 5, size=2)) for _ in range(60)]
        return TrainingSet(record_all(self.agent, list(dict.fromkeys(boards))), "drawn")

    def tests(self, sizes: Sequence[int], seed: int, *, hard: bool = True) -> list[TestSet]:
        rng = np.random.default_rng(seed)
        found = []
        for size in sizes or self.sizes:
            cases = [Case("square", _board(rng, size, size), "random") for _ in range(5)]
            cases += [
                Case("one row", _board(rng, 1, size), "hard"),
                Case("one column", _board(rng, size, 1), "hard"),
            ]
            found.append(TestSet(size, tuple(cases)))
        return found


def _board(rng: np.random.Generator, rows: int, columns: int) -> str:
    return "\n".join("".join(rng.choice(list("xo"), columns)) for _ in range(rows))
