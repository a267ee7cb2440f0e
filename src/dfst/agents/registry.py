"""Names people type for agents: `expert("add10")`, with a suggestion where a name is wrong."""

from __future__ import annotations

from functools import lru_cache

from dfst.agents.agent import Agent
from dfst.agents.arithmetic import BUILDERS
from dfst.agents.division import DIVISION
from dfst.agents.euclid import EUCLID
from dfst.agents.regular import REGULAR
from dfst.agents.root import ROOT
from dfst.agents.strings import WITH_A_TAPE
from dfst.agents.task import NumberTask, find_task
from dfst.agents.word_tasks import WORD_TASKS
from dfst.agents.words import WordTask

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
    assert isinstance(task, WordTask)
    return OF_WORDS[name](task)


def expert_names() -> list[str]:
    """The experts that listings show."""
    return [*(f"{family}{radix}" for family in OF_NUMBERS for radix in LISTED_RADICES), *WORD_TASKS]
