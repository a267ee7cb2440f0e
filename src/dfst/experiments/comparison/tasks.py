"""What is compared on: any problem with a reference, by name; and how long the tasks of records are."""

from __future__ import annotations

from functools import cache
from typing import Any

from dfst.plugins import installed
from dfst.problems import Problem, find_problem
from dfst.problems.find import PROBLEMS
from dfst.tasks.groups import GROUPS
from dfst.tasks.registry import is_task
from dfst.train.config import RunConfig
from dfst.train.settings import configure

STATES = "-states"
"""At the end of a group's name, in records: the state was told at each step."""


def plan_of(task: str, seed: int, preset: str = "quick", **changes: Any) -> RunConfig:
    """The training of one seed, by the recipe of `dfst learn`, with settings changed."""
    plan = configure(task, preset, **{**changes, "seeds": 1, "first_seed": seed})
    plan.problem.check_sizes((1,))
    return plan


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
