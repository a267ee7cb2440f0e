"""The shortest input on which a subject does not act as the reference does.

Inputs are tried by length, every one of a length before the next length, so the first failure is a
shortest one. Where the budget ends, random longer inputs are tried and a failure is cut down digit by
digit; it is then a small counterexample, not proved to be the smallest, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from dfst.agents.agent import Agent
from dfst.agents.task import Task
from dfst.errors import InputError, MissingRule
from dfst.model.weights import Weights
from dfst.rollout.compiled import Rollout
from dfst.states.inputs import by_length, random_inputs
from dfst.world.grid import Limits

Fails = Callable[[str], str | None]
"""Says how the subject's run on an input differs from the reference's; None where it does not."""


@dataclass(frozen=True)
class Counterexample:
    """An input that `dfst run` can replay, and what differs on it."""

    input: str
    what: str
    shortest: bool
    """True: every shorter input was tried and is right."""


def differs(subject: Agent | Weights, reference: Agent, max_steps: int) -> Fails:
    """The test of one input: action by action against the reference, in closed loop."""
    if isinstance(subject, Weights):
        rollout = Rollout(subject)

        def model_fails(text: str) -> str | None:
            run = rollout.run(text, Limits(steps=max_steps), against=reference)
            if run.difference is not None:
                return str(run.difference)
            # Held against an expert, a run ends early without a difference only where it cannot go on.
            stopped = not run.halted and run.steps < max_steps
            return f"its hidden state overflows at step {run.steps:,}" if stopped else None

        return model_fails
    machine = subject

    def machine_fails(text: str) -> str | None:
        wanted = reference.trace(text, Limits(steps=max_steps))
        try:
            found = machine.trace(text, Limits(steps=max_steps))
        except MissingRule as error:
            return str(error)
        if wanted.same_as(found):
            return None
        n = min(len(wanted), len(found))
        unlike = (wanted.s[:n] != found.s[:n]) | (wanted.m[:n] != found.m[:n])
        return f"the runs differ at step {int(np.argmax(unlike)) if unlike.any() else n}"

    return machine_fails


def refute(
    subject: Agent | Weights,
    reference: Agent,
    task: Task,
    *,
    rng: np.random.Generator,
    inputs: int = 2_000,
    random: int = 100,
    longest: int = 24,
    max_steps: int = 100_000,
) -> Counterexample | None:
    """Search; None where nothing was found, which proves nothing."""
    fails = differs(subject, reference, max_steps)
    for text in islice(by_length(task), inputs):
        if what := fails(text):
            return Counterexample(text, what, shortest=True)
    for text in random_inputs(task, rng, random, longest):
        if fails(text):
            return shrink(text, fails, task)
    return None


def shrink(text: str, fails: Fails, task: Task) -> Counterexample:
    """Take digits away while the input still fails."""
    what = fails(text)
    if what is None:
        raise InputError(f"{text!r} is no counterexample; give an input that fails")
    smaller = True
    while smaller:
        smaller = False
        for shorter in _one_digit_less(task.parse(text)):
            candidate = task.write(shorter)
            if found := fails(candidate):
                text, what, smaller = candidate, found, True
                break
    return Counterexample(text, what, shortest=False)


def _one_digit_less(operands: Sequence[str]) -> list[tuple[str, ...]]:
    return [
        (*operands[:k], operand[:i] + operand[i + 1 :], *operands[k + 1 :])
        for k, operand in enumerate(operands)
        if len(operand) > 1
        for i in range(len(operand))
    ]
