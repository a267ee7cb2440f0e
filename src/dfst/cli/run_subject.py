"""dfst run (a module called `run` would hide the function of that name in `dfst.cli`)"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from dfst.cli.arguments import File, InputArgument, Real, Steps, SubjectArgument
from dfst.cli.output import answer, answer_json, check_place, complain
from dfst.counted import counted
from dfst.errors import InputError
from dfst.memory import require_memory
from dfst.world.grid import Limits

if TYPE_CHECKING:
    from dfst.world.run import Run as Outcome
    from dfst.world.unit import ControlUnit

MOST_SHOWN = 200  # characters of a row that is no answer to a task; --json has all of it
ENDS = 38


@dataclass(frozen=True)
class Run:
    """Let a control unit work on an input and print what it leaves on the grid.

    Examples:
      dfst run expert:add10 999+1
      dfst run expert:mult16 'ff*ff' --json
      dfst run add2 1011+111 --watch
      dfst run add2 1011+111 --html run.html
      dfst run bb5
      dfst run examples/negate.yaml
      dfst run examples/double.py:double 101
      dfst run langton --max-steps 1000000

    If the machine says which inputs it accepts, the last line does too: "accepted in state q3", "rejected:
    no rule …". docs/reference/machine-files.md explains where a file says it. A learnt model only acts, so it
    says neither.

    Exit status 1 means that it rejected the input, or ran out of steps.
    """

    subject: SubjectArgument
    """A learnt model (add2), expert:add10, compiled:add10, a published machine, a file, or a run folder."""
    input: InputArgument = None
    """What is written on the grid at first; * and x mean ×, / starts a row. Also a file, or - for stdin."""
    max_steps: Steps = Limits.steps
    """Stop after this many actions; ten billion by default."""
    max_cells: Steps = Limits.cells
    """Stop when the run has touched this many cells, each a byte of memory; a billion by default."""
    watch: bool = False
    """Show the run in the terminal: space pauses, → steps, + and - change the speed, q finishes it."""
    speed: Real = None
    """Steps per second at which --watch begins; by default 8, and on a board what lasts ten seconds."""
    html: File = None
    """Write the run as one page that plays it, from disk and offline."""
    json: bool = False
    """Print one JSON object instead of the answer."""

    def execute(self) -> int:
        from dfst.machines.teacher import Teacher
        from dfst.model.weights import GUESSING
        from dfst.subjects import input_for, resolve_typed

        if self.speed is not None and not self.watch:
            raise InputError("--speed is that of --watch; add it or leave out --speed")
        if self.watch and self.json:
            raise InputError("--watch shows the run instead of printing it; leave out --json, or --watch")
        limits = Limits(steps=self.max_steps, cells=self.max_cells)
        require_memory(self.max_cells, f"a run that touches {self.max_cells:,} cells", "lower --max-cells")
        check_place(self.html)
        subject = resolve_typed(self.subject)
        text = input_for(subject, self.input)
        if isinstance(subject, Teacher) and (self.watch or self.html):
            raise InputError(
                f"{self.subject} is a Python function, which cannot be shown; leave out --watch, --html"
            )
        if text and self.input is None:
            complain(f"the input is the one in {self.subject}: {shortened(text)}")
        if isinstance(subject, Teacher):
            run = subject.run(text, limits)
        elif self.watch:
            from dfst.viewer.terminal import watch

            run = watch(subject, text, limits, self.speed)
        else:
            usual = limits.steps == Limits.steps
            run = subject.run(text, replace(limits, steps=GUESSING) if usual else limits)
            if usual and run.steps == GUESSING and run.margin != 0:
                run = subject.run(text, limits)
        if self.html is not None and not isinstance(subject, Teacher):
            from dfst.viewer.replay import write_html

            write_html(subject, text, self.html, steps=run.steps)
            complain(f"replay written to {self.html}")
        if self.json:
            answer_json({**run.as_json(), "subject": self.subject})
        else:
            tell(run, self.subject, whole=subject.task is not None)
        return 0 if run.halted and run.accepted is not False else 1


def tell(run: Outcome, subject: str, whole: bool) -> None:
    """What a run left on the grid, and how it ended."""
    if run.halted:
        answer(in_words(run, whole))
    if run.margin == 0:
        from dfst.model.weights import first_guess

        step = first_guess(cast("ControlUnit", run.unit), run.input)
        complain(f"{subject} guessed: in step {step:,} its best actions scored alike, as if never shown")
    if run.accepted is not None:
        answer(run.ending)
    elif not run.halted:
        complain(f"{subject} {run.ending}; raise --max-steps to go on")
    elif getattr(run.unit, "ends", ()):
        complain(run.ending)


def in_words(run: Outcome, whole: bool) -> str:
    """What a run left on the grid: its one row, `whole` where that answers a task, or how much it is."""
    row = run.answer
    if row is not None and (whole or len(row) <= MOST_SHOWN):
        return row
    sentence = f"halted after {counted(run.steps, 'step')} with {counted(run.nonblank, 'cell')} not blank"
    return sentence if row is None else f"{sentence}:\n{shortened(row)}"


def shortened(row: str) -> str:
    """A long row by its two ends."""
    return row if len(row) <= MOST_SHOWN else f"{row[:ENDS]} … {row[-ENDS:]}"
