"""dfst evaluate"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dfst.cli.arguments import OtherSubject, Pattern, SubjectArgument, Switch, first_given
from dfst.cli.numbers import Lengths, Real, Seed
from dfst.cli.output import answer, answer_json, working
from dfst.counted import counted
from dfst.errors import InputError

USUAL_SECONDS = 60.0


@dataclass(frozen=True)
class Evaluate:
    """Measure length generalisation: is every action right at N digits?

    PLG at N: 5 random inputs of exactly N digits and 5 of at most N digits, all right. RLG at N: PLG, and
    all pairs of numbers made of one repeated digit. Hard cases (carry chains, leading zeros, lopsided
    lengths) are asked as well and reported apart. Every action is compared with the expert's, every answer
    with Python's integers.

    Examples:
      dfst evaluate add2 --digits 100 3850
      dfst evaluate compiled:mult10 --digits 180 --json
      dfst evaluate runs/my-run --search --seconds 60
      dfst evaluate runs/my-machine --language '1[01]*'

    A model learnt from a machine without a task is compared with that machine, on inputs that match
    --language and were not in its lesson: all short ones, and others up to ten times as long.

    Exit status 1 means that some input went wrong, hard cases included, or that a run met a rule that was
    never shown.
    """

    subject: SubjectArgument
    """A learnt model (add2), compiled:add10, expert:add10, a weights file or a run folder."""
    digits: Lengths = ()
    """Numbers of digits to test."""
    search: Switch = False
    """Find the largest number of digits at which RLG holds."""
    seconds: Real = None
    """How long the search may take; 60 seconds by default."""
    language: Pattern = None
    """For a machine without a task: the inputs, as a regular expression; by default those of its lesson."""
    against: OtherSubject = None
    """The agent to compare it with; by default the expert of its task, or the machine it was learnt from."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to run; auto takes a GPU, if there is one, unless the weights are all zeros and ones."""
    precision: Literal["as stored", "float32", "float64"] = "as stored"
    """Run the model in another precision."""
    seed: Seed = 0
    """Draws the random inputs; 0 by default."""
    json: Switch = False
    """Print a JSON object for each length; with --search, one object in all."""

    def execute(self) -> int:
        from dfst.agents.agent import Agent
        from dfst.cli.lengths import length_table, search_sentence, tell_failures
        from dfst.evaluation.length import evaluate, task_with_digits
        from dfst.evaluation.search import search
        from dfst.evaluation.subject import is_table, ready, weights_of_subject
        from dfst.learning.engines import pick_device
        from dfst.subjects import own_machine, reference_for, resolve

        if self.language is not None or own_machine(self.subject) is not None:
            return self._on_language()
        if self.seconds is not None and not self.search:
            raise InputError("--seconds is how long a search may take; add --search or leave it out")
        subject = resolve(self.subject)
        if not self.digits and not self.search:
            if subject.task is None:
                raise InputError(
                    f"{self.subject} has no task, whose inputs have digits; "
                    "give its inputs with --language REGEX, and --against SUBJECT"
                )
            raise InputError("evaluate needs lengths: give --digits N … or --search")
        if isinstance(subject, Agent) and self.against is None:
            task_with_digits(subject)
        expert = reference_for(subject, self.against)
        weights = weights_of_subject(subject, self.precision)
        device = "cpu" if self.device == "auto" and is_table(weights) else self.device
        [rollout] = ready([weights], pick_device(device))
        passed = True
        reports = []
        with working("evaluating …") as say:
            for digits in self.digits:

                def progress(done: int, total: int, digits: int = digits) -> None:
                    say(f"{counted(digits, 'digit')}: {done} of {counted(total, 'input')}")

                report = evaluate(rollout, self.subject, expert, digits, self.seed, progress=progress)
                reports.append(report)
                passed &= report.right
                if self.json:
                    answer_json(report.as_json())
            found = None
            if self.search:
                found = search(
                    rollout, self.subject, expert, self.seconds or USUAL_SECONDS, seed=self.seed,
                    tell=lambda r: say(
                        f"{counted(r.digits, 'digit')}: {'right' if r.rlg else 'wrong'}"
                    ),
                )  # fmt: skip
                passed &= found.rlg > 0
        if found and self.json:
            answer_json(found.as_json())
        if not self.json:
            if reports:
                answer(length_table(reports))
                for line in tell_failures(reports):
                    answer(line)
            if found:
                answer(search_sentence(found))
        return 0 if passed else 1

    def _on_language(self) -> int:
        """What was learnt of a machine without a task, on inputs that were held out."""
        from dfst.cli.held_out import held_out_report
        from dfst.cli.lengths import tell_failures

        if given := first_given(self, ("digits", "search", "seconds")):
            raise InputError(f"{given} is for a task, whose inputs have digits; leave it out")
        if self.device == "cuda":
            raise InputError("--device cuda is for a task; other machines run on the CPU; leave it out")
        report = held_out_report(self.subject, self.against, self.language, self.precision, self.seed)
        if self.json:
            answer_json(report.as_json())
            return 0 if report.right else 1
        for line in tell_failures([report], "symbols"):
            answer(line)
        problem = report.problem()
        if problem:
            answer(f"not shown to be exact: {problem}")
        if report.right:
            answer(f"right in {report.sentence()}")
        return 0 if report.right else 1
