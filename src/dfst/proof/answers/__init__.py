"""What the experts compute, and why: for each family the shapes of its runs. Nothing here is trusted:
answer_checker.py alone says whether it holds."""

from functools import cache
from typing import Any

from dfst.experts.registry import expert, is_expert
from dfst.machines.agent import Agent
from dfst.proof.answers.addition import add, increment
from dfst.proof.answers.multiplication import mult
from dfst.proof.answers.subtraction import compare, sub
from dfst.tasks.numbers import NumberTask

EXPLAINED = {
    "add": ("a+b", add),
    "mult": ("a×b", mult),
    "sub": ("a-b", sub),
    "compare": ("the sign of a-b", compare),
    "increment": ("a+1", increment),
}
"""For each family: what is computed, and what writes down why."""


def explained_answer(machine: Agent) -> dict[str, Any] | None:
    """The `answer` of a proof about this machine; None where nobody wrote down why."""
    if machine.task is None or not is_expert(machine):
        return None
    return _explained(machine.task.name)


@cache
def _explained(name: str) -> dict[str, Any] | None:
    machine = expert(name)
    task = machine.task
    if not isinstance(task, NumberTask) or task.family.name not in EXPLAINED:
        return None
    computes, explain = EXPLAINED[task.family.name]
    return explain(machine, task).as_json(computes)
