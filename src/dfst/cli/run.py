"""dfst run"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro

from dfst.cli.output import answer, answer_json, complain
from dfst.grid import Limits


@dataclass(frozen=True)
class Run:
    """Let a control unit work on an input and print what it leaves on the grid.

    Examples: dfst run add10 999+1, dfst run expert:mult16 ff*ff, dfst run bb5, dfst run machine.yaml 1011.
    Exit status 1 means that it ran out of steps.
    """

    subject: tyro.conf.Positional[str]
    """A learnt model (add10), expert:add10, compiled:add10, a published machine, or a file."""
    input: tyro.conf.Positional[str] = ""
    """What is written on the grid at first; * and x mean ×. A machine that starts on a blank grid takes none."""
    max_steps: int = Limits.steps
    """Stop after this many actions."""
    max_cells: int = Limits.cells
    """Refuse to touch more cells than this; a cell is a byte."""
    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print one JSON object in place of the answer."""

    def execute(self) -> int:
        from dfst.subjects import resolve

        limits = Limits(steps=self.max_steps, cells=self.max_cells)
        subject = resolve(self.subject)
        run = subject.run(self.input, limits)
        if self.json:
            answer_json({**run.as_json(), "subject": self.subject})
        elif run.halted:
            answer(run.answer if run.answer is not None else f"halted: {run.nonblank} cells are not blank")
        else:
            complain(f"{self.subject} did not halt within {run.steps:,} steps; raise --max-steps to go on")
        return 0 if run.halted else 1
