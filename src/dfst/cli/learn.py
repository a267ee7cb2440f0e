"""dfst learn"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from dfst.cli.output import answer, complain, console
from dfst.errors import InputError

if TYPE_CHECKING:
    from dfst.pipeline import Learnt


@dataclass(frozen=True)
class Learn:
    """Learn an algorithm from worked examples: sample, train, polish, evaluate, prove.

    Examples: dfst learn add2, dfst learn mult2 --seeds 8 --device cuda, dfst learn machine.yaml --inputs 101 1101,
    dfst learn add2 --preset paper. Everything is kept in a run folder; Ctrl-C saves, --resume goes on.
    Exit status 1 means that the model is not exact.
    """

    task: tyro.conf.Positional[str] = ""
    """A task (add2, add10, mult2, sort10, …), a published machine, or a machine file."""
    preset: Literal["quick", "paper"] | None = None
    """quick: our recipe (the default). paper: the paper's, which takes far longer."""
    seeds: int | None = None
    """Models trained side by side; the best on longer validation inputs is kept."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train; auto takes the GPU if there is one."""
    out: Path | None = None
    """The run folder; by default a new one under runs/."""
    resume: Path | None = None
    """Continue the run in this folder."""
    iterations: int | None = None
    """Training steps in place of the preset's."""
    rate: float | None = None
    """Learning rate in place of the preset's."""
    clip: float | None = None
    """Largest gradient norm in place of the preset's; 0 for none."""
    decay: float | None = None
    """Weight decay in place of the preset's."""
    batch: int | None = None
    """Traces a step in place of the preset's."""
    d: int | None = None
    """Hidden size; by default the paper's, or the number of states."""
    first_seed: int | None = None
    """The seeds are this one and those after it."""
    data_seed: int | None = None
    """Draws the random part of the training set."""
    n: int | None = None
    """Examples in the training set."""
    q: int | None = None
    """Digits of the longest example."""
    inputs: tuple[str, ...] = ()
    """Learn from these inputs in place of sampled ones."""
    digits: tuple[int, ...] | None = None
    """Lengths of the final evaluation; by default the paper's."""

    def execute(self) -> int:
        from dfst.cli.narrate import RichNarrator
        from dfst.pipeline import learn, make_plan, resume_plan
        from dfst.subjects import resolve_agent

        changes = {
            name: getattr(self, name)
            for name in (
                "seeds", "iterations", "rate", "clip", "decay", "batch", "d", "first_seed", "data_seed", "n", "q",
            )
        }  # fmt: skip
        if self.resume is not None:
            given = [name for name, value in {**changes, "preset": self.preset, "inputs": self.inputs or None}.items()
                     if value is not None]  # fmt: skip
            if given or self.out:
                raise InputError(
                    f"--resume continues with the configuration of {self.resume}; leave out --{(given or ['out'])[0]}"
                )
            plan, out = resume_plan(self.resume), self.resume
            if self.task and self.task != plan.agent.name:
                raise InputError(f"{self.resume} is a run of {plan.agent.name}, found {self.task}; leave the task out")
        else:
            if not self.task:
                raise InputError("learn needs a task, such as: dfst learn add2")
            agent = resolve_agent(self.task.removeprefix("expert:"))
            plan = make_plan(agent, self.preset or "quick", self.inputs or agent.sample_inputs, **changes)
            out = self.out or Path("runs") / f"{plan.agent.name}-{time.strftime('%Y%m%d-%H%M%S')}"
        screen = console()
        narrator = RichNarrator(screen)
        try:
            learnt = learn(plan, out, self.device, self.digits, narrator, resume=self.resume is not None)
        except KeyboardInterrupt:
            narrator.done_training()
            complain(f"stopped; everything so far is saved. Go on with: dfst learn --resume {out}")
            return 130
        finally:
            narrator.done_training()
        _tell(learnt)
        return 0 if learnt.exact else 1


def _tell(learnt: Learnt) -> None:
    """The report a newcomer understands."""
    from dfst.evaluation.report import length_table, tell_failures

    screen = console()
    if learnt.reports:
        screen.print(length_table(learnt.reports))
        for line in tell_failures(learnt.reports):
            screen.print(line)
    right = sum(c.stopped_by != "failure" for c in learnt.candidates)
    screen.print(f"{right} of {len(learnt.candidates)} seeds met no failure on longer inputs; {learnt.seconds:.0f} s in all")
    screen.print(f"model and report: {learnt.folder}")
    if learnt.plan.agent.task:
        screen.print(f"try it: dfst run {learnt.folder} {learnt.plan.agent.task.example}")
    answer(f"{learnt.statement}." if not learnt.statement.endswith(".") else learnt.statement)
