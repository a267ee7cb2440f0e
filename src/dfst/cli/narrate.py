"""What the terminal shows while a model is learnt: one line a stage, and a bar with the life of the training."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from dfst.learning.plan import Plan
from dfst.learning.train import Observer
from dfst.learning.train import Progress as TrainingProgress
from dfst.pipeline import Narrator
from dfst.traces.traceset import TraceSet


class RichNarrator(Narrator):
    """Draws on a console; without a terminal, a plain line now and then."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._bar: Progress | None = None
        self._said = 0.0

    def stage(self, text: str) -> None:
        self.console.print(f"[dim]·[/dim] {text}", soft_wrap=True)

    def observer(self, plan: Plan, traces: TraceSet) -> Observer:
        recipe = plan.recipe
        seeds = f"{len(plan.seeds)} seed{'s' if len(plan.seeds) > 1 else ''}"
        self.stage(f"training {seeds} with d = {plan.d} for {recipe.iterations:,} steps ({recipe.preset} preset)")
        if not self.console.is_terminal:
            return self._plain
        self._bar = Progress(
            TextColumn("{task.percentage:>3.0f}%"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[words]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self.console,
        )
        self._bar.start()
        job = self._bar.add_task("", total=recipe.iterations, words="starting")

        def draw(progress: TrainingProgress) -> None:
            assert self._bar is not None
            self._bar.update(job, completed=progress.iteration, words=_words(progress))
            self._warn(progress)

        return draw

    def _plain(self, progress: TrainingProgress) -> None:
        self._warn(progress)
        if progress.iteration == progress.iterations or progress.seconds - self._said >= 10:
            self._said = progress.seconds
            self.console.print(f"{progress.iteration:>9,}  {_words(progress)}  {progress.seconds:.0f} s", soft_wrap=True)

    def _warn(self, progress: TrainingProgress) -> None:
        for seed in progress.diverged:
            self.console.print(
                f"seed {seed} diverged before step {progress.iteration:,}: its loss is not finite; "
                "it keeps its last good weights and stops"
            )

    def done_training(self) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None


def _words(progress: TrainingProgress) -> str:
    well = progress.losses[np.isfinite(progress.losses)]
    losses = f"loss {well.min():.1e} … {well.max():.1e}" if well.size > 1 else f"loss {well.min(initial=np.inf):.1e}"
    rlg = "" if progress.rlg is None else f"  RLG {max(progress.rlg):,}"
    return f"{losses}  rate {progress.rate:.1e}{rlg}"
