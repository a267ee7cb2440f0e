"""The inputs a proof speaks about: words on one row, and where in them the head starts.

The inputs are described, never listed: as the edges of a finite automaton, parted into those read before the
head's cell, the head's own, and those after it. An input is a path from state 0 over any number of `before`
edges, one `head` edge and any number of `after` edges to an accepting state; each edge stands for one symbol
of its set (a bit mask: bit k stands for symbol k of the alphabet).

                  before                  head        after
    add10         0 digit 1, 1 digit 1    1 {+} 2     2 digit 3, 3 digit 3
    sort10                                0 digit 1   1 digit 1
    blank tape                            0 {λ} 1
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from dfst.errors import InputError
from dfst.languages import Language
from dfst.languages.language import NONE
from dfst.machines.agent import Agent
from dfst.proof.checker import reachable
from dfst.tasks.numbers import NumberTask
from dfst.tasks.plane import PlaneTask
from dfst.tasks.task import Layout, Task
from dfst.tasks.words import WordTask

Edge = tuple[int, int, int]  # state, symbols, next state


@dataclass(frozen=True)
class InputLanguage:
    """All inputs, as the edges of an automaton; state 0 is the start."""

    before: tuple[Edge, ...]
    head: tuple[Edge, ...]
    after: tuple[Edge, ...]
    accepting: tuple[int, ...]

    def as_json(self) -> dict[str, list[Any]]:
        edges = {"before": self.before, "head": self.head, "after": self.after}
        return {part: list(map(list, listed)) for part, listed in edges.items()} | {
            "accepting": list(self.accepting)
        }

    @property
    def repeated(self) -> list[int]:
        """The symbol sets that inputs may repeat without end, on either side of the head."""
        sides = (self.before, self.after)
        return [symbols for edges in sides for p, symbols, q in edges if p in reachable(edges, {q})]


def mask(symbols: range) -> int:
    return sum(1 << s for s in symbols)


def task_language(task: Task) -> InputLanguage:
    """Every input the task can parse; of boards those of one row, since no automaton tells the others."""
    if isinstance(task, PlaneTask):
        return _one_operand(mask(range(len(task.letters))), task.layout)
    if isinstance(task, WordTask):
        return _from_first(task.language)
    if not isinstance(task, NumberTask):
        raise InputError(f"{task.name} takes inputs of several lines; proofs are about inputs of one line")
    digits = mask(range(task.radix))
    if task.operator is not None:
        operator = 1 << task.alphabet.index(task.operator)
        left, right = ((0, digits, 1), (1, digits, 1)), ((2, digits, 3), (3, digits, 3))
        if task.layout == "first":
            more = ((3, operator, 2),) if task.family.many else ()
            return InputLanguage((), left[:1], (*left[1:], (1, operator, 2), *right, *more), (3,))
        return InputLanguage(left, ((1, operator, 2),), right, (3,))
    return _one_operand(digits, task.layout)


def regular_language(language: Language, agent: Agent) -> InputLanguage:
    """The inputs of a regular language, the head where the agent's layout puts it."""
    edges = tuple(_edges(language))
    accepting = tuple(sorted(language.accepting))
    if agent.task is not None and agent.task.operator is not None and agent.layout == "operator":
        return _around(edges, accepting, 1 << agent.alphabet.index(agent.task.operator), language.pattern)
    blank, end = 1 << agent.blank, len(language.table)
    nothing = ((0, blank, end),) if 0 in language.accepting else ()
    if agent.layout == "last":
        last = tuple((p, symbols, end) for p, symbols, q in edges if q in language.accepting)
        return InputLanguage(edges, (*last, *nothing), (), (end,))
    from_first = _from_first(language)
    return replace(from_first, head=(*from_first.head, *nothing), accepting=(*accepting, end))


def _from_first(language: Language) -> InputLanguage:
    """The words of a language that has no empty one, the head on the first symbol."""
    edges = tuple(_edges(language))
    first = tuple(edge for edge in edges if edge[0] == 0)
    return InputLanguage((), first, edges, tuple(sorted(language.accepting)))


def _one_operand(symbols: int, layout: Layout) -> InputLanguage:
    if layout == "first":
        return InputLanguage((), ((0, symbols, 1),), ((1, symbols, 1),), (1,))
    return InputLanguage(((0, symbols, 0),), ((0, symbols, 1),), (), (1,))


def _edges(language: Language) -> Iterator[Edge]:
    """One edge for each pair of states that follow one another, with all its symbols."""
    for state, row in enumerate(language.table):
        for target in sorted(set(row) - {NONE}):
            yield state, sum(1 << k for k, t in enumerate(row) if t == target), target


def _around(
    edges: tuple[Edge, ...], accepting: tuple[int, ...], operator: int, pattern: str
) -> InputLanguage:
    """The head on the operator, of which each input must have exactly one."""
    head = tuple((p, operator, q) for p, symbols, q in edges if symbols & operator)
    rest = tuple((p, symbols & ~operator, q) for p, symbols, q in edges if symbols & ~operator)
    before, after = reachable(rest, {0}), reachable(rest, {q for _, _, q in head})
    once = not before & after and not any(p in after for p, _, _ in head) and not before & set(accepting)
    if not once:
        raise InputError(f"expected a pattern in which each input has the operator once, found {pattern!r}")
    return InputLanguage(
        tuple(edge for edge in rest if edge[0] in before), head,
        tuple(edge for edge in rest if edge[0] in after), accepting,
    )  # fmt: skip
