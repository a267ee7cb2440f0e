"""dfst evaluate"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dfst.cli.arguments import OtherSubject, SubjectArgument, Switch
from dfst.cli.numbers import Lengths, PositiveReal, Seed
from dfst.cli.output import answer, answer_json, console
from dfst.errors import InputError


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

    Exit status 1 means that some length failed.
    """

    subject: SubjectArgument
    """A learnt model (add2), compiled:add10, expert:add10, a weights file or a run folder."""
    digits: Lengths = ()
    """Numbers of digits to test."""
    search: Switch = False
    """Find the largest number of digits at which RLG holds."""
    seconds: PositiveReal = 60.0
    """How long the search may take; 60 seconds by default."""
    against: OtherSubject = None
    """The agent to compare it with; by default the expert of its task."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to run; auto takes a GPU, if there is one, for a model that is no table of zeros and ones."""
    precision: Literal["as stored", "float32", "float64"] = "as stored"
    """Run the model in another precision."""
    seed: Seed = 0
    """Draws the random inputs; 0 by default."""
    json: Switch = False
    """Print a JSON object for each length; with --search, one object in all."""

    def execute(self) -> int:
        from dfst.cli.lengths import length_table, search_sentence, tell_failures
        from dfst.evaluation.length import evaluate
        from dfst.evaluation.search import search
        from dfst.evaluation.subject import is_table, ready, weights_of_subject
        from dfst.learning.engines import pick_device
        from dfst.subjects import reference_for, resolve

        if not self.digits and not self.search:
            raise InputError("evaluate needs lengths: give --digits N … or --search")
        subject = resolve(self.subject)
        expert = reference_for(subject, self.against)
        weights = weights_of_subject(subject, self.precision)
        device = "cpu" if self.device == "auto" and is_table(weights) else self.device
        [rollout] = ready([weights], pick_device(device))
        passed = True
        reports = []
        with console().status("evaluating …") as status:
            for digits in self.digits:

                def progress(done: int, total: int, digits: int = digits) -> None:
                    status.update(f"{digits:,} digits: {done} of {total} inputs")

                report = evaluate(rollout, self.subject, expert, digits, self.seed, progress=progress)
                reports.append(report)
                passed &= report.rlg
                if self.json:
                    answer_json(report.as_json())
            found = None
            if self.search:
                found = search(
                    rollout, self.subject, expert, self.seconds, seed=self.seed,
                    tell=lambda r: status.update(f"{r.digits:,} digits: {'right' if r.rlg else 'wrong'}"),
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
