"""dfst reproduce"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dfst.cli.arguments import Folder, Switch, first_given, option
from dfst.cli.output import answer, answer_json, console, working
from dfst.cli.tables import draw
from dfst.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable

    from dfst.evaluation.report import Measurement, Report
    from dfst.paper import PaperTask

OUT = Path("runs/reproduce")


@dataclass(frozen=True)
class Reproduce:
    """Print the paper's Table 1 beside ours, measured now from the shipped weights.

    Every action of every run is compared with the expert's, in float32 as in the paper, on inputs that had no
    part in choosing the models. Hard cases (carry chains, leading zeros, lopsided lengths) are asked as well.

    Examples:
      dfst reproduce --quick
      dfst reproduce
      dfst reproduce --far --tasks add2 mult2
      dfst reproduce --descent
      dfst reproduce --board
      dfst reproduce --train --device cuda
      dfst reproduce --train --board --seeds 16 --data-seeds 0 1 2

    Exit status 1 means that a model failed.
    """

    quick: Switch = False
    """Shorter lengths, for a first look: well under two minutes on two cores."""
    far: Switch = False
    """Beyond the paper's lengths, in float64: some forty minutes on two cores."""
    descent: Switch = False
    """Measure what gradient descent alone made, without a polish (add2.descent), at the paper's lengths."""
    tasks: Annotated[tuple[str, ...], option("TASK …")] = ()
    """Only these of the paper's tasks, or, with --board and --train, of the board's."""
    board: Switch = False
    """The tasks of the board instead of the paper's: at 500 symbols, the regular ones at 100,000 as well."""
    train: Switch = False
    """Learn every task of the table anew, prove it and measure it; given again, it goes on where it was."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where --train trains; auto takes the GPU if there is one."""
    seeds: Annotated[int | None, option("N")] = None
    """Seeds of each task with --train, every one put to the prover; by default the preset's, and one is."""
    data_seeds: Annotated[tuple[int, ...], option("N …")] = ()
    """Training sets that --train draws of each task, a run for each."""
    out: Folder = None
    """Where --train keeps its run folders; runs/reproduce by default."""
    json: Switch = False
    """Print a JSON object for each task."""

    def execute(self) -> int:
        from dfst.evaluation.board import BOARD
        from dfst.paper import TASKS
        from dfst.subjects import DESCENT, descent_models, shipped_models

        if self.quick and self.far:
            raise InputError("give --quick or --far, not both")
        if self.board and not self.train and (self.far or self.descent or self.tasks):
            raise InputError("--board measures all of its tasks; leave out --far, --descent and --tasks")
        tasks = BOARD if self.board else TASKS
        if unknown := next((name for name in self.tasks if name not in tasks), None):
            raise UnknownName("task", unknown, tasks)
        if self.train:
            return self._train(self.tasks or tuple(tasks))
        if given := first_given(self, ("device", "seeds", "data_seeds", "out")):
            raise InputError(f"{given} goes with --train; add it or leave out {given}")
        if self.board:
            from dfst.cli.board import show_board

            return show_board(self.quick, self.json)
        there = descent_models() if self.descent else shipped_models()
        rows: list[tuple[PaperTask, Report | None]] = []
        with working("measuring …") as tell:
            for task, row in TASKS.items():
                if self.tasks and task not in self.tasks:
                    continue
                name = f"{task}{DESCENT}" if self.descent else task
                if name not in there:
                    how = " --preset descent" if self.descent else ""
                    console().print(f"no {name} is shipped; learn it: dfst learn {task}{how}")
                    rows.append((row, None))
                    continue
                report = self._measure(name, row, tell)
                rows.append((row, report))
                if self.json:
                    paper = {"paper_rlg": row.tested_digits, "paper_plg": row.tested_digits}
                    answer_json({**report.as_json()[0], **paper})
        if not self.json:
            precision = "float64" if self.far else "the floats of training" if self.descent else "float32"
            _print(rows, precision, self.descent)
        return 0 if all(r is not None and r.right for _, r in rows) else 1

    def _train(self, names: tuple[str, ...]) -> int:
        from dfst.cli.retrain import retrain

        if self.far:
            raise InputError("--train measures at the usual lengths; leave out --far")
        preset, out = "descent" if self.descent else "quick", self.out or OUT
        return retrain(names, preset, self.device, out, self.quick, self.json, self.seeds, self.data_seeds)

    def _measure(self, name: str, row: PaperTask, tell: Callable[[str], None]) -> Report:
        """A shipped model at the length that was asked for."""
        import numpy as np

        from dfst.evaluation.evaluate import evaluate
        from dfst.evaluation.table1 import DIGITS, Mode
        from dfst.model.rollout.compiled import Rollout
        from dfst.problems import find_problem
        from dfst.subjects import shipped

        mode: Mode = "quick" if self.quick else "far" if self.far else "paper"
        digits = row.tested_digits if self.descent and mode == "paper" else DIGITS[mode][row.name]
        weights = shipped(name)
        if self.far or not self.descent:
            weights = weights.astype(np.float64 if self.far else np.float32)
        return evaluate(Rollout(weights), find_problem(row.name), (digits,), name=name, progress=tell)


def _print(rows: list[tuple[PaperTask, Report | None]], precision: str, descent: bool = False) -> None:
    from dfst.catalogue import for_every_length

    lines: list[dict[str, str]] = []

    def line(name: str, *cells: str) -> None:
        lines.append({"": name, **dict(zip((row.name for row, _ in rows), cells, strict=True))})

    paper = [row for row, _ in rows]
    rivals = [row.neural_gpu for row in paper]
    line("Neural GPU: samples", *(n.samples if n else "–" for n in rivals))
    line("  robust length generalisation", *(n.rlg if n else "–" for n in rivals))
    line("  probabilistic", *(n.plg if n else "–" for n in rivals))
    line("paper's DFST: samples", *(f"{row.samples:,}" for row in paper))
    line("  parameters", *(f"{row.parameters:,}" for row in paper))
    line("  robust and probabilistic", *(f"≥ {row.tested_digits:,}" for row in paper))
    if descent:
        line("descent alone: parameters", *(_parameters(r) for _, r in rows))
    else:
        line("ours: same samples and parameters", *("yes" if r else "not shipped" for _, r in rows))
    measured = [r.measurements[0] if r else None for _, r in rows]
    line("  robust length generalisation", *(_bound(m, m.rlg if m else False) for m in measured))
    line("  probabilistic", *(_bound(m, m.plg if m else False) for m in measured))
    line("  hard cases", *(_hard(m) for m in measured))
    if descent:
        line("  recipe", *(_told(r, "recipe") for _, r in rows))
        line("  seeds exact", *(_told(r, "exact_seeds") for _, r in rows))
    else:
        line("  for every length (dfst prove)", *(for_every_length(r.subject) if r else "–" for _, r in rows))
    line("  steps compared", *(f"{m.steps:,}" if m else "–" for m in measured))
    line("  smallest margin", *(f"{m.margin:.2g}" if m and m.steps else "–" for m in measured))
    line("  seconds", *(f"{m.seconds:.0f}" if m else "–" for m in measured))
    answer(draw(lines, f"Table 1, ours measured now in {precision}", prose=("",)))


def _bound(report: Measurement | None, right: bool) -> str:
    if report is None:
        return "–"
    return f"≥ {report.digits:,}" if right else f"< {report.digits:,}"


def _told(report: Report | None, what: str) -> str:
    """What stands on the file about how the model came about."""
    from dfst.subjects import shipped

    return getattr(shipped(report.subject).provenance, what) or "–" if report else "–"


def _parameters(report: Report | None) -> str:
    from dfst.subjects import shipped

    return f"{shipped(report.subject).shape.size:,}" if report else "not shipped"


def _hard(report: Measurement | None) -> str:
    if report is None:
        return "–"
    return "all right" if not report.hard_failures else f"{report.hard_failures} wrong"
