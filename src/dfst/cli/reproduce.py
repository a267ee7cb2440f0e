"""dfst reproduce"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from dfst.cli.arguments import Switch, option
from dfst.cli.output import answer, answer_json, console
from dfst.cli.tables import draw
from dfst.errors import InputError

if TYPE_CHECKING:
    from dfst.evaluation.length import LengthReport
    from dfst.paper import PaperTask


@dataclass(frozen=True)
class Reproduce:
    """Print the paper's Table 1 beside ours, measured now from the shipped weights.

    Every action of every run is compared with the expert's, in float32 as in the paper, on inputs that had no
    part in choosing the models. Hard cases (carry chains, leading zeros, lopsided lengths) are asked as well.

    Examples:
      dfst reproduce --quick
      dfst reproduce
      dfst reproduce --far --tasks add2 mult2

    Exit status 1 means that a model failed.
    """

    quick: Switch = False
    """Shorter lengths, for a first look: well under two minutes on two cores."""
    far: Switch = False
    """Beyond the paper's lengths, in float64: some forty minutes on two cores."""
    tasks: Annotated[tuple[Literal["add2", "add10", "mult2", "mult10"], ...], option("TASK …")] = ()
    """Only these tasks."""
    json: Switch = False
    """Print a JSON object for each task."""

    def execute(self) -> int:
        import numpy as np

        from dfst.agents.registry import expert
        from dfst.evaluation.length import evaluate
        from dfst.evaluation.table1 import DIGITS, Mode
        from dfst.learning.measure import FINAL_SEED
        from dfst.paper import TASKS
        from dfst.rollout.compiled import Rollout
        from dfst.subjects import shipped, shipped_models

        if self.quick and self.far:
            raise InputError("give --quick or --far, not both")
        mode: Mode = "quick" if self.quick else "far" if self.far else "paper"
        rows: list[tuple[PaperTask, LengthReport | None]] = []
        with console().status("measuring …") as status:
            for task, row in TASKS.items():
                if self.tasks and task not in self.tasks:
                    continue
                if task not in shipped_models():
                    rows.append((row, None))
                    continue
                digits = DIGITS[mode][task]
                rollout = Rollout(shipped(task).astype(np.float64 if self.far else np.float32))

                def tell(done: int, total: int, task: str = task, digits: int = digits) -> None:
                    status.update(f"{task} at {digits:,} digits: {done} of {total} inputs")

                report = evaluate(rollout, task, expert(task), digits, FINAL_SEED, progress=tell)
                rows.append((row, report))
                if self.json:
                    paper = {"paper_rlg": row.tested_digits, "paper_plg": row.tested_digits}
                    answer_json({**report.as_json(), **paper})
        if not self.json:
            _print(rows, "float64" if self.far else "float32")
        return 0 if all(r is not None and r.rlg and not r.hard_failures for _, r in rows) else 1


def _print(rows: list[tuple[PaperTask, LengthReport | None]], precision: str) -> None:
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
    line("ours: same samples and parameters", *("yes" if r else "not shipped" for _, r in rows))
    line("  robust length generalisation", *(_bound(r, r.rlg if r else False) for _, r in rows))
    line("  probabilistic", *(_bound(r, r.plg if r else False) for _, r in rows))
    line("  hard cases", *(_hard(r) for _, r in rows))
    line("  for every length (dfst prove)", *(_strength(row.name) if r else "–" for row, r in rows))
    line("  steps compared", *(f"{r.steps:,}" if r else "–" for _, r in rows))
    line("  smallest margin", *(f"{r.margin:.4f}" if r and r.steps else "–" for _, r in rows))
    line("  seconds", *(f"{r.seconds:.0f}" if r else "–" for _, r in rows))
    answer(draw(lines, f"Table 1, ours measured now in {precision}", prose=("",)))


def _bound(report: LengthReport | None, right: bool) -> str:
    if report is None:
        return "–"
    return f"≥ {report.digits:,}" if right else f"< {report.digits:,}"


def _strength(task: str) -> str:
    from dfst.subjects import shipped

    return shipped(task).training.get("strength", "–")


def _hard(report: LengthReport | None) -> str:
    if report is None:
        return "–"
    return "all right" if not report.hard_failures else f"{report.hard_failures} wrong"
