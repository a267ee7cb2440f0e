"""The results as a table, learner by learner and task by task: what it cost, how far it went.

A figure over several seeds is told as its median, RLG and PLG with their range behind it.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from statistics import median

from dfst.experiments.baselines.registry import place_of, title_of
from dfst.experiments.comparison.result import Result
from dfst.paper import TASKS
from dfst.plugins import installed
from dfst.problems import Problem, find_problem
from dfst.problems.find import PROBLEMS
from dfst.proof.verdict import SETTLED
from dfst.tasks.groups import GROUPS
from dfst.tasks.registry import is_task

SUCCESS = 4  # a seed has succeeded if RLG holds up to this many times the digits of its training set


STATES = "-states"  # at the end of a group's name, in records: the state was told at each step


@dataclass(frozen=True)
class Row:
    """One learner on one task."""

    learner: str
    title: str
    task: str
    samples: int
    parameters: int
    iterations: int  # median over the seeds, as are seconds, PLG and RLG
    seconds: float
    device: str
    seeds: int
    succeeded: int  # seeds that are right at every length tested up to SUCCESS times the training length
    exact: int  # seeds that met no failure, hard cases included
    proved: int | None  # seeds whose merged automaton is proved; None where nothing was merged
    states: tuple[int, int] | None  # fewest and most states of the merged automata
    rlg: int
    rlg_range: tuple[int, int]
    plg: int
    plg_range: tuple[int, int]
    longest: int  # where the measurement ends
    hard_failures: int
    """Hard cases that went wrong at lengths where all random inputs went right, over all seeds."""
    command: str
    machine: str

    def as_json(self) -> dict[str, object]:
        return asdict(self)


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
    return Row(
        learner=first.learner,
        title=title_of(first.learner),
        task=first.task,
        samples=max(r.samples for r in seeds),
        parameters=max(r.parameters for r in seeds),
        iterations=round(median(r.iterations for r in seeds)),
        seconds=round(median(r.seconds for r in seeds), 2),
        device=first.device,
        seeds=len(seeds),
        succeeded=sum(map(succeeded, seeds)),
        exact=sum(r.exact for r in seeds),
        proved=sum(r.merged["verdict"] in SETTLED for r in merged) if merged else None,
        states=(min(states), max(states)) if states else None,
        rlg=int(median(r.rlg for r in seeds)),
        rlg_range=(min(r.rlg for r in seeds), max(r.rlg for r in seeds)),
        plg=int(median(r.plg for r in seeds)),
        plg_range=(min(r.plg for r in seeds), max(r.plg for r in seeds)),
        longest=max(r.longest for r in seeds),
        hard_failures=sum(rung.hard_failures for r in seeds for rung in r.ladder if rung.plg),
        command="; ".join(dict.fromkeys(r.command for r in seeds)),
        machine="; ".join(dict.fromkeys(r.machine for r in seeds)),
    )


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
