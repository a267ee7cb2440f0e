"""Names people type for agents: `expert("add10")`, with a suggestion where a name is wrong."""

from __future__ import annotations

from functools import lru_cache

from dfst.agents.agent import Agent
from dfst.agents.arithmetic import BUILDERS
from dfst.agents.task import find_task

LISTED_RADICES = (2, 10)
"""The radices that listings show; every radix from 2 to 36 can be asked for."""


@lru_cache(maxsize=64)
def expert(name: str) -> Agent:
    """The hand-built agent for a task, at any radix: `expert("add10")`, `expert("mult16")`."""
    task = find_task(name)
    return BUILDERS[task.family.name](task)


def expert_names() -> list[str]:
    """The experts that listings show."""
    return [f"{family}{radix}" for family in BUILDERS for radix in LISTED_RADICES]
