"""dfst learn"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from dfst.cli.arguments import Folder, Number, Real, Switch, option
from dfst.cli.output import answer, complain, console
from dfst.errors import InputError

if TYPE_CHECKING:
    from dfst.learning.pipeline import Learnt


CHANGES = ("seeds", "iterations", "rate", "clip", "decay", "batch", "d", "first_seed", "data_seed", "n", "q")
"""Options that change the plan; None leaves the preset's value."""


@dataclass(frozen=True)
class Learn:
    """Learn an algorithm from worked examples: sample, train, polish, evaluate, prove.

    A grid agent works the examples; the model sees only what it read, wrote and how it moved. Everything
    is kept in a run folder, with a report to open in a browser; Ctrl-C saves, --resume goes on.

    Examples:
      dfst learn add2
      dfst learn mult2 --seeds 8 --device cuda
      dfst learn machine.yaml --inputs 101 1101
      dfst learn add2 --preset paper --out runs/paper
      dfst learn --resume runs/paper

    Exit status 1 means that the model is not exact.
    """

    task: Annotated[str, tyro.conf.Positional, option("TASK")] = ""
    """A task (add2, add10, mult2, sort10, …), a published machine, or a machine file."""
    preset: Annotated[Literal["quick", "paper"] | None, option("quick|paper")] = None
    """quick: our recipe (the default). paper: the paper's, which takes far longer."""
    seeds: Number = None
    """Models trained side by side; the best on longer validation inputs is kept."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train; auto takes the GPU if there is one."""
    out: Folder = None
    """The run folder; by default a new one under runs/."""
    resume: Folder = None
    """Continue the run in this folder."""
    iterations: Number = None
    """Training steps in place of the preset's."""
    rate: Real = None
    """Learning rate in place of the preset's."""
    clip: Real = None
    """Largest gradient norm in place of the preset's; 0 for none."""
    decay: Real = None
    """Weight decay in place of the preset's."""
    batch: Number = None
    """Traces a step in place of the preset's."""
    d: Number = None
    """Hidden size; by default the paper's, or the number of states."""
    first_seed: Number = None
    """The seeds are this one and those after it."""
    data_seed: Number = None
    """Draws the random part of the training set."""
    n: Number = None
    """Examples in the training set."""
    q: Number = None
    """Digits of the longest example."""
    inputs: Annotated[tuple[str, ...], option("TEXT [TEXT …]")] = ()
    """Learn from these inputs in place of sampled ones."""
    digits: Annotated[tuple[int, ...], option("N [N …]")] = ()
    """Lengths of the final evaluation; by default the paper's."""
    every_seed: Switch = False
    """Prove every seed, not only the best one, and say how many became exact."""
    logger: Annotated[tuple[str, ...], option("NAME [NAME …]")] = ()
    """Also log the training to tensorboard or wandb; the run folder has it as JSON lines in any case."""

    def execute(self) -> int:
        from dfst.api import new_run_folder
        from dfst.cli.narrate import RichNarrator
        from dfst.experiments.loggers import LoggedRun, LoggingNarrator, check_loggers
        from dfst.learning.pipeline import Narrator, learn, make_plan, resume_plan
        from dfst.subjects import resolve_agent
        from dfst.viewer.learnt import write_learning_report

        check_loggers(self.logger)
        changes = {name: getattr(self, name) for name in CHANGES}
        if self.resume is not None:
            fixed = {**changes, "preset": self.preset, "inputs": self.inputs or None, "out": self.out}
            given = [name.replace("_", "-") for name, value in fixed.items() if value is not None]
            if given:
                raise InputError(
                    f"--resume continues with the configuration of {self.resume}; leave out --{given[0]}"
                )
            plan, out = resume_plan(self.resume), self.resume
            if self.task and self.task != plan.agent.name:
                raise InputError(
                    f"{self.resume} is a run of {plan.agent.name}, found {self.task}; leave the task out"
                )
        else:
            if not self.task:
                raise InputError("learn needs a task, such as: dfst learn add2")
            agent = resolve_agent(self.task.removeprefix("expert:"))
            plan = make_plan(agent, self.preset or "quick", self.inputs or agent.sample_inputs, **changes)
            out = self.out or new_run_folder(plan.agent.name)
        screen = console()
        narrator: Narrator = RichNarrator(screen)
        if self.logger:
            narrator = LoggingNarrator(narrator, self.logger, LoggedRun(Path(out), Path(out).name))
        try:
            learnt = learn(
                plan,
                out,
                self.device,
                self.digits or None,
                narrator,
                resume=self.resume is not None,
                every_seed=self.every_seed,
            )
        except KeyboardInterrupt:
            narrator.done_training()
            complain(f"stopped; everything so far is saved. Go on with: dfst learn --resume {out}")
            return 130
        finally:
            narrator.done_training()
        narrator.stage("drawing the report …")
        _tell(learnt, write_learning_report(learnt))
        return 0 if learnt.exact else 1


def _tell(learnt: Learnt, report: Path) -> None:
    """The report a newcomer understands."""
    from dfst.cli.lengths import length_table, tell_failures

    screen = console()
    if learnt.reports:
        screen.print(length_table(learnt.reports))
        for line in tell_failures(learnt.reports):
            screen.print(line)
    right = sum(c.stopped_by != "failure" for c in learnt.candidates)
    seeds = f"{right} of {len(learnt.candidates)} seeds met no failure on longer inputs"
    if learnt.strengths:
        seeds += f", {sum(s == 'proved' for s in learnt.strengths.values())} are proved"
    screen.print(f"{seeds}; {learnt.seconds:.0f} s in all")
    screen.print(f"model: {learnt.folder}    report: {report}", soft_wrap=True)
    if learnt.plan.agent.task:
        screen.print(f"try it: dfst run {learnt.folder} {learnt.plan.agent.task.example}")
    answer(f"{learnt.statement}." if not learnt.statement.endswith(".") else learnt.statement)
