"""The records as a table, learner by learner and task by task: what it cost, how far it went.

A figure over several seeds is told as its median, RLG and PLG with their range behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from dfst.experiments.comparison.result import Record, SeedResult
from dfst.experiments.rivals.registry import LEARNERS
from dfst.paper import TASKS

SUCCESS = 4
"""A seed has succeeded if RLG holds up to this many times the digits of its training set."""
OTHER_TRAINED = 3
"""Digits of the training sets of tasks that are not in Table 1."""

TRAINED_DIGITS = {task: row.max_digits for task, row in TASKS.items()}


@dataclass(frozen=True)
class Row:
    """One learner on one task."""

    learner: str
    title: str
    task: str
    samples: int
    parameters: int
    iterations: int
    """Median over the seeds, as are seconds, PLG and RLG."""
    seconds: float
    device: str
    seeds: int
    succeeded: int
    """Seeds that are right at every length tested up to SUCCESS times the training length."""
    rlg: int
    rlg_range: tuple[int, int]
    plg: int
    plg_range: tuple[int, int]
    unbeaten: int
    """Seeds whose search for the largest length met no failure."""
    hard_failures: int
    """Hard cases that went wrong at lengths where all random inputs went right, over all seeds."""
    command: str
    machine: str

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def rows(records: Iterable[Record]) -> list[Row]:
    """One row a record, in the order of the paper's tasks and of the registry."""
    tasks = list(TASKS)
    learners = list(LEARNERS)

    def place(record: Record) -> tuple[int, str, int, str]:
        task = tasks.index(record.task) if record.task in tasks else len(tasks)
        learner = learners.index(record.learner) if record.learner in learners else len(learners)
        return task, record.task, learner, record.learner

    return [_row(record) for record in sorted(records, key=place) if record.seeds]


def succeeded(result: SeedResult) -> bool:
    """Whether a seed went well beyond its training set, and failed at no length on the way there."""
    wanted = SUCCESS * trained_digits(result.task, result.learner)
    return result.rlg >= wanted and all(rung.rlg for rung in result.ladder if rung.digits <= wanted)


def trained_digits(task: str, learner: str = "") -> int:
    """Digits of the longest number in the training set."""
    known = LEARNERS.get(learner)
    if known and known.trained_digits:
        return known.trained_digits
    return TRAINED_DIGITS.get(task, OTHER_TRAINED)


def _row(record: Record) -> Row:
    seeds = record.seeds
    known = LEARNERS.get(record.learner)
    return Row(
        learner=record.learner,
        title=known.title if known else record.learner,
        task=record.task,
        samples=max(r.samples for r in seeds),
        parameters=max(r.parameters for r in seeds),
        iterations=round(_median(seeds, lambda r: r.iterations)),
        seconds=round(_median(seeds, lambda r: r.seconds), 2),
        device=seeds[0].device,
        seeds=len(seeds),
        succeeded=sum(map(succeeded, seeds)),
        rlg=int(_median(seeds, lambda r: r.rlg)),
        rlg_range=_range(r.rlg for r in seeds),
        plg=int(_median(seeds, lambda r: r.plg)),
        plg_range=_range(r.plg for r in seeds),
        unbeaten=sum(r.stopped_by != "failure" for r in seeds),
        hard_failures=sum(rung.hard_failures for r in seeds for rung in r.ladder if rung.plg),
        command=record.command,
        machine=record.machine,
    )


def _median(seeds: Sequence[SeedResult], value: Callable[[SeedResult], float]) -> float:
    return float(median(value(result) for result in seeds))


def _range(values: Iterable[int]) -> tuple[int, int]:
    listed = list(values)
    return min(listed), max(listed)
