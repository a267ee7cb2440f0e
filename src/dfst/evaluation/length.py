"""Length generalisation: is the model right, action by action, at a given number of digits?

Every answer is checked against Python's integers, and every run is compared with the expert's, action by
action; a right answer found in another way than the expert's does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Protocol

from dfst.agents.agent import Agent
from dfst.agents.task import Task
from dfst.counted import counted
from dfst.errors import InputError
from dfst.evaluation.cases import RANDOM_INPUTS, Case, hard_cases, random_cases, repeated_cases
from dfst.world.grid import Limits
from dfst.world.run import Run

PLG_CASES = 2 * RANDOM_INPUTS


class Subject(Protocol):
    """What is evaluated: anything that can run many inputs while being compared with an expert."""

    def run_each(
        self, texts: Sequence[str], limits: Limits = ..., against: Agent | None = None
    ) -> Iterator[Run]: ...


@dataclass(frozen=True)
class Failure:
    """One input that went wrong, and how."""

    kind: str
    input: str
    reason: str
    step: int

    def as_json(self) -> dict[str, object]:
        """A long input is cut in its middle."""
        shown = self.input if len(self.input) <= 200 else f"{self.input[:100]}…{self.input[-100:]}"
        return {**asdict(self), "input": shown}


@dataclass(frozen=True)
class LengthReport:
    """The outcome at one number of digits."""

    subject: str
    digits: int
    plg: bool
    """Right on the random inputs."""
    rlg: bool
    """Right on the random inputs and on all repeated digits."""
    inputs: int
    """How many were asked, the hard cases included."""
    steps: int
    """Actions compared with the expert's."""
    seconds: float
    margin: float
    """The smallest lead of a decision over its runner-up, over all runs; infinite before the first step."""
    failures: list[Failure] = field(default_factory=list)
    hard_failures: int = 0
    """Failures among the hard cases, which PLG and RLG do not count."""

    @property
    def right(self) -> bool:
        """On every input, the hard cases included."""
        return self.rlg and not self.hard_failures

    def as_json(self) -> dict[str, object]:
        record = asdict(self)
        record["seconds"] = round(self.seconds, 3)
        record["margin"] = self.margin if isfinite(self.margin) else None
        record["failures"] = [failure.as_json() for failure in self.failures]
        return record


def failure_of(case: Case, task: Task, run: Run) -> Failure | None:
    """What is wrong with a run, if anything."""
    text = task.write(case.operands)
    if run.difference is not None:
        return Failure(case.kind, text, f"differs from the expert at {run.difference}", run.difference.step)
    if not run.halted:
        return Failure(case.kind, text, f"ended after {counted(run.steps, 'step')} without a halt", run.steps)
    if run.answer != task.solve(case.operands):
        return Failure(case.kind, text, "halted with a wrong answer", run.steps)
    return None


def task_with_digits(agent: Agent) -> Task:
    """The task whose inputs are measured by their digits; bad input where there is none."""
    if agent.task is None:
        raise InputError(f"{agent.name} has no task with digits; PLG and RLG are not defined for it")
    return agent.task


def evaluate(
    subject: Subject,
    name: str,
    expert: Agent,
    digits: int,
    seed: int = 0,
    hard: bool = True,
    stop_early: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> LengthReport:
    """PLG and RLG at `digits`. With `stop_early`, the first failure in the order of the cases ends it.

    Otherwise the longest inputs come first, so that no core is left with a long one when the others are done.
    """
    task = task_with_digits(expert)
    began = time.perf_counter()
    cases = random_cases(task, digits, seed) + repeated_cases(task, digits)
    asked = len(cases)
    cases += hard_cases(task, digits) if hard else []
    texts = [task.write(case.operands) for case in cases]
    order = range(len(cases)) if stop_early else sorted(range(len(cases)), key=lambda i: -len(texts[i]))
    steps, margin, done = 0, float("inf"), 0
    failed: dict[int, Failure] = {}
    for i, run in zip(order, subject.run_each([texts[i] for i in order], Limits(), expert), strict=True):
        steps += run.steps
        margin = min(margin, float("inf") if run.margin is None else run.margin)
        failure = failure_of(cases[i], task, run)
        if failure:
            failed[i] = failure
        done += 1
        if progress:
            progress(done, len(cases))
        if failure and stop_early:
            break
    return LengthReport(
        name,
        digits,
        plg=all(i >= PLG_CASES for i in failed),
        rlg=all(i >= asked for i in failed),
        inputs=done,
        steps=steps,
        seconds=time.perf_counter() - began,
        margin=margin,
        failures=[failed[i] for i in sorted(failed)],
        hard_failures=sum(i >= asked for i in failed),
    )


def evaluate_on(subject: Subject, name: str, agent: Agent, inputs: Sequence[str]) -> LengthReport:
    """Compare a subject with an agent without a task, action by action, on the inputs given."""
    began = time.perf_counter()
    runs = list(subject.run_each(list(inputs), Limits(), agent))
    failures = [
        Failure("given input", text, f"differs from the expert at {run.difference}", run.difference.step)
        for text, run in zip(inputs, runs, strict=True)
        if run.difference is not None
    ]
    return LengthReport(
        name,
        digits=max((len(text) for text in inputs), default=0),
        plg=not failures,
        rlg=not failures,
        inputs=len(inputs),
        steps=sum(run.steps for run in runs),
        seconds=time.perf_counter() - began,
        margin=min((run.margin for run in runs if run.margin is not None), default=float("inf")),
        failures=failures,
    )
