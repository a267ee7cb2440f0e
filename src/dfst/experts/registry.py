"""Names people type for agents: `expert("add10")`, with a suggestion where a name is wrong."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from dfst.experts.arithmetic import add, compare, gnome_sort, increment, mult, sub, total
from dfst.experts.division import div, mod
from dfst.experts.euclid import gcd
from dfst.experts.hanoi import hanoi
from dfst.experts.life import life
from dfst.experts.longmult import longmult
from dfst.experts.maze import maze
from dfst.experts.plane import flood
from dfst.experts.regular import arrange, cycle, divisible3, even_pairs, modular, parity
from dfst.experts.root import sqrt
from dfst.experts.strings import (
    duplicate,
    missing_duplicate,
    modular_brackets,
    odds_first,
    reverse,
    solve,
    stack,
)
from dfst.experts.sudoku import sudoku
from dfst.machines.agent import Agent
from dfst.machines.rulebook import RuleBook
from dfst.tasks.groups import GROUPS
from dfst.tasks.numbers import FAMILIES, NumberTask
from dfst.tasks.registry import NAMED, find_task, is_task

Builder = Callable[[RuleBook, Any], None]  # writes the rules for a task down
OF_NUMBERS: Mapping[str, Builder] = {
    **{build.__name__: build for build in (add, mult, sub, compare, increment, div, mod, gcd, sqrt)},
    "sort": lambda rules, task: gnome_sort(rules, task.digits),
    "sum": total,
}
REGULAR = parity, even_pairs, cycle, modular, divisible3
WITH_A_TAPE = reverse, duplicate, odds_first, missing_duplicate, stack, modular_brackets, solve
OTHERS: Mapping[str, Builder] = {
    **{build.__name__: build for build in (*REGULAR, *WITH_A_TAPE, maze, flood, life, hanoi, sudoku)},
    **dict.fromkeys(GROUPS, arrange),
    **dict.fromkeys(("longmult2", "longmult10"), longmult),
    "sort": lambda rules, task: gnome_sort(rules, task.letters),
}
LISTED_RADICES = (2, 10)  # the radices that listings show; every radix from 2 to 36 can be asked for


@lru_cache(maxsize=64)
def expert(name: str) -> Agent:
    """The hand-built agent for a task, numbers at any radix: `expert("add10")`, `expert("parity")`."""
    task = find_task(name)
    rules = RuleBook(task.alphabet)
    build = OF_NUMBERS[task.family.name] if isinstance(task, NumberTask) else OTHERS[name]
    build(rules, task)
    return rules.agent(task.name, task)


def expert_names() -> list[str]:
    """The experts that listings show."""
    return [*(f"{family}{radix}" for family in FAMILIES for radix in LISTED_RADICES), *NAMED]


def is_expert(agent: Agent) -> bool:
    """Whether it is our own agent of its task; a task of a user's own has another."""
    task = agent.task
    return task is not None and is_task(task.name) and agent.same_table(expert(task.name))
