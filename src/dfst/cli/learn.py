"""dfst learn"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from os.path import isdir, isfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Union

import tyro

from dfst.cli.arguments import Folder, Pattern, Switch, first_given, option
from dfst.cli.numbers import Lengths, Number, Real, RealOrZero, SeedNumber, SizeOrFit, size_or_fit
from dfst.cli.output import answer, complain, console, stopped
from dfst.counted import counted
from dfst.errors import InputError, OutOfTime

if TYPE_CHECKING:
    from dfst.agents.agent import Agent
    from dfst.agents.teacher import Teacher
    from dfst.learning.learnt import Learnt
    from dfst.learning.plan import Plan

SettleOn = Annotated[Union[Literal["change", "growth"], None], option("{change,growth}")]  # noqa: UP007

CHANGES = (
    "seeds", "iterations", "rate", "clip", "decay", "rare", "noise", "settle", "settle_by",
    "settle_over", "settle_rise", "settle_fall", "settle_on", "batch", "hidden_size",
    "first_seed", "data_seed", "samples", "max_digits", "language",
)  # fmt: skip
"""Options that change the plan; None leaves the preset's value."""
OF_AN_EXPERT = ("inputs", "language", "digits", "every_seed")
"""Options besides those that only an expert can answer to."""
OF_SETTLING = ("settle_by", "settle_over", "settle_rise", "settle_fall", "settle_on")
"""Options that say nothing where the penalty has no weight."""
RECORDED = ".jsonl"
"""How a file of recorded traces is told."""


@dataclass(frozen=True)
class Learn:
    """Learn an algorithm from worked examples: sample, train, polish, evaluate, prove.

    A grid agent works the examples; the model sees only what it reads, what it writes and how it moves.
    Everything is kept in a run folder, with a report to open in a browser. Ctrl-C saves; --resume continues.

    Presets:
      quick    train briefly, then polish (the default)
      descent  gradient descent alone, with our numbers; takes far longer
      paper    gradient descent alone, with the paper's numbers; as long or longer

    The hidden size is the paper's. Where the paper has none, it is the number of states, or, without a
    polish, the smallest that fits the traces.

    Examples:
      dfst learn add2
      dfst learn mult2 --seeds 8 --device cuda
      dfst learn examples/negate.yaml
      dfst learn examples/negate.yaml --language '1[01]*'
      dfst learn examples/negate.yaml --inputs 0 1 11 100 0110 1000
      dfst learn traces.jsonl
      dfst learn examples/double.py:double --language '1[01]*'
      dfst learn add2 --preset paper --out runs/paper
      dfst learn --resume runs/paper

    Recorded traces (docs/traces.md) need no expert: a fifth of them is held out, and the report says on how
    many of those every action agrees.

    A machine of your own (docs/your-own.md) is judged action by action on inputs that were held out, among
    them some that it rejects.

    Exit status 1 means that the model is not exact, or does not agree; 3, that --stop-after ended it.
    """

    RENAMED: ClassVar = {"--d": "--hidden-size", "--n": "--samples", "--q": "--max-digits"}
    GROUPS: ClassVar = {
        "samples": "what to learn from",
        "preset": "recipe",
        "validate": "how it is chosen and judged",
        "rare": "advanced, for the recipe (docs/recipes.md)",
    }
    """The first option of each group of the help → its title; those before are in one box with --help."""

    task: Annotated[str, tyro.conf.Positional, option("TASK")] = ""
    """A task (add2, …), a published machine, a machine file, recorded traces, or FILE.py:FUNCTION."""
    seeds: Number = None
    """Models trained side by side, of which the training set chooses one; five or more vote on it."""
    first_seed: SeedNumber = None
    """The seeds are this one and those after it."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train; auto takes the GPU if there is one."""
    stop_after: Real = None
    """Save and stop after this many seconds of training, with exit status 3; --resume continues."""
    out: Folder = None
    """The run folder; by default a new one under runs/."""
    resume: Folder = None
    """Continue the run in this folder."""
    logger: Annotated[tuple[str, ...], option("NAME [NAME …]")] = ()
    """Also log the training to tensorboard or wandb; the run folder has it as JSON lines in any case."""
    samples: Number = None
    """Examples in the training set."""
    max_digits: Number = None
    """Digits of the longest example."""
    data_seed: SeedNumber = None
    """Draws the random part of the training set."""
    inputs: Annotated[tuple[str, ...], option("TEXT [TEXT …]")] = ()
    """Learn from these inputs instead of sampled ones, or from a file with one input on each line."""
    language: Pattern = None
    """The inputs a machine of your own is meant for, as a regular expression; by default all strings."""
    preset: Annotated[Literal["quick", "descent", "paper"] | None, option("quick|descent|paper")] = None
    """All the numbers of a training; the options below change single ones."""
    iterations: Number = None
    """Training steps, instead of the preset's."""
    hidden_size: SizeOrFit = None
    """Numbers in the hidden state; fit searches for the smallest size that fits the traces."""
    rate: Real = None
    """Learning rate, instead of the preset's."""
    batch: Number = None
    """Traces in each training step, instead of the preset's."""
    clip: RealOrZero = None
    """Largest gradient norm, instead of the preset's; 0 for no clipping."""
    decay: RealOrZero = None
    """Weight decay, instead of the preset's."""
    validate: Switch = False
    """Let longer inputs, worked by the expert, choose among learnt states and seeds."""
    digits: Lengths = ()
    """Lengths of the final evaluation; by default the paper's."""
    every_seed: Switch = False
    """Prove every seed, not only the best one (without a polish: measure it), and count the exact ones."""
    rare: RealOrZero = None
    """Emphasis: how much more a rarely shown step counts, from 0 (all alike) to 1; 0.5 is a good start."""
    noise: RealOrZero = None
    """Noise on the hidden state, instead of the preset's; it falls with the rate."""
    settle: RealOrZero = None
    """Weight of the penalty on walks that do not settle, instead of the preset's."""
    settle_by: Number = None
    """Rounds by which a walk must have settled; cycles whose length divides it may stay."""
    settle_over: Number = None
    """Symbols in a round of a walk, 1 to 8: several are read in turn, as the traces show them in a row."""
    settle_rise: Real = None
    """How late that penalty rises, instead of the preset's: 8 is later than 2."""
    settle_fall: RealOrZero = None
    """How early it fades again with the rate, instead of the preset's: 2 is earlier than 1, 0 keeps it."""
    settle_on: SettleOn = None
    """What it penalises, instead of the preset's: any change as a walk goes on, or growth only."""

    def execute(self) -> int:
        from dfst.cli.narrate import RichNarrator
        from dfst.experiments.loggers import LoggedRun, LoggingNarrator, check_loggers
        from dfst.learning.learn import learn
        from dfst.learning.progress import Narrator
        from dfst.viewer.learnt import write_learning_report

        check_loggers(self.logger)
        plan, out = self._plan() if self.resume is None else self._resumed(self.resume)
        narrator: Narrator = RichNarrator(console())
        if self.logger:
            narrator = LoggingNarrator(narrator, self.logger, LoggedRun(out, out.name))
        try:
            learnt = learn(
                plan,
                out,
                self.device,
                self.digits or None,
                narrator,
                resume=self.resume is not None,
                every_seed=self.every_seed,
                stop_after=self.stop_after or inf,
            )
        except OutOfTime as error:
            complain(f"{error}. Go on with: dfst learn --resume {out}")
            return 3
        except KeyboardInterrupt:
            return stopped(f"; everything so far is saved. Go on with: dfst learn --resume {out}")
        narrator.stage("drawing the report …")
        _tell(learnt, write_learning_report(learnt))
        return 0 if learnt.exact else 1

    def _plan(self) -> tuple[Plan, Path]:
        """A new plan, and a folder for it."""
        from dfst.agents.teacher import is_teacher_file, load_teacher
        from dfst.api import new_run_folder
        from dfst.learning.plan import make_plan, plan_recording
        from dfst.learning.plan_teacher import plan_teacher
        from dfst.subjects import resolve_agent
        from dfst.traces.recording import read_recording

        if not self.task:
            raise InputError("learn needs a task, such as: dfst learn add2")
        changes = {name: getattr(self, name) for name in CHANGES} | {"validate": self.validate or None}
        changes["hidden_size"] = size_or_fit(self.hidden_size)
        if self.task.endswith(RECORDED):
            if given := first_given(self, OF_AN_EXPERT):
                raise InputError(f"{given} asks an expert, and {self.task} has none; leave it out")
            plan = plan_recording(read_recording(self.task), self.preset or "quick", **changes)
        elif is_teacher_file(self.task):
            if given := first_given(self, ("digits", "every_seed")):
                raise InputError(f"{given} needs an expert's table; leave it out")
            teacher = load_teacher(self.task)
            plan = plan_teacher(teacher, self.preset or "quick", _given(self.inputs, teacher), **changes)
        else:
            agent = resolve_agent(self.task.removeprefix("expert:"))
            if self.digits and agent.task is None:
                raise InputError("--digits is for a task, whose inputs have digits; leave it out")
            plan = make_plan(agent, self.preset or "quick", _given(self.inputs, agent), **changes)
        if not plan.recipe.settle and (given := first_given(self, OF_SETTLING)):
            raise InputError(f"{given} changes a penalty that has no weight here; add --settle 0.001, say")
        return plan, self.out or new_run_folder(plan.subject.name)

    def _resumed(self, folder: Path) -> tuple[Plan, Path]:
        """The plan of a run that goes on; nothing of it may be changed."""
        from dfst.learning.learn import resume_plan

        if given := first_given(self, (*CHANGES, "preset", "validate", "inputs", "out")):
            raise InputError(f"--resume continues with the configuration of {folder}; leave out {given}")
        plan = resume_plan(folder)
        if plan.expert is None and (given := first_given(self, ("digits", "every_seed"))):
            raise InputError(f"{given} asks an expert, and {folder} has none; leave it out")
        if self.digits and plan.subject.task is None:
            raise InputError("--digits is for a task, whose inputs have digits; leave it out")
        if self.task and self.task != plan.subject.name:
            raise InputError(
                f"{folder} is a run of {plan.subject.name}, found {self.task}; leave the task out"
            )
        return plan, folder


def _given(inputs: tuple[str, ...], worker: Agent | Teacher) -> tuple[str, ...]:
    """The inputs themselves; where a file is named, each of its lines."""
    if len(inputs) != 1 or not isfile(inputs[0]):
        _check_no_file(inputs, worker)
        return inputs
    try:
        lines = Path(inputs[0]).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"cannot read {inputs[0]}: {reason}; give inputs, each on its line") from error
    if not lines:
        raise InputError(f"{inputs[0]}: expected inputs, each on its line, found none")
    return tuple(dict.fromkeys(lines))


def _check_no_file(inputs: tuple[str, ...], worker: Agent | Teacher) -> None:
    """Say so where a word that is no input seems to be the name of a file."""
    for text in inputs:
        named = text.endswith(".txt") or ("/" in text and "/" not in worker.alphabet)
        if not (named or isfile(text) or isdir(text)):
            continue
        try:
            worker.encode(text)
        except InputError:
            if isfile(text):
                told = f"--inputs takes inputs or one file, found {counted(len(inputs), 'word')}"
                raise InputError(f"{told}; give {text} alone") from None
            reason = "it is a folder" if isdir(text) else "no such file"
            raise InputError(
                f"cannot read {text}: {reason}; give inputs, or a file with one on each line"
            ) from None


def _tell(learnt: Learnt, report: Path) -> None:
    """The report a newcomer understands."""
    from dfst.cli.lengths import length_table, tell_failures
    from dfst.learning.measure import exact_counts

    screen = console()
    if learnt.reports and learnt.plan.subject.task:
        screen.print(length_table(learnt.reports))
    for line in tell_failures(learnt.reports, "digits" if learnt.plan.subject.task else "symbols"):
        screen.print(line)
    if learnt.plan.recipe.validate:
        right = sum(not outcome.failed for outcome in learnt.outcomes)
        screen.print(f"{right} of {counted(len(learnt.outcomes), 'seed')} met no failure on longer inputs")
    if len(measured := [outcome for outcome in learnt.outcomes if outcome.reports]) > 1:
        for sentence in exact_counts(measured):
            screen.print(sentence, soft_wrap=True)
    screen.print(f"{learnt.seconds:.0f} s in all")
    screen.print(f"model: {learnt.folder}    report: {report}", soft_wrap=True)
    if learnt.machine is not None:
        states = counted(len(learnt.machine.states), "state")
        screen.print(f"machine: {learnt.folder / 'machine.json'}, {states}")
    if learnt.plan.subject.task:
        example = learnt.plan.subject.task.example
        screen.print(f"try it: dfst run {learnt.folder} {example}", soft_wrap=True)
    answer(f"{learnt.statement.removesuffix('.')}.")
