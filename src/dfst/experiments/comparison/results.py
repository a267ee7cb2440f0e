"""What is kept of a comparison, one line of `records.jsonl` for each learner, task and seed; and its table.

In a line a length of the ladder is a list, [digits, asked, right, plg, rlg, hard_failures,
first_failing_step]. A figure of the table over several seeds is their median, RLG and PLG with their range
behind it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field, fields
from functools import cache
from importlib import resources
from itertools import takewhile
from pathlib import Path
from statistics import median
from typing import Any

from dfst.errors import InputError
from dfst.experiments.baselines.registry import place_of, title_of
from dfst.experiments.lines import JsonLines, Line, parse_lines
from dfst.files.sealed import misfit
from dfst.paper import TASKS
from dfst.plugins import installed
from dfst.problems import Problem, find_problem
from dfst.problems.find import PROBLEMS
from dfst.proof.verdict import SETTLED
from dfst.tasks.registry import is_task
from dfst.tasks.word_tasks import GROUPS

FILE = "records.jsonl"
SUCCESS = 4  # a seed has succeeded if RLG holds up to this many times the digits of its training set
STATES = "-states"  # at the end of a group's name, in records: the state was told at each step
Row = dict[str, Any]  # one learner on one task, as `_row` makes it


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


def by_learner(results: Iterable[Result]) -> dict[tuple[str, str], list[Result]]:
    """(learner, task) → its seeds, in the order of the paper's tasks and of the registry."""
    tasks = list(TASKS)

    def place(result: Result) -> tuple[int, str, int, str, int]:
        task = tasks.index(result.task) if result.task in tasks else len(tasks)
        return task, result.task, place_of(result.learner), result.learner, result.seed

    groups: dict[tuple[str, str], list[Result]] = {}
    for result in sorted(results, key=place):
        groups.setdefault((result.learner, result.task), []).append(result)
    return groups


def rows(results: Iterable[Result]) -> list[Row]:
    """A row for each learner and task."""
    return [_row(seeds) for seeds in by_learner(results).values()]


def succeeded(result: Result) -> bool:
    """Whether a seed went well beyond its training set, and failed at no length on the way there."""
    wanted = SUCCESS * trained_length(result.task, result.learner)
    return result.rlg >= wanted and all(rung.rlg for rung in result.ladder if rung.digits <= wanted)


def _row(seeds: list[Result]) -> Row:
    first = seeds[0]
    merged = [r for r in seeds if r.merged]
    states = [r.merged["states"] for r in merged if r.merged["states"] is not None]
    rlg, plg = [r.rlg for r in seeds], [r.plg for r in seeds]
    return {
        "learner": first.learner,
        "title": title_of(first.learner),
        "task": first.task,
        "samples": max(r.samples for r in seeds),
        "parameters": max(r.parameters for r in seeds),
        "iterations": round(median(r.iterations for r in seeds)),
        "seconds": round(median(r.seconds for r in seeds), 2),
        "device": first.device,
        "seeds": len(seeds),
        "succeeded": sum(map(succeeded, seeds)),
        "exact": sum(r.exact for r in seeds),  # no failure was met, hard cases included
        "proved": sum(r.merged["verdict"] in SETTLED for r in merged) if merged else None,
        "states": [min(states), max(states)] if states else None,  # of the merged automata
        "rlg": int(median(rlg)),
        "rlg_range": [min(rlg), max(rlg)],
        "plg": int(median(plg)),
        "plg_range": [min(plg), max(plg)],
        "longest": max(r.longest for r in seeds),  # where the measurement ends
        # those at lengths where all random inputs went right
        "hard_failures": sum(rung.hard_failures for r in seeds for rung in r.ladder if rung.plg),
        "command": "; ".join(dict.fromkeys(r.command for r in seeds)),
        "machine": "; ".join(dict.fromkeys(r.machine for r in seeds)),
    }


@cache
def known_problem(task: str) -> Problem | None:
    """The problem of a result, where it is found by its name; one in a user's file is found by the file's."""
    hidden = task.removesuffix(STATES)
    return find_problem(hidden) if is_task(hidden) or task in installed(PROBLEMS) else None


def trained_length(task: str, learner: str = "") -> int:
    """Length of the longest operand in the training set, in digits or symbols."""
    if learner == "neural-gpu":
        return 20  # its records are of examples of its own
    problem = known_problem(task)
    return (problem and problem.trained_size) or 1


def unit_of(task: str) -> str:
    """What its lengths are counted in: the letters of a group's words, else digits or symbols."""
    problem = known_problem(task)
    return "letters" if task.removesuffix(STATES) in GROUPS else problem.unit if problem else "symbols"
