"""What the terminal shows while a model is learnt: a line for each stage, and how far the training is."""

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from dfst.problems import Problem
from dfst.train.progress import Narrator, Tell
from dfst.train.progress import Progress as TrainingProgress
from dfst.train.recipe import Recipe

PLAIN_SECONDS = 10  # without a terminal, a line this often


class RichNarrator(Narrator):
    """Draws on a console; without a terminal, a plain line now and then."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._bar = Progress(
            TextColumn("{task.percentage:>3.0f}%"),
            BarColumn(),
            TextColumn("step {task.completed:,.0f}  {task.description}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._said = 0.0

    def stage(self, text: str) -> None:
        # A terminal breaks between words, a file keeps one line.
        self.console.print(f"[dim]·[/dim] {text}", soft_wrap=not self.console.is_terminal)

    def training_begins(self, problem: Problem, recipe: Recipe) -> None:
        super().training_begins(problem, recipe)
        if self.console.is_terminal:
            self._bar.add_task("", total=recipe.steps)
            self._bar.start()

    def progress(self, progress: TrainingProgress) -> None:
        if progress.diverged:
            which = "seeds" if len(progress.diverged) > 1 else "seed"
            self.console.print(
                f"{which} {', '.join(map(str, progress.diverged))} diverged before step "
                f"{progress.iteration:,}: back to the last good weights"
            )
        well = progress.losses[np.isfinite(progress.losses)]
        far = f" … {well.max():.1e}" if well.size > 1 else ""
        rlg = "" if progress.rlg is None else f"  RLG ≥ {max(progress.rlg):,}"
        losses = f"loss {well.min(initial=np.inf):.1e}{far}{rlg}"
        if self._bar.task_ids:
            self._bar.update(self._bar.task_ids[-1], completed=progress.iteration, description=losses)
        elif progress.iteration == progress.iterations or progress.seconds - self._said >= PLAIN_SECONDS:
            self._said = progress.seconds
            self.console.print(
                f"{progress.iteration:>9,}  {losses}  {progress.seconds:.0f} s", soft_wrap=True
            )

    def training_ends(self) -> None:
        if self._bar.live.is_started:
            self._bar.stop()


class BriefNarrator(Narrator):
    """Tells where a training is, each time in a few words."""

    def __init__(self, tell: Tell, name: str) -> None:
        super().__init__(lambda text: tell(f"{name}: {text}"))

    def progress(self, progress: TrainingProgress) -> None:
        self.stage(f"step {progress.iteration:,} of {progress.iterations:,}, loss {progress.losses[0]:.2e}")
