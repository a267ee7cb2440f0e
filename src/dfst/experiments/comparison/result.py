"""What is kept of a comparison: one line of `records.jsonl` for each learner, task and seed.

A field that is missing or unknown is refused with the file, the line and the field. A length of the ladder is
a list:

    [digits, asked, right, plg, rlg, hard_failures, first_failing_step]
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field, fields
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import Any

from dfst.errors import InputError
from dfst.experiments.lines import JsonLines, Line, parse_lines
from dfst.files.sealed import misfit

FILE = "records.jsonl"


@dataclass(frozen=True)
class Rung:
    """One length of the ladder."""

    digits: int
    asked: int  # inputs asked: random, repeated digits and hard cases
    right: int  # inputs on which every action, and the answer, was right
    plg: bool
    rlg: bool
    hard_failures: int
    first_failing_step: int | None  # the earliest step at which an input went wrong; None if none did


@dataclass(frozen=True)
class Result:
    """One learner on one task from one seed."""

    learner: str
    task: str
    seed: int
    samples: int  # worked examples it was trained on
    parameters: int  # numbers (or, for a machine, rules) that were learnt
    iterations: int
    seconds: float  # wall time from the traces to the finished model: pilot, training, polish, choice
    device: str
    loss: float | None  # the training loss at the end; None for a learner without one
    plg: int  # largest number of digits tested at which PLG held; 0 if none
    rlg: int  # largest number of digits tested at which RLG held; 0 if none
    longest: int  # where ladder and search end
    stopped_by: str  # what ended the search for the largest length: failure, budget or limit
    ladder: tuple[Rung, ...]
    hard_failures: tuple[str, ...]
    """Hard cases that went wrong at lengths of the ladder, shortest first, each in a few words."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What else decided the outcome, such as the width and the learning rate that was chosen."""
    merged: Mapping[str, Any] = field(default_factory=dict)
    """The automaton that its hidden states merge into, or that it learnt: states, and the prover's verdict.
    Empty in records of earlier versions"""
    machine: str = ""  # where it was measured
    command: str = ""  # the command that makes this line again

    @property
    def exact(self) -> bool:
        """Whether nothing that was asked went wrong, hard cases included."""
        return self.stopped_by != "failure" and all(rung.right == rung.asked for rung in self.ladder)

    @property
    def reach(self) -> int:
        """The length up to which nothing that was asked went wrong, hard cases included; 0 if none."""
        if self.exact and self.stopped_by == "limit":
            return self.longest
        right = takewhile(lambda rung: rung.right == rung.asked, self.ladder)
        return max((rung.digits for rung in right), default=0)

    def as_json(self) -> Line:
        ladder = [list(astuple(rung)) for rung in self.ladder]
        return {**asdict(self), "ladder": ladder, "hard_failures": list(self.hard_failures)}


KIND = {field.name: field.type for field in fields(Result) if field.type in (int, float, str)}
KIND |= {"loss": (float, None), "ladder": [list], "hard_failures": [str], "settings": dict}


def read_result(line: Line, origin: str) -> Result:
    """A result out of a line with exactly its fields."""
    names = [field.name for field in fields(Result)]
    wrong = misfit(line, KIND) or next((f"{name!r} is unknown" for name in line if name not in names), None)
    if wrong is None and any(len(rung) != len(fields(Rung)) for rung in line["ladder"]):
        wrong = f"a length of its ladder is a list of {len(fields(Rung))} values"
    if wrong is None:
        ladder = tuple(Rung(*rung) for rung in line["ladder"])
        return Result(**{**line, "ladder": ladder, "hard_failures": tuple(line["hard_failures"])})
    raise InputError(f"{origin}: it is no result: {wrong}; remove it, and measure again with dfst compare")


def stored_results() -> list[Result]:
    """The results that come with the package."""
    file = resources.files("dfst.experiments.comparison") / FILE
    return _results(parse_lines(file.read_bytes(), FILE), FILE)


def kept_results(folder: str | Path) -> list[Result]:
    """The results that `dfst compare` has kept in a folder."""
    path = Path(folder) / FILE
    if not path.is_file():
        raise InputError(f"{folder} holds no {FILE}; make one with dfst compare --learner … --out {folder}")
    return _results(JsonLines(path).read(), str(path))


def keep_results(results: Iterable[Result], folder: str | Path) -> Path:
    """Put results into a folder's file, each in the place of one of the same learner, task and seed."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    file = JsonLines(Path(folder) / FILE)
    lines = [*file.read(), *(result.as_json() for result in results)]
    file.replace({(line.get("learner"), line.get("task"), line.get("seed")): line for line in lines}.values())
    return file.path


def _results(lines: list[Line], origin: str) -> list[Result]:
    return [read_result(line, f"{origin}, line {number}") for number, line in enumerate(lines, 1)]
