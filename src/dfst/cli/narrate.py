"""What the terminal shows while a model is learnt: a line for each stage, and the curves of the training."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log10

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from dfst.counted import counted
from dfst.problems import Problem
from dfst.train.progress import Narrator
from dfst.train.progress import Progress as TrainingProgress
from dfst.train.recipe import Recipe

CURVE_WIDTH = 40
PLAIN_SECONDS = 10
"""Without a terminal, a line this often."""
LEVELS = "▁▂▃▄▅▆▇█"
FLOOR = 1e-300


class RichNarrator(Narrator):
    """Draws on a console; without a terminal, a plain line now and then."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._live: Live | None = None
        self._bar = Progress(
            TextColumn("{task.percentage:>3.0f}%"),
            BarColumn(bar_width=CURVE_WIDTH),
            TextColumn("step {task.completed:,.0f}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._history: list[TrainingProgress] = []
        self._said = 0.0

    def stage(self, text: str) -> None:
        # A terminal breaks between words, a file keeps one line.
        self.console.print(f"[dim]·[/dim] {text}", soft_wrap=not self.console.is_terminal)

    def training_begins(self, problem: Problem, recipe: Recipe) -> None:
        self.stage(
            f"training {counted(recipe.seeds, 'seed')} with hidden size {recipe.hidden_size} "
            f"for {counted(recipe.steps, 'step')} ({recipe.preset} preset)"
        )
        if self.console.is_terminal:
            self._bar.add_task("", total=recipe.steps)
            self._live = Live(self._bar, console=self.console, refresh_per_second=8)
            self._live.start()

    def progress(self, progress: TrainingProgress) -> None:
        for seed in progress.diverged:
            self.console.print(
                f"seed {seed} diverged before step {progress.iteration:,}: "
                "it goes back to its last good weights"
            )
        if self._live:
            self._history.append(progress)
            self._bar.update(self._bar.task_ids[-1], completed=progress.iteration)
            self._live.update(Group(self._bar, *curves(self._history)))
        elif progress.iteration == progress.iterations or progress.seconds - self._said >= PLAIN_SECONDS:
            self._said = progress.seconds
            rlg = "" if progress.rlg is None else f"  RLG ≥ {max(progress.rlg):,}"
            line = f"{progress.iteration:>9,}  {_losses(progress)}{rlg}  {progress.seconds:.0f} s"
            self.console.print(line, soft_wrap=True)

    def training_ends(self) -> None:
        if self._live:
            self._live.stop()
            self._live = None


def curves(history: list[TrainingProgress]) -> list[Text]:
    """The smallest loss and the largest RLG of all seeds so far, each as a curve in one line."""
    last = history[-1]
    losses = [float(np.nanmin(p.losses)) if np.isfinite(p.losses).any() else None for p in history]
    rlg = [None if p.rlg is None else float(max(p.rlg)) for p in history]
    lines = [f"loss {spark(losses, CURVE_WIDTH):<{CURVE_WIDTH}} {_losses(last).removeprefix('loss ')}"]
    if last.rlg is not None:
        lines.append(
            f" RLG {spark(rlg, CURVE_WIDTH, logarithmic=False):<{CURVE_WIDTH}} ≥ {max(last.rlg):,} digits"
        )
    return [Text(line, no_wrap=True) for line in lines]


def _losses(progress: TrainingProgress) -> str:
    well = progress.losses[np.isfinite(progress.losses)]
    if well.size > 1:
        return f"loss {well.min():.1e} … {well.max():.1e}"
    return f"loss {well.min(initial=np.inf):.1e}"


def spark(values: Sequence[float | None], width: int = 24, logarithmic: bool = True) -> str:
    """The values as bars from lowest to highest, at most `width` of them; a gap where there is none.

    More values than bars: each bar stands for a stretch of them and shows its last.
    """
    if width < 1:
        return ""
    count = min(width, len(values))
    picked = [values[(i + 1) * len(values) // count - 1] for i in range(count)]
    heights = [_height(value, logarithmic) for value in picked]
    known = [height for height in heights if height is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return "".join(" " if height is None else _bar(height, low, high) for height in heights)


def _height(value: float | None, logarithmic: bool) -> float | None:
    if value is None or not -inf < value < inf:
        return None
    return log10(max(value, FLOOR)) if logarithmic else float(value)


def _bar(height: float, low: float, high: float) -> str:
    share = (height - low) / (high - low) if high > low else 0.0
    return LEVELS[round(share * (len(LEVELS) - 1))]
