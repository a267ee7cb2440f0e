"""The plan for a teacher in Python: its traces are recorded, and it is asked about inputs that are held out.

A function that needs more and more states is refused before any training, as far as it shows
(growing_memory.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dfst.agents.teacher import Teacher
from dfst.errors import InputError
from dfst.languages import Language
from dfst.learning.growing_memory import REPETITIONS, growing_memory
from dfst.learning.plan import Plan, check_drawn, plan_recording
from dfst.traces.inputs import Choice, choose_lesson, held_out_inputs, input_language
from dfst.traces.recording import Recording
from dfst.traces.sample import gather_traces
from dfst.world.grid import Limits, S
from dfst.world.trace import Trace

MOST_STEPS = 10_000
"""Steps after which a function that has not returned is taken for an endless loop."""
HELD_OUT_SEED = 2
"""Draws the inputs that are held out."""
TRIED = 1_000
"""Short inputs that are tried for a lesson: a function takes far longer for them than a table."""
MOST_HELD_OUT = 400


def plan_teacher(
    teacher: Teacher,
    preset: str = "quick",
    inputs: Sequence[str] = (),
    *,
    language: str | None = None,
    samples: int | None = None,
    max_digits: int | None = None,
    data_seed: int | None = None,
    **changes: Any,
) -> Plan:
    """A recording of the teacher at work on a lesson, and on inputs that are held out."""
    check_drawn(inputs, samples=samples, max_digits=max_digits, data_seed=data_seed)
    words = input_language(range(teacher.blank), teacher.alphabet, teacher.blank, language)
    choice = Choice(samples or Choice.samples, max_digits, data_seed or 0, TRIED)

    def followed(text: str) -> Trace:
        return follow(teacher, text)

    shown = tuple(inputs) or choose_lesson(followed, _actions, words, (), choice).inputs
    _check_it_repeats(teacher, shown)
    if changes.get("hidden_size") is None:
        _check_memory_is_bounded(teacher, words)
    others = held_out_inputs(words, shown, lambda text: teacher.encode(text)[0].tolist(), HELD_OUT_SEED)
    held_out = others[:: max(1, len(others) // MOST_HELD_OUT)]
    traces = gather_traces(teacher, [followed(text) for text in (*shown, *held_out)])
    layout = teacher.layout
    recording = Recording(
        teacher.name, teacher.alphabet, teacher.blank, layout, None, traces, taught=len(shown)
    )
    return plan_recording(recording, preset, **changes)


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
    """Refuse a teacher that goes by chance, or by what it did before: nobody can learn that.

    It works all inputs, and then all again the other way round, so that before each lies something else.
    """
    first = {text: _actions(follow(teacher, text)) for text in shown}
    for text in reversed(shown):
        if _actions(follow(teacher, text)) != first[text]:
            raise InputError(
                f"{teacher.name} works on {text!r} in two ways when asked twice; "
                "let it go by nothing but what it reads"
            )


def _check_memory_is_bounded(teacher: Teacher, language: Language) -> None:
    """Refuse a teacher that needs more and more states, as far as repetitions show it (growing_memory.py)."""
    if found := growing_memory(teacher, language):
        raise InputError(
            f"{teacher.name}: the number of learnt states keeps growing with the input "
            f"(at least {_listed(found.needed)} where {found.piece!r} is repeated up to "
            f"{_listed(REPETITIONS)} times); if you know that so many will do, give --hidden-size"
        )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
