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
    from dfst.evaluation.table1 import PaperResult


@dataclass(frozen=True)
class Reproduce:
    """Print the paper's Table 1 beside ours, measured now from the shipped weights.

    Every action of every run is held against the expert's, in float32 as in the paper, on inputs that chose
    nothing; hard cases (carry chains, leading zeros, lopsided lengths) are asked as well.

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
    """Print one JSON object a task."""

    def execute(self) -> int:
        import numpy as np

        from dfst.agents.registry import expert
        from dfst.evaluation.length import evaluate
        from dfst.evaluation.table1 import DIGITS, TABLE, Mode
        from dfst.learning.pipeline import FINAL_SEED
        from dfst.rollout.compiled import Rollout
        from dfst.subjects import shipped, shipped_models

        if self.quick and self.far:
            raise InputError("give --quick or --far, not both")
        mode: Mode = "quick" if self.quick else "far" if self.far else "paper"
        rows: list[tuple[PaperResult, LengthReport | None]] = []
        with console().status("measuring …") as status:
            for entry in TABLE:
                if self.tasks and entry.task not in self.tasks:
                    continue
                if entry.task not in shipped_models():
                    rows.append((entry, None))
                    continue
                digits = DIGITS[mode][entry.task]
                rollout = Rollout(shipped(entry.task).astype(np.float64 if self.far else np.float32))

                def tell(done: int, total: int, task: str = entry.task, digits: int = digits) -> None:
                    status.update(f"{task} at {digits:,} digits: {done} of {total} inputs")

                report = evaluate(rollout, entry.task, expert(entry.task), digits, FINAL_SEED, progress=tell)
                rows.append((entry, report))
                if self.json:
                    answer_json({**report.as_json(), "paper_rlg": entry.rlg, "paper_plg": entry.plg})
        if not self.json:
            _print(rows, "float64" if self.far else "float32")
        return 0 if all(r is not None and r.rlg and not r.hard_failures for _, r in rows) else 1


def _print(rows: list[tuple[PaperResult, LengthReport | None]], precision: str) -> None:
    lines: list[dict[str, str]] = []

    def line(name: str, *cells: str) -> None:
        lines.append({"": name, **dict(zip((entry.task for entry, _ in rows), cells, strict=True))})

    entries = [entry for entry, _ in rows]
    line("Neural GPU: samples", *(e.neural_gpu_samples or "–" for e in entries))
    line("  robust length generalisation", *(e.neural_gpu_rlg or "–" for e in entries))
    line("  probabilistic", *(e.neural_gpu_plg or "–" for e in entries))
    line("paper's DFST: samples", *(f"{e.samples:,}" for e in entries))
    line("  parameters", *(f"{e.parameters:,}" for e in entries))
    line("  robust and probabilistic", *(f"≥ {e.rlg:,}" for e in entries))
    line("ours: same samples and parameters", *("yes" if r else "not shipped" for _, r in rows))
    line("  robust length generalisation", *(_bound(r, r.rlg if r else False) for _, r in rows))
    line("  probabilistic", *(_bound(r, r.plg if r else False) for _, r in rows))
    line("  hard cases", *(_hard(r) for _, r in rows))
    line("  for every length (dfst prove)", *(_strength(e.task) if r else "–" for e, r in rows))
    line("  steps compared", *(f"{r.steps:,}" if r else "–" for _, r in rows))
    line("  smallest margin", *(f"{r.margin:.4f}" if r else "–" for _, r in rows))
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
