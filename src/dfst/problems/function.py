"""A Python function with a pen: a machine where it has finitely many states, else whatever it did when asked.

Where its table can be written down (`machines/from_function.py`), the function is a machine like any other:
its rules are known, its examples are chosen, and the model can be proved. A function whose states cannot be
looked at is asked once, for a training set and for inputs that are held out, and what it did is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from dfst.errors import InputError
from dfst.languages import Language
from dfst.machines.agent import Agent
from dfst.machines.from_function import NotATable, table_of
from dfst.machines.rejections import as_it_was, with_rejections
from dfst.machines.teacher import Teacher
from dfst.problems.machine import machine_problem
from dfst.problems.problem import Problem, TrainingData, TrainingSet
from dfst.problems.recording import RecordedProblem, recorded_problem
from dfst.states.merging import minimise
from dfst.traces.inputs import Choice, choose_lesson, held_out_inputs, input_language
from dfst.traces.recording import Recording
from dfst.traces.traceset import gather
from dfst.world.grid import Limits, S
from dfst.world.trace import Trace

MOST_STEPS = 10_000  # steps after which a function that has not returned is taken for an endless loop
HELD_OUT_SEED = 2  # draws the inputs that are held out
TRIED = 1_000
"""Short inputs that are tried for a training set: a function takes far longer for them than a table."""
MOST_HELD_OUT = 400
ASKED_TWICE = 50  # inputs on which a function and its table are compared, besides those of the training set


@dataclass(frozen=True, eq=False, kw_only=True)
class AskedProblem(RecordedProblem):
    """What a function did when it was asked; it can be asked again."""

    teacher: Teacher
    language: Language
    why: str  # it is no table

    def training_set(self) -> TrainingSet:
        return replace(super().training_set(), chosen=f"answered by {self.name}(); no proof: {self.why}")

    def answer(self, text: str) -> Trace:
        return follow(self.teacher, text)

    def shortest(self, count: int) -> list[str]:
        return list(map(self.language.text, islice(self.language.words(), count)))

    def drawn(self, rng: np.random.Generator, count: int, longest: int) -> list[str]:
        return [self.language.sample(rng, int(rng.integers(0, longest + 1))) for _ in range(count)]

    def with_settings(self, **settings: Any) -> AskedProblem:
        return _asked(self.teacher, TrainingData(**{"language": self.language.pattern, **settings}), self.why)


def function_machine(teacher: Teacher) -> Agent:
    """The smallest machine that does what the function does, on whatever it reads. What it fails on counts as
    a rule that rejects, so that no two of its states are merged for want of rules."""
    return as_it_was(minimise(with_rejections(table_of(teacher)), keep_names=True))


def function_problem(teacher: Teacher, *, bounded: bool = True, **settings: Any) -> Problem:
    """The function as a problem. bounded: refuse one that seems to need more and more states"""
    data = TrainingData(**settings)
    try:
        machine = function_machine(teacher)
    except InputError as reason:
        if bounded and not isinstance(reason, NotATable):
            raise
        return _asked(teacher, data, str(reason))
    problem = machine_problem(machine, **settings)
    short = map(problem.language.text, islice(problem.language.words(), ASKED_TWICE))
    for text in dict.fromkeys((*problem.lesson[0], *short)):
        if _actions(follow(teacher, text)) != _actions(machine.trace(text, Limits(steps=MOST_STEPS))):
            raise InputError(
                f"{teacher.name} works on {text!r} otherwise than its code and variables say; "
                "let it go by nothing but what it reads"
            )
    return replace(problem, called=f"{teacher.name}()")


def _asked(teacher: Teacher, data: TrainingData, why: str) -> AskedProblem:
    """A recording of the function at work on a training set, and on inputs that are held out."""
    if said := next((name for name in ("examples", "told_apart") if getattr(data, name)), None):
        raise InputError(f"{said} asks for a table of rules, and {why}")
    words = input_language(range(teacher.blank), teacher.alphabet, teacher.blank, data.language)
    choice = Choice(data.samples or Choice.samples, data.max_digits, data.data_seed or 0, TRIED)

    def followed(text: str) -> Trace:
        return follow(teacher, text)

    shown = data.inputs or choose_lesson(followed, _actions, words, (), choice).inputs
    _check_it_repeats(teacher, shown)
    others = held_out_inputs(words, shown, lambda text: teacher.encode(text)[0].tolist(), HELD_OUT_SEED)
    held_out = others[:: max(1, len(others) // MOST_HELD_OUT)]
    about = teacher.name, teacher.alphabet
    traces = gather([followed(text) for text in (*shown, *held_out)], *about)
    recording = Recording(*about, teacher.blank, teacher.layout, None, traces, taught=len(shown))
    recorded = vars(recorded_problem(recording))
    return AskedProblem(**recorded, teacher=teacher, language=words, why=why)


def follow(teacher: Teacher, text: str) -> Trace:
    """The whole trace on an input; a function that does not return is refused."""
    trace = teacher.trace(text, Limits(steps=MOST_STEPS))
    if trace.m[-1] != S:
        raise InputError(
            f"{teacher.name} did not return within {MOST_STEPS:,} steps on {text!r}; "
            "fix an endless loop, or leave such inputs out with --language"
        )
    return trace


def _actions(trace: Trace) -> list[tuple[int, int, int]]:
    """What was read, written and moved, step by step."""
    return list(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True))


def _check_it_repeats(teacher: Teacher, shown: Sequence[str]) -> None:
    """Refuse a function that goes by chance, or by what it did before, however many calls that takes to come
    round: all inputs are worked again the other way round and, after one more, in order once more."""
    first = {text: _actions(follow(teacher, text)) for text in shown}
    for text in (*reversed(shown), shown[0], *shown):
        if _actions(follow(teacher, text)) != first[text]:
            raise InputError(
                f"{teacher.name} works on {text!r} in two ways when asked again; "
                "let it go by nothing but what it reads"
            )
