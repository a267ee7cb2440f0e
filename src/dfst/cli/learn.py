"""dfst learn"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from os.path import dirname, isdir, isfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from dfst.cli.arguments import (
    Folder,
    Lengths,
    Number,
    Option,
    Pattern,
    Set,
    Texts,
    check_inputs,
    first_given,
    lines_given,
)
from dfst.cli.output import answer, answer_json, complain, console, say, stopped, working
from dfst.counted import counted, listed
from dfst.errors import InputError, OutOfTime

if TYPE_CHECKING:
    from dfst.traces.recording import Recording
    from dfst.train.config import RunConfig
    from dfst.train.learnt import Learnt

CHANGES = (
    "preset", "seeds", "steps", "hidden_size", "inputs", "examples", "allow_errors", "language", "out",
)  # fmt: skip
"""Options that a run which goes on does not take."""
NOT_ASKED = ("samples", "max_digits", "data_seed", "told_apart", "examples", "corrections", "stop_after")
"""Settings that whoever asks does not take."""
BY_NAME = (
    "learning_rate gradient_clip weight_decay batch_size stability reweighting state_noise first_seed "
    "samples max_digits data_seed stop_after logger"
)
"""Settings that once were options."""
ASK = "ask:"  # before a number of questions
MOST_QUESTIONS = 100_000
MOST_DISBELIEVED = 10  # steps that are told one by one


@dataclass(frozen=True)
class Learn:
    """Learn an algorithm from worked examples: sample, train, polish, evaluate, prove.

    A grid agent works the examples; the model sees only what it reads, what it writes and how it moves.
    Everything is kept in a run folder, with a report to open in a browser. Ctrl-C saves; --resume continues.

    Presets:
      quick    train briefly, then polish (the default)
      descent  gradient descent alone, with our numbers; takes far longer
      paper    gradient descent alone, with the paper's numbers; as long or longer

    The hidden size is the paper's. Where the paper has none, it is the fewest states that explain the
    traces and two to spare; of long recordings, whose states nobody can count, four times as many as are
    needed at least.

    Examples:
      dfst learn add2
      dfst learn mult2 --seeds 8 --device cuda
      dfst learn add2 --set learning_rate=0.005 data_seed=3
      dfst learn examples/negate.yaml --language '1[01]*'
      dfst learn examples/negate.yaml --inputs 0 1 11 100 0110 1000
      dfst learn traces.jsonl --allow-errors
      dfst learn examples/double.py:double --language '1[01]*'
      dfst learn examples/double.py:double --ask 20
      dfst learn add2 --preset paper --out runs/paper
      dfst learn --resume runs/paper

    Recorded traces (docs/how-to/traces.md) need no expert: a fifth of them is held out, and the report says
    on how many of those every action agrees. With --allow-errors some actions may be wrong; the report names
    those that the others speak against.

    A machine of your own (docs/how-to/machine.md) is judged action by action on inputs that were held out,
    among them some that it rejects.

    Exit status 1 means that the model is not exact, or does not agree; 3, that stop_after ended it.
    """

    SHORT: ClassVar = {"--fewest": "--examples=fewest", "--ask": f"--examples={ASK}"}
    RENAMED: ClassVar = {
        "--d": "--hidden-size",
        "--n": "--set samples=…",
        "--q": "--set max_digits=…",
        "--iterations": "--steps",
        "--validate": "",
        "--seed": "--set first_seed=…",
        **{f"--{name.replace('_', '-')}": f"--set {name}=…" for name in BY_NAME.split()},
    }

    task: Annotated[str, Option("PROBLEM", place=True)] = ""
    """A task (add2, …), a machine, recorded traces (.jsonl), FILE.py:NAME, or an installed problem."""
    preset: Annotated[Literal["quick", "descent", "paper"] | None, Option("quick|descent|paper")] = None
    """All the numbers of a training; --set changes single ones."""
    seeds: Number = None
    """Models trained side by side, of which the training set chooses one; five or more vote on it."""
    steps: Number = None
    """Training steps, instead of the preset's."""
    hidden_size: Number = None
    """Numbers in the hidden state, instead of as many as the traces ask for."""
    set: Set = ()
    """Any other setting of the recipe or the training set; --set help lists them all."""
    inputs: Texts = ()
    """Learn from these inputs instead of sampled ones, or from a file with one input on each line."""
    examples: Annotated[str | None, Option("N|fewest|connected|soon|pairs|determined|ask:N")] = None
    """N that teach most; the fewest; what also connects, tells soon, shows pairs, determines; N questions."""
    allow_errors: bool = False
    """Some recorded actions may be wrong: those that the others speak against are disbelieved."""
    language: Pattern = None
    """The inputs a machine of your own is meant for, as a regular expression; by default all strings."""
    digits: Lengths = ()
    """Sizes of the final evaluation; by default the paper's."""
    every_seed: bool = False
    """Prove every seed, not only the best one (without a polish: measure it), and count the exact ones."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train; auto takes the GPU if there is one."""
    out: Folder = None
    """The run folder; by default a new one under runs/."""
    resume: Folder = None
    """Continue the run in this folder, with all its options but --json and --quiet."""
    json: bool = False
    """Print one JSON object, what report.json holds, instead of words."""
    quiet: bool = False
    """Say nothing until the end."""

    def execute(self) -> int:
        from dfst.asking import learn_asking
        from dfst.cli.narrate import RichNarrator
        from dfst.experiments.loggers import LoggingNarrator
        from dfst.learning import learn_corrected
        from dfst.train.progress import Narrator
        from dfst.train.settings import Running, read_settings, settings, settings_help
        from dfst.viewer.report import write_learning_report

        if self.set == ("help",):
            answer(settings_help())
            return 0
        changes = read_settings(self.set)
        if self._asking and (said := next((name for name in changes if name in NOT_ASKED), None)):
            raise InputError(f"--ask chooses the examples, and goes on until it is done; leave out {said}")
        running = Running(**{n: changes.pop(n) for n in list(changes) if settings()[n].owner is Running})
        config, out = self._new(changes) if self.resume is None else self._resumed(self.resume, changes)
        config.problem.check_sizes(self.digits)
        if self.every_seed and config.problem.inputs is None:
            asked = self.task or self.resume
            raise InputError(f"--every-seed asks an expert, and {asked} has none; leave it out")
        narrator: Narrator = Narrator() if self.quiet else RichNarrator(console())
        narrator = LoggingNarrator(narrator, running.logger or config.loggers, out)
        config = replace(
            config,
            sizes=self.digits,
            every_seed=self.every_seed or config.every_seed,
            device=config.device if self.device == "auto" else self.device,
        )
        try:
            if self._asking:
                learnt = learn_asking(
                    config, out, narrator, questions=self._asking, first=lines_given(self.inputs)
                )
            else:
                learnt = learn_corrected(
                    config, out, narrator, rounds=running.corrections, resume=self.resume is not None,
                    stop_after=running.stop_after or inf,
                )  # fmt: skip
        except OutOfTime as error:
            complain(f"{error}. Go on with: dfst learn --resume {out}")
            return 3
        except KeyboardInterrupt:
            return stopped(_left_in(out))
        except OSError as error:
            error.add_note(_left_in(out, "what was saved before still is").removeprefix("; "))
            raise
        narrator.stage("drawing the report …")
        report = write_learning_report(learnt)
        if self.json:
            answer_json(learnt.as_json())
        else:
            if not self.quiet:
                _tell(learnt, report)
            say(f"{learnt.statement.removesuffix('.')}.")
        return 0 if learnt.agrees else 1

    @property
    def _asking(self) -> int | None:
        """How many questions may be asked; None where examples are not asked for."""
        said = self.examples or ""
        if not said.startswith(ASK):
            return None
        number = said.removeprefix(ASK)
        if not (number.isdecimal() and 0 < int(number) <= MOST_QUESTIONS):
            raise InputError(f"--ask takes a number of questions up to {MOST_QUESTIONS:,}, found {number!r}")
        return int(number)

    @property
    def _examples(self) -> Any:
        """How many examples are to be chosen, or `fewest`."""
        from dfst.train.settings import known_setting, read_setting

        if not self.examples or self._asking:
            return None
        return read_setting(known_setting("examples"), self.examples)

    def _new(self, settings: dict[str, Any]) -> tuple[RunConfig, Path]:
        """A new run, and a folder for it."""
        from dfst.api import new_run_folder
        from dfst.train.settings import configure

        if not self.task:
            raise InputError("learn needs a problem, such as: dfst learn add2")
        if self._asking and (said := first_given(self, ("every_seed", "allow_errors"))):
            raise InputError(f"--ask chooses the examples, and one model is judged; leave out {said}")
        if self.inputs and self.examples and not self._asking:
            said = "--fewest" if self.examples == "fewest" else "--examples"
            raise InputError(f"--inputs gives the examples, and none is chosen; leave out {said}")
        named = {name: getattr(self, name) for name in ("seeds", "steps", "hidden_size", "language")}
        named |= {"inputs": lines_given(self.inputs) or None, "examples": self._examples}
        named |= {"allow_errors": self.allow_errors or None}
        config = None
        try:
            config = configure(self._thing(), self.preset or "quick", **{**named, **settings})
            if self.inputs:
                config.problem.training_set()
        except InputError:
            _check_no_file(self.inputs, config.problem.alphabet if config else ())
            if config and config.problem.reference and len(lines := lines_given(self.inputs)) > 1:
                check_inputs(lines, config.problem.reference)
            raise
        if self._examples and not self.quiet:
            complain(f"examples: {listed(config.problem.training_set().traces.inputs)}")
        return config, self.out or new_run_folder(config.problem.name)

    def _thing(self) -> str | Recording:
        """The problem's name; of a large file of traces it is told how far it is read."""
        from dfst.problems.find import RECORDED
        from dfst.traces.recording import read_recording

        if self.quiet or not self.task.endswith(RECORDED):
            return self.task
        with working(f"reading {self.task}") as tell:
            return read_recording(self.task, errors=self.allow_errors, tell=tell)

    def _resumed(self, folder: Path, changes: dict[str, Any]) -> tuple[RunConfig, Path]:
        """A run that goes on; nothing of it may be changed."""
        from dfst.plugins import is_python_file
        from dfst.problems import find_problem
        from dfst.train.config import read_config

        if given := first_given(self, CHANGES) or ("--set" if changes else None):
            raise InputError(f"--resume continues with the configuration of {folder}; leave out {given}")
        own = find_problem(self.task) if is_python_file(self.task) else None
        config = read_config(folder, own)
        if self.task and own is None and self.task != config.problem.name:
            raise InputError(
                f"{folder} is a run of {config.problem.name}, found {self.task}; leave the problem out"
            )
        return config, folder


def _left_in(folder: Path, what: str = "everything so far is saved") -> str:
    """What a run that was cut off has left, and how to go on."""
    if not (folder / "config.json").exists():
        return "; nothing was saved yet"
    return f"; {what}. Go on with: dfst learn --resume {folder}"


def _check_no_file(inputs: tuple[str, ...], alphabet: tuple[str, ...]) -> None:
    """Say so where a word that is no input seems to be the name of a file."""
    for text in inputs:
        if isfile(text) and len(inputs) > 1:
            told = f"--inputs takes inputs or one file, found {counted(len(inputs), 'word')}"
            raise InputError(f"{told}; give {text} alone")
        if isfile(text):
            return
        # a / parts the rows of a board, too
        path = isdir(dirname(text)) if not alphabet else not set(text) & set("".join(alphabet))
        if isdir(text) or text.endswith(".txt") or ("/" in text and path):
            reason = "it is a folder" if isdir(text) else "no such file"
            raise InputError(f"cannot read {text}: {reason}; give inputs, or a file with one on each line")


def _tell(learnt: Learnt, report: Path) -> None:
    """The report a newcomer understands."""
    from dfst.cli.tables import draw
    from dfst.train.measure import exact_counts

    screen = console()
    if learnt.problem.sizes and learnt.report.measurements:
        title = f"Length generalisation of {learnt.problem.name}"
        screen.print(draw(learnt.report.rows(), title, left=0), soft_wrap=True)
    lines = list(learnt.report.failure_lines())
    if len(measured := [outcome for outcome in learnt.outcomes if outcome.report]) > 1:
        lines += exact_counts(measured)
    lines += [f"warning: {warning}" for warning in learnt.warnings]
    lines.append(f"{learnt.seconds:.0f} s in all")
    lines.append(f"model: {learnt.folder}    report: {report}")
    if learnt.machine is not None:
        states = counted(len(learnt.machine.states), "state")
        lines.append(f"machine: {learnt.folder / 'machine.json'}, {states}; {learnt.unmet}")
        lines += [learnt.nearest] if learnt.nearest else []
    lines.append(f"learnt from {learnt.examples}")
    if learnt.problem.task:
        lines.append(f"try it: dfst run {learnt.folder} {learnt.problem.example}")
    lines += learnt.disbelieved[:MOST_DISBELIEVED]
    if len(learnt.disbelieved) > MOST_DISBELIEVED:
        more = counted(len(learnt.disbelieved) - MOST_DISBELIEVED, "more step")
        lines.append(f"{more} disbelieved; {learnt.folder / 'report.json'} lists them all")
    for line in lines:
        screen.print(line, soft_wrap=not screen.is_terminal, markup=False)
