"""dfst evaluate"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dfst.cli.arguments import (
    Lengths,
    OtherSubject,
    Pattern,
    Real,
    Seed,
    SubjectArgument,
    Texts,
    check_inputs,
    lines_given,
)
from dfst.cli.output import answer, answer_json, say, working
from dfst.errors import InputError

if TYPE_CHECKING:
    from dfst.problems.problem import Case
    from dfst.world.unit import ControlUnit

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
      dfst evaluate compiled:maze --inputs mazes.txt

    A model learnt from a machine without a task is compared with that machine, on inputs that match
    --language and were not in its lesson: all short ones, and others up to ten times as long.

    Exit status 1 means that some input went wrong, hard cases included, or that a run met a rule that was
    never shown.
    """

    subject: SubjectArgument
    """A learnt model (add2), compiled:add10, expert:add10, a weights file or a run folder."""
    digits: Lengths = ()
    """Numbers of digits to test."""
    inputs: Texts = ()
    """Ask these inputs, or those of a file, one on each line; what follows a tab is the right answer."""
    search: bool = False
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
    json: bool = False
    """Print a JSON object for each length; with --search, one object in all."""

    def execute(self) -> int:
        from dfst.cli.tables import draw
        from dfst.evaluation.evaluate import evaluate, search
        from dfst.evaluation.ready import is_table, ready, weights_of_subject
        from dfst.subjects import problem_of, resolve
        from dfst.train.engines import pick_device

        if self.seconds is not None and not self.search:
            raise InputError("--seconds is how long a search may take; add --search or leave it out")
        subject = resolve(self.subject)
        problem = problem_of(self.subject, subject, self.against, self.language)
        problem.check_sizes(self.digits)
        if self.inputs and (self.digits or self.search):
            raise InputError("--inputs are asked as they are; leave out --digits and --search")
        if problem.sizes and not self.digits and not self.search and not self.inputs:
            raise InputError("evaluate needs lengths: give --digits N … or --search")
        if self.device == "cuda" and not problem.sizes:
            raise InputError("--device cuda is for inputs of a size; others run on the CPU; leave it out")
        weights = weights_of_subject(subject, self.precision)
        problem = problem.for_unit(weights)
        given = _cases(self.inputs, weights)
        on_cpu = not problem.sizes or bool(given) or (self.device == "auto" and is_table(weights))
        [unit] = ready([weights], pick_device("cpu" if on_cpu else self.device))
        report = found = None
        with working("evaluating …") as tell:
            if self.digits or given or not problem.sizes:
                report = evaluate(
                    unit, problem, self.digits, seed=self.seed, name=self.subject, given=given, progress=tell,
                    each=lambda report: answer_json(*report.as_json()) if self.json else None,
                )  # fmt: skip
            if self.search:
                found = search(
                    unit, problem, self.seconds or USUAL_SECONDS, seed=self.seed, name=self.subject,
                    tell=lambda m: tell(f"{m.digits:,} {problem.unit}: {'right' if m.rlg else 'wrong'}"),
                )  # fmt: skip
        if self.json and found:
            answer_json(found.search_json())
        if not self.json:
            if report and problem.sizes:
                answer(draw(report.rows(), f"Length generalisation of {self.subject}", left=0))
            elif report and not report.refuted:
                say(report.verdict(problem.called))
            for text in report.failure_lines() if report else ():
                say(text)
            if found:
                say(found.search_sentence())
        passed = (report is None or report.right) and (found is None or bool(found.reach))
        return 0 if passed else 1


def _cases(inputs: tuple[str, ...], unit: ControlUnit) -> list[Case]:
    """The inputs that are given, each checked, with the answer that is given for it."""
    from dfst.problems.problem import Case

    lines = [line.partition("\t") for line in lines_given(inputs)]
    check_inputs([text for text, _, _ in lines], unit)
    cases = []
    for text, tab, told in lines:
        right = told.replace("/", "\n") if unit.encode(text)[0].ndim > 1 else told
        cases.append(Case("given", text, "random", answer=right if tab else None))
    return cases
