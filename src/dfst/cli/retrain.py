"""`dfst reproduce --train`: all tasks of a table learnt anew, proved and measured, one after another.

Each task has its run folder. What is finished is read, what was broken off goes on, so the command can be
stopped and given again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dfst.cli.narrate import RichNarrator
from dfst.cli.output import answer, answer_json, console
from dfst.cli.tables import draw
from dfst.evaluation.board import BOARD
from dfst.learning import learn
from dfst.paper import TASKS
from dfst.train.engines import Device
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure


def retrain(names: Sequence[str], preset: str, device: Device, out: Path, quick: bool, as_json: bool) -> int:
    """Learn these tasks and print what became of them; 1 where one is not exact."""
    lines, passed, screen = [], True, console()
    for number, name in enumerate(names, 1):
        screen.print(f"[bold]{name}[/bold], {number} of {len(names)}")
        found = _learnt(name, preset, device, out / f"{name}-{preset}", quick)
        passed &= found["exact"]
        lines.append(_line(name, found))
        if as_json:
            answer_json(found)
    if not as_json:
        answer(draw(lines, f"Learnt anew by the preset {preset}", prose=("task", "published")))
    return 0 if passed else 1


def _learnt(name: str, preset: str, device: Device, folder: Path, quick: bool) -> dict[str, Any]:
    """What report.json says, once it is there."""
    run = RunFolder(folder)
    if not run.report_file.exists():
        config = configure(name, preset)
        sizes = BOARD[name].lengths(quick) if name in BOARD else ()
        learn(
            config.problem, config.recipe, folder, device, sizes, RichNarrator(console()), resume=run.exists()
        )
    found: dict[str, Any] = json.loads(run.report_file.read_text("utf-8"))
    return found


def _line(name: str, found: dict[str, Any]) -> dict[str, str]:
    measured = found["evaluation"]
    margins = [m["margin"] for m in measured if m["margin"] is not None]
    paper = f"paper ≥ {TASKS[name].tested_digits:,}" if name in TASKS else BOARD[name].published
    return {
        "task": name,
        "right": " ".join(f"{'<' if m['failures'] else '≥'} {m['digits']:,}" for m in measured),
        "for every length": found["strength"],
        "smallest margin": f"{min(margins):.2g}" if margins else "–",
        "seconds": f"{found['seconds']:.0f}",
        "published": paper or "–",
    }
