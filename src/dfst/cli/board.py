"""The board of `dfst reproduce --board`: every shipped model beside the paper's, measured now."""

from __future__ import annotations

import numpy as np

from dfst.catalogue import for_every_length, note
from dfst.cli.output import answer, answer_json, console, working
from dfst.cli.tables import draw
from dfst.evaluation.board import BOARD, Row
from dfst.evaluation.evaluate import evaluate
from dfst.evaluation.report import Report
from dfst.experts.registry import expert
from dfst.model.rollout.compiled import Rollout
from dfst.problems import find_problem
from dfst.problems.task import usual_sampling
from dfst.subjects import shipped, shipped_models


def show_board(quick: bool, as_json: bool) -> int:
    """Measure and print; 1 where a model failed, or is not there, which standard error says."""
    lines: list[dict[str, str]] = []
    passed, missing = True, [name for name in BOARD if name not in shipped_models()]
    with working("measuring …") as tell:
        for name, row in BOARD.items():
            if name in missing:
                lines.append(_line(row, None))
                continue
            rollout = Rollout(shipped(name).astype(np.float32))
            report = evaluate(rollout, find_problem(name), row.lengths(quick), progress=tell)
            passed &= report.right
            lines.append(_line(row, report))
            if as_json:
                learnt = shipped(name).provenance
                for line in report.as_json():
                    answer_json({**line, "samples": learnt.samples, "strength": learnt.strength})
    if not as_json:
        below = note(line["for every length"] for line in lines)
        title, prose = "The board, ours measured now in float32", ("task", "published")
        answer(draw(lines, title, below, prose=prose))
    if missing:
        console().print(
            f"no model is shipped of {', '.join(missing)}; learn one: dfst learn {missing[0]}", soft_wrap=True
        )
    return 0 if passed and not missing else 1


def _line(row: Row, report: Report | None) -> dict[str, str]:
    known = {"task": row.name, "longest": str(usual_sampling(expert(row.name)).max_digits)}
    if report is None:
        unknown = dict.fromkeys(("examples", "for every length", "seconds"), "–")
        found = {**unknown, "right": "not shipped"}
    else:
        found = {
            "examples": str(shipped(row.name).examples),
            "right": " ".join(f"{'≥' if m.right else '<'} {m.digits:,}" for m in report.measurements),
            "for every length": for_every_length(row.name),
            "seconds": f"{report.seconds:.0f}",
        }
    columns = ("task", "examples", "longest", "right", "for every length", "seconds")
    return {name: (known | found)[name] for name in columns} | {"published": row.published or "–"}
