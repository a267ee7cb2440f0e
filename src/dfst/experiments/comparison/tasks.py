"""The tasks of records: how long their training examples are, and what lengths are counted in."""

from __future__ import annotations

from functools import cache

from dfst.plugins import installed
from dfst.problems import Problem, find_problem
from dfst.problems.find import PROBLEMS
from dfst.tasks.groups import GROUPS
from dfst.tasks.registry import is_task

STATES = "-states"
"""At the end of a group's name, in records: the state was told at each step."""


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
