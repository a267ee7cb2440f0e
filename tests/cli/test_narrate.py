"""The life of a training in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
from rich.console import Console

from dfst.cli.narrate import RichNarrator
from dfst.experts import expert
from dfst.train.progress import Progress
from dfst.train.settings import configure


def progress(iteration: int, losses: list[float], rlg: list[int] | None, diverged: list[int]) -> Progress:
    return Progress(iteration, 100, 0.01, np.array(losses), iteration / 4, rlg, iteration, diverged)


LIFE = [
    progress(20, [0.1, 0.2], None, []),
    progress(60, [0.01, np.nan], [3, 0], [1]),
    progress(100, [1e-5, np.nan], [40, 0], []),
]


def drawn(terminal: bool) -> str:
    screen = io.StringIO()
    narrator = RichNarrator(Console(file=screen, force_terminal=terminal, width=100, highlight=False))
    plan = configure(expert("add2"), seeds=2, steps=100)
    narrator.training_begins(plan.problem, replace(plan.recipe, hidden_size=12))
    for step in LIFE:
        narrator.progress(step)
    narrator.training_ends()
    narrator.training_ends()  # twice does no harm
    return screen.getvalue()


def test_a_terminal_sees_how_far_it_is():
    text = drawn(terminal=True)
    for words in (
        "training 2 seeds with hidden size 12 for 100 steps",
        "100%",
        "loss 1.0e-05  RLG ≥ 40",
        "seed 1 diverged",
    ):
        assert words in text


def test_a_file_gets_plain_lines():
    text = drawn(terminal=False)
    assert "\x1b" not in text
    assert "seed 1 diverged before step 60" in text
    assert text.splitlines()[-1].split() == ["100", "loss", "1.0e-05", "RLG", "≥", "40", "25", "s"]
