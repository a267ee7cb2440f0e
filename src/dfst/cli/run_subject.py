"""dfst run (a module called `run` would hide the function of that name in `dfst.cli`)"""

from __future__ import annotations

from dataclasses import dataclass

from dfst.cli.arguments import File, InputArgument, SubjectArgument, Switch
from dfst.cli.output import answer, answer_json, check_place, complain
from dfst.world.grid import Limits


@dataclass(frozen=True)
class Run:
    """Let a control unit work on an input and print what it leaves on the grid.

    Examples:
      dfst run expert:add10 999+1
      dfst run expert:mult16 'ff*ff' --json
      dfst run add2 1011+111 --watch
      dfst run add2 1011+111 --html run.html
      dfst run bb5
      dfst run machine.yaml 1011 --max-steps 1000000

    Exit status 1 means that it ran out of steps.
    """

    subject: SubjectArgument
    """A learnt model (add2), expert:add10, compiled:add10, a published machine, a file, or a run folder."""
    input: InputArgument = ""
    """What is written on the grid at first; * and x mean ×. Left out, the grid is blank."""
    max_steps: int = Limits.steps
    """Stop after this many actions."""
    max_cells: int = Limits.cells
    """Refuse to touch more cells than this; a cell is a byte."""
    watch: Switch = False
    """Show the run in the terminal: space pauses, → steps, + and - change the speed, q finishes it."""
    speed: float = 8
    """Steps a second at which --watch begins."""
    html: File = None
    """Write the run as one page that plays it, from disk and offline."""
    json: Switch = False
    """Print one JSON object in place of the answer."""

    def execute(self) -> int:
        from dfst.subjects import resolve

        limits = Limits(steps=self.max_steps, cells=self.max_cells)
        check_place(self.html)
        subject = resolve(self.subject)
        if self.watch:
            from dfst.viewer.terminal import watch

            run = watch(subject, self.input, limits, self.speed)
        else:
            run = subject.run(self.input, limits)
        if self.html is not None:
            from dfst.viewer.replay import write_html

            write_html(subject, self.input, self.html, steps=run.steps)
            complain(f"replay written to {self.html}")
        if self.json:
            answer_json({**run.as_json(), "subject": self.subject})
        elif run.halted:
            answer(run.answer if run.answer is not None else f"halted: {run.nonblank} cells are not blank")
        else:
            complain(f"{self.subject} did not halt within {run.steps:,} steps; raise --max-steps to go on")
        return 0 if run.halted else 1
