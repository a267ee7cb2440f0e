"""The board of `dfst reproduce --board`: every shipped model beside the paper's, measured now."""

from __future__ import annotations

import numpy as np

from dfst.agents.registry import expert
from dfst.catalogue import MARK, for_every_length, marked, note
from dfst.cli.output import answer, answer_json, console, working
from dfst.cli.tables import draw
from dfst.evaluation.board import BOARD, Row
from dfst.evaluation.length import LengthReport, evaluate
from dfst.learning.measure import FINAL_SEED
from dfst.learning.plan import usual_sampling
from dfst.rollout.compiled import Rollout
from dfst.subjects import shipped, shipped_models


def show_board(quick: bool, as_json: bool) -> int:
    """Measure and print; 1 where a model failed, or is not there, which standard error says."""
    lines: list[dict[str, str]] = []
    passed, missing = True, [name for name in BOARD if name not in shipped_models()]
    with working("measuring …") as tell:
        for name, row in BOARD.items():
            if name in missing:
                lines.append(_line(row, []))
                continue
            rollout, reports = Rollout(shipped(name).astype(np.float32)), []
            for length in row.lengths(quick):
                tell(f"{name} at {length:,} symbols")
                reports.append(evaluate(rollout, name, expert(name), length, FINAL_SEED))
            passed &= all(_right(report) for report in reports)
            lines.append(_line(row, reports))
            if as_json:
                learnt = shipped(name).training
                known = {"strength": learnt["strength"], "for_every_length": for_every_length(name)}
                for report in reports:
                    answer_json({**report.as_json(), "samples": learnt["samples"], **known})
    if not as_json:
        below = note(line["for every length"] for line in lines)
        title, prose = "The board, ours measured now in float32", ("task", "published")
        answer(draw(lines, title, below, prose=prose, mark=MARK))
    if missing:
        console().print(
            f"no model is shipped of {', '.join(missing)}; learn one: dfst learn {missing[0]}", soft_wrap=True
        )
    return 0 if passed and not missing else 1


def _right(report: LengthReport) -> bool:
    return report.rlg and not report.hard_failures


def _line(row: Row, reports: list[LengthReport]) -> dict[str, str]:
    sampling = usual_sampling(expert(row.name))
    known = shipped(row.name).training if reports else {}
    right = [report.digits for report in reports if _right(report)]
    tested = " ".join(f"{'≥' if r.digits in right else '<'} {r.digits:,}" for r in reports)
    return {
        "task": row.name,
        "examples": known.get("samples", "–"),
        "longest": str(sampling.max_digits),
        "right": tested or "not shipped",
        "for every length": marked(for_every_length(row.name)) if reports else "–",
        "seconds": f"{sum(report.seconds for report in reports):.0f}" if reports else "–",
        "published": row.published or "–",
    }
