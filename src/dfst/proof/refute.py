"""The shortest input on which a subject does not act as the reference does.

Inputs are tried by length, so the first failure is a shortest one. Where the budget ends, random longer
inputs are tried and a failure is cut down symbol by symbol: a small counterexample, which says that it need
not be the smallest.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError, MissingRule
from dfst.machines.agent import Agent
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Weights
from dfst.proof.inputs import Inputs
from dfst.tasks.task import Task
from dfst.world.grid import Limits

SWEEPS = 4  # steps for each symbol of a long input: to pass over it and back, twice
Fails = Callable[[str], str | None]
"""Says how the subject's run on an input differs from the reference's; None where it does not."""


@dataclass(frozen=True)
class Counterexample:
    """An input that `dfst run` can replay, and what differs on it."""

    input: str
    what: str
    shortest: bool  # true: every shorter input was tried and is right
    written: str = ""  # a long input as a Python expression, for people and for the line that replays it

    def as_json(self) -> dict[str, object]:
        return {"input": self.written or self.input, "what": self.what, "shortest": self.shortest}


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
        mine, wanted = (_actions(unit, text, max_steps) for unit in (machine, reference))
        n = min(len(actions) for actions, _ in (mine, wanted))
        unlike = (mine[0][:n] != wanted[0][:n]).any(axis=1)
        if unlike.any():
            return f"the runs differ at step {int(np.argmax(unlike))}"
        if len(mine[0]) == len(wanted[0]) and bool(mine[1]) == bool(wanted[1]):
            return None
        lacked = (lacks for actions, lacks in (mine, wanted) if len(actions) == n and lacks)
        return next(lacked, f"the runs differ at step {n}")

    return machine_fails


def _actions(machine: Agent, text: str, max_steps: int) -> tuple[NDArray[np.uint8], str]:
    """(steps, 2) what a machine wrote and how it moved until it halted, ran out of steps, or had no rule; and
    the rule that it stopped for lack of."""
    lacks = ""
    try:
        trace = machine.trace(text, Limits(steps=max_steps))
    except MissingRule as error:
        if not error.step:
            return np.zeros((0, 2), dtype=np.uint8), str(error)
        trace, lacks = machine.trace(text, Limits(steps=error.step)), str(error)
    return np.stack([trace.s, trace.m], axis=1), lacks


def refute(
    subject: Agent | Weights, reference: Agent, inputs: Inputs, *, rng: np.random.Generator,
    short: int = 2_000, random: int = 100, longest: int = 24, max_steps: int = 100_000,
) -> Counterexample | None:  # fmt: skip
    """Search; None where nothing was found, which proves nothing."""
    fails = differs(subject, reference, max_steps)
    for text in inputs.shortest(short):
        if what := fails(text):
            return Counterexample(text, what, shortest=True)
    for text in inputs.random(rng, random, longest):
        if fails(text):
            return shrink(text, fails, inputs)
    return None


def refute_by_sweeps(model: Weights, reference: Agent, task: Task, length: int) -> Counterexample | None:
    """Search among inputs of one symbol over and over beside a single one, which need not run for long: the
    first passes over them show whether the hidden state keeps its direction. Of those that fail the
    shortest, found by halving."""
    symbols = dict.fromkeys(operands[-1] for operands in task.repeated(1))
    for symbol, long in ((s, k) for s in symbols for k in range(task.operand_count)):

        def fails(n: int, symbol: str = symbol, long: int = long) -> str | None:
            operands = tuple(symbol * (n if k == long else 1) for k in range(task.operand_count))
            return differs(model, reference, SWEEPS * n)(task.write(operands))

        if fails(length) is None:
            continue
        right, wrong = 0, length
        while wrong - right > 1 + wrong // 1_000:
            middle = (right + wrong) // 2
            right, wrong = (right, middle) if fails(middle) else (middle, wrong)
        parts = [f"{symbol!r} * {wrong}" if k == long else repr(symbol) for k in range(task.operand_count)]
        text = task.write(tuple(symbol * (wrong if k == long else 1) for k in range(task.operand_count)))
        return Counterexample(text, fails(wrong) or "", False, f" + {task.operator!r} + ".join(parts))
    return None


def shrink(text: str, fails: Fails, inputs: Inputs) -> Counterexample:
    """Take symbols away while the input still fails."""
    if fails(text) is None:
        raise InputError(f"{text!r} is not a counterexample; give an input that fails")
    while (smaller := next(filter(fails, inputs.smaller(text)), None)) is not None:
        text = smaller
    return Counterexample(text, fails(text) or "", shortest=False)
