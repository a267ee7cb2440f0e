"""The inputs a proof speaks about: one row, the head somewhere on it, any number of symbols on either side.

A proof is about *every* input of a task, so the inputs are described, never listed. Symbol sets are bit
masks: bit k stands for symbol k of the alphabet.

    add10, head on the operator     left  digit⁺     head  {+}       right  digit⁺
    sort10, head on the first       left  nothing    head  digit     right  digit*
    a blank tape                    left  nothing    head  {λ}       right  nothing
"""

from __future__ import annotations

from dataclasses import dataclass

from dfst.agents.agent import Agent
from dfst.agents.task import Task
from dfst.errors import InputError


@dataclass(frozen=True)
class Side:
    """One side of the head: `symbols` repeated `at_least` times or more; mask 0 is nothing at all."""

    symbols: int = 0
    at_least: int = 0


@dataclass(frozen=True)
class InputLanguage:
    """All inputs: what the head reads first, and what may lie on its sides."""

    left: Side
    head: int
    right: Side


def mask(symbols: range) -> int:
    return sum(1 << s for s in symbols)


def task_language(task: Task) -> InputLanguage:
    """Every input the task can parse."""
    digits = mask(range(task.radix))
    if task.operator is not None:
        operand = Side(digits, 1)
        return InputLanguage(operand, 1 << task.alphabet.index(task.operator), operand)
    rest = Side(digits, 0)
    if task.layout == "first":
        return InputLanguage(Side(), digits, rest)
    return InputLanguage(rest, digits, Side())


def language_of(agent: Agent) -> InputLanguage:
    """The inputs of the agent's task; without a task, all that its layout and its alphabet allow."""
    if agent.task is not None:
        return task_language(agent.task)
    if agent.layout == "operator":
        raise InputError(
            f"{agent.name} starts on an operator but has no task; give the task its inputs belong to"
        )
    full = mask(range(len(agent.alphabet)))
    anything = Side(full, 0)
    if agent.layout == "first":
        return InputLanguage(Side(), full, anything)
    return InputLanguage(anything, full, Side())
