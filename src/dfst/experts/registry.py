"""Names people type for agents: `expert("add10")`, with a suggestion where a name is wrong."""

from __future__ import annotations

from functools import lru_cache

from dfst.experts.arithmetic import BUILDERS
from dfst.experts.division import DIVISION
from dfst.experts.euclid import EUCLID
from dfst.experts.plane import ON_THE_PLANE
from dfst.experts.regular import REGULAR
from dfst.experts.root import ROOT
from dfst.experts.strings import WITH_A_TAPE
from dfst.machines.agent import Agent
from dfst.tasks.numbers import NumberTask
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import PLANE_TASKS
from dfst.tasks.registry import find_task, is_task
from dfst.tasks.word_tasks import WORD_TASKS
from dfst.tasks.words import WordTask

OF_NUMBERS = {**BUILDERS, **DIVISION, **EUCLID, **ROOT}
OF_WORDS = {**REGULAR, **WITH_A_TAPE}
LISTED_RADICES = (2, 10)
"""The radices that listings show; every radix from 2 to 36 can be asked for."""


@lru_cache(maxsize=64)
def expert(name: str) -> Agent:
    """The hand-built agent for a task, numbers at any radix: `expert("add10")`, `expert("parity")`."""
    task = find_task(name)
    if isinstance(task, NumberTask):
        return OF_NUMBERS[task.family.name](task)
    if isinstance(task, PlaneTask):
        return ON_THE_PLANE[name](task)
    assert isinstance(task, WordTask)
    return OF_WORDS[name](task)


def expert_names() -> list[str]:
    """The experts that listings show."""
    return [
        *(f"{family}{radix}" for family in OF_NUMBERS for radix in LISTED_RADICES),
        *WORD_TASKS,
        *PLANE_TASKS,
    ]


def is_expert(agent: Agent) -> bool:
    """Whether it is our own agent of its task; a task of a user's own has another."""
    task = agent.task
    return task is not None and is_task(task.name) and agent.same_table(expert(task.name))
