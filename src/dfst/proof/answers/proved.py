"""What an expert computes, once the checker has accepted why."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dfst.agents.agent import Agent
from dfst.agents.registry import expert
from dfst.agents.task import NumberTask
from dfst.proof.answer_checker import check_answer
from dfst.proof.answers.addition import add, increment
from dfst.proof.answers.multiplication import mult
from dfst.proof.answers.subtraction import compare, sub
from dfst.proof.reading import Rejected

EXPLAINED = {
    "add": ("a+b", add),
    "mult": ("a×b", mult),
    "sub": ("a-b", sub),
    "compare": ("the sign of a-b", compare),
    "increment": ("a+1", increment),
}
"""For each family: what is computed, and what writes down why."""


def proved_answer(machine: Agent) -> dict[str, Any] | None:
    """The `answer` of a proof about this machine, accepted by the checker; None where nothing is known."""
    if machine.task is None or not machine.same_table(expert(machine.task.name)):
        return None
    return _explained(machine.task.name)


@cache
def _explained(name: str) -> dict[str, Any] | None:
    machine = expert(name)
    task = machine.task
    if not isinstance(task, NumberTask) or task.family.name not in EXPLAINED:
        return None
    computes, explain = EXPLAINED[task.family.name]
    claim = explain(machine, task).as_json(computes)
    table = [part.astype(np.int32) for part in (machine.write, machine.motion, machine.next)]
    try:
        check_answer(claim, (table[0], table[1], table[2]), list(machine.alphabet), machine.blank)
    except Rejected:
        return None
    return claim
