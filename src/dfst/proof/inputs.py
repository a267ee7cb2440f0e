"""All inputs that a proof is about: as an automaton for the proof, and one by one for those who try them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from dfst.languages import Language
from dfst.machines.agent import Agent
from dfst.proof.language import InputLanguage, regular_language, task_language
from dfst.states.explore import by_length, exploration_inputs, random_inputs
from dfst.tasks.task import Task
from dfst.world.grid import D, U

EXPLORED = 1_000
LONGEST_TRIED = 60
"""Words of a sparse language grow long soon; beyond this length some are drawn, not all tried."""
TRIED_OF_ALL = 300  # of the inputs of a machine without a task, which may run for long on any of them
EVERY_INPUT = "every input"


@dataclass(frozen=True)
class TaskInputs:
    """Every input that a task can parse."""

    task: Task

    @property
    def language(self) -> InputLanguage:
        return task_language(self.task)

    @property
    def meaning(self) -> str:
        """The inputs in words, as in "on every input"."""
        return EVERY_INPUT

    def shortest(self, count: int) -> Iterator[str]:
        """The first `count`, the shorter first, every one of a length before the next length."""
        return islice(by_length(self.task), count)

    def random(self, rng: np.random.Generator, count: int, longest: int) -> list[str]:
        """Some of any length up to `longest`."""
        return random_inputs(self.task, rng, count, longest)

    def to_explore(self, rng: np.random.Generator) -> list[str]:
        """Short ones and random ones, to find a model's learnt states with."""
        return exploration_inputs(self.task, rng)

    def smaller(self, text: str) -> Iterator[str]:
        """Inputs that are a little shorter than this one."""
        return map(self.task.write, self.task.smaller(self.task.parse(text)))


@dataclass(frozen=True)
class RegularInputs:
    """Every word of a regular language, for an agent that starts on it."""

    words: Language
    agent: Agent

    @property
    def language(self) -> InputLanguage:
        return regular_language(self.words, self.agent)

    @property
    def meaning(self) -> str:
        symbols = self.words.alphabet
        parted = ", its symbols parted by spaces" if any(len(symbol) > 1 for symbol in symbols) else ""
        row = " of one row" if np.isin(self.agent.action, (U, D)).any() else ""  # who goes up meets boards
        return f"every input{row} that matches {self.words.pattern}{parted}"

    def shortest(self, count: int) -> Iterator[str]:
        short = takewhile(lambda word: len(word) <= LONGEST_TRIED, self.words.words())
        return (self.words.text(word) for word in islice(short, count))

    def random(self, rng: np.random.Generator, count: int, longest: int) -> list[str]:
        return [self.words.sample(rng, int(rng.integers(0, longest + 1))) for _ in range(count)]

    def to_explore(self, rng: np.random.Generator) -> list[str]:
        return [*self.shortest(EXPLORED), *sorted(self.random(rng, EXPLORED, 16), key=len)]

    def smaller(self, text: str) -> Iterator[str]:
        symbols = self.agent.encode(text)[0].tolist()
        shorter = ([*symbols[:i], *symbols[i + 1 :]] for i in range(len(symbols)))
        return map(self.words.text, filter(self.words.accepts, shorter))


@dataclass(frozen=True)
class EveryInput(RegularInputs):
    """Every word over the symbols of a machine without a task, the blank among them, on one row."""

    @classmethod
    def of(cls, agent: Agent) -> EveryInput:
        symbols = len(agent.alphabet)
        return cls(Language("", agent.alphabet, ((0,) * symbols,), frozenset({0})), agent)

    @property
    def meaning(self) -> str:
        return f"{EVERY_INPUT} of one line"

    def shortest(self, count: int) -> Iterator[str]:
        return super().shortest(min(count, TRIED_OF_ALL))


Inputs = TaskInputs | RegularInputs  # what `prove` and `refute` ask about
