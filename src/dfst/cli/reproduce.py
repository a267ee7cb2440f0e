"""dfst reproduce"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from dfst.cli.arguments import SEEDED, Folder, Number, Option, first_given
from dfst.cli.output import answer, answer_json, working
from dfst.errors import InputError, UnknownName

if TYPE_CHECKING:
    from dfst.evaluation.board import Mode


@dataclass(frozen=True)
class Reproduce:
    """Measure the shipped models now, beside what the paper and others have published.

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

    quick: bool = False
    """Shorter lengths, for a first look: well under two minutes on two cores."""
    far: bool = False
    """Beyond the paper's lengths, in float64: some forty minutes on two cores."""
    descent: bool = False
    """Measure what gradient descent alone made, without a polish (add2.descent), at the paper's lengths."""
    tasks: Annotated[tuple[str, ...], Option("TASK …")] = ()
    """Only these of the paper's tasks, or, with --board and --train, of the board's."""
    board: bool = False
    """The tasks of the board instead of the paper's: at 500 symbols, the regular ones at 100,000 as well."""
    train: bool = False
    """Learn every task of the table anew, prove it and measure it; given again, it goes on where it was."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where --train trains; auto takes the GPU if there is one."""
    seeds: Number = None
    """Seeds of each task with --train, every one put to the prover; by default the preset's, and one is."""
    data_seeds: Annotated[tuple[int, ...], Option("N …"), SEEDED] = ()
    """Training sets that --train draws of each task, a run for each."""
    out: Folder = None
    """Where --train keeps its run folders; runs/reproduce by default."""
    json: bool = False
    """Print a JSON object for each task."""

    def execute(self) -> int:
        from dfst.cli.reproduced import measured, retrain, table
        from dfst.evaluation.board import BOARD
        from dfst.paper import TASKS

        if self.quick and self.far:
            raise InputError("give --quick or --far, not both")
        if self.board and not self.train and (self.far or self.descent or self.tasks):
            raise InputError("--board measures all of its tasks; leave out --far, --descent and --tasks")
        tasks = BOARD if self.board else TASKS
        if unknown := next((name for name in self.tasks if name not in tasks), None):
            raise UnknownName("task", unknown, tasks)
        names = self.tasks or tuple(tasks)
        if self.train:
            if self.far:
                raise InputError("--train measures at the usual lengths; leave out --far")
            return retrain(self, names)
        if given := first_given(self, ("device", "seeds", "data_seeds", "out")):
            raise InputError(f"{given} goes with --train; add it or leave out {given}")
        mode: Mode = "quick" if self.quick else "far" if self.far else "paper"
        rows = {}
        with working("measuring …") as tell:
            for name in names:
                rows[name] = found = measured(name, mode, self.descent, tell)
                if self.json:
                    more = {"samples": found["samples"], "strength": found["strength"]}
                    answer_json(*({**line, **more} for line in found["evaluation"]))
        if not self.json:
            precision = "float64" if self.far else "the floats of training" if self.descent else "float32"
            answer(table(rows, f"Ours measured now in {precision}"))
        return 0 if all(row["exact"] for row in rows.values()) else 1
