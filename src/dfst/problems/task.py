"""A task with an expert: inputs are drawn by their size, and Python knows every answer.

PLG at m    5 random inputs of exactly m digits and 5 of at most m digits, all right
RLG at m    PLG at m, and every input made of one repeated digit at m digits, all right

Carry chains, leading zeros, lopsided lengths and the like are asked as well, and reported apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.paper import TASKS
from dfst.problems.problem import (
    Case,
    Examples,
    Problem,
    TestSet,
    TrainingData,
    TrainingSet,
    about,
    chosen_examples,
    way_on,
)
from dfst.proof.inputs import TaskInputs
from dfst.tasks.numbers import NumberTask
from dfst.tasks.task import Task
from dfst.traces.connected import pairs_shown
from dfst.traces.sample import (
    MOST_STEPS,
    NUMBER_SAMPLING,
    PAPER_SAMPLING,
    PLANE_SAMPLING,
    WORD_SAMPLING,
    Sampling,
    candidate_inputs,
    record_all,
    sample_traces,
)
from dfst.traces.teaching_set import CANDIDATES, topped_up
from dfst.traces.traceset import TraceSet
from dfst.world.grid import Limits
from dfst.world.run import Run

RANDOM_INPUTS = 5  # how many random inputs of each kind PLG takes
MOST_CANDIDATES = 64_000
NOTICED = 0.01  # the share of pairs that twice as many candidates must add
OTHER_SIZES = (100,)  # of the final evaluation of tasks that the paper does not have


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskProblem(Problem):
    """A task, worked by an agent."""

    sampling: Sampling | None  # what is drawn; None where the inputs are given
    given: tuple[str, ...] = ()
    told_apart: int | None = 0
    """How often a draw is topped up to tell everything apart; None as often as usual, 0 leaves it as drawn.
    The fewest examples tell everything apart so often, or once"""
    examples: Examples | None = None
    """So many examples are chosen in place of a draw"""

    @property
    def of_task(self) -> Task:
        assert self.task is not None
        return self.task

    @property
    def data_seed(self) -> int | None:
        return self.sampling.data_seed if self.sampling else None

    @property
    def trained_size(self) -> int | None:
        return self.sampling.max_digits if self.sampling else None

    @property
    def way_on(self) -> str | None:
        return way_on(self.examples, self.told_apart or 1)

    @property
    def inputs(self) -> TaskInputs:
        return TaskInputs(self.of_task)

    def training_set(self) -> TrainingSet:
        return self._training_set

    @cached_property
    def _training_set(self) -> TrainingSet:
        if self.sampling is None:
            given = record_all(self.agent, list(self.given), most_steps=MOST_STEPS)
            return TrainingSet(given, self.chosen or "given")
        if self.examples is not None:
            return chosen_examples(self.agent, self.candidates(), self.examples, self.told_apart or 1)
        drawn = sample_traces(self.agent, self.sampling)
        if self.told_apart == 0:
            return TrainingSet(drawn, "drawn by the sampler of the paper")
        return TrainingSet(*topped_up(self.agent, drawn, self.candidates(), self.told_apart))

    def candidates(self) -> TraceSet:
        return self._candidates

    @cached_property
    def _candidates(self) -> TraceSet:
        """No longer than the usual inputs, every short one among them. Where examples are chosen from nothing
        else, their number is doubled as long as that shows a good many more symbols after rules."""
        found, number = self._tried(CANDIDATES), CANDIDATES
        while self.examples is not None and number < MOST_CANDIDATES:
            more, number = self._tried(2 * number), 2 * number
            if pairs_shown(self.agent, more) < (1 + NOTICED) * pairs_shown(self.agent, found):
                break
            found = more
        return found

    def _tried(self, number: int) -> TraceSet:
        usual, task = self.sampling or usual_sampling(self.agent), self.of_task
        inputs = candidate_inputs(task, usual, number)
        return record_all(self.agent, inputs, Limits(steps=usual.steps), MOST_STEPS)

    def tests(self, sizes: Sequence[int], seed: int, *, hard: bool = True) -> list[TestSet]:
        if seed < 0:
            raise InputError(f"the seed must not be negative, found {seed}")
        self.check_sizes(sizes)
        return [self._test(size, seed, hard) for size in sizes or self.sizes]

    def _test(self, size: int, seed: int, hard: bool) -> TestSet:
        task = self.of_task
        symbols = task.radix if isinstance(task, NumberTask) else len(task.alphabet)
        rng = np.random.default_rng([seed, size, symbols, task.operand_count])
        found = []
        for _ in range(RANDOM_INPUTS):
            operands = task.random_operands(rng, (size,) * task.operand_count)
            found.append(Case(f"exactly m {task.unit}", task.write(operands), "random"))
        for _ in range(RANDOM_INPUTS):
            lengths = tuple(int(n) for n in rng.integers(1, size + 1, size=task.operand_count))
            operands = task.random_operands(rng, lengths)
            found.append(Case(f"at most m {task.unit}", task.write(operands), "random"))
        what = "repeated digits" if task.unit == "digits" else "repeated symbols"
        found += [Case(what, task.write(operands), "repeated") for operands in task.repeated(size)]
        if hard:
            found += [Case(kind, task.write(o), "hard") for kind, o in task.hard(size).items()]
        return TestSet(size, tuple(found))

    def hidden_size(self, fewest: int | None) -> int:
        """Where nobody has counted the states that explain the training set, those of the agent stand in."""
        return super().hidden_size(fewest or len(self.agent.states)) or 1

    def solution(self, text: str) -> str:
        return self.of_task.solve(self.of_task.parse(text))

    def wrong(self, case: Case, run: Run, limits: Limits) -> str | None:
        if run.difference is None and not run.halted:
            return f"ended after {counted(run.steps, 'step')} without a halt"
        if run.difference is None and run.answer != self.solution(case.input):
            return "halted with a wrong answer"
        return super().wrong(case, run, limits)

    def with_settings(self, **settings: Any) -> TaskProblem:
        return replace(task_problem(self.agent, **settings), origin=self.origin)

    def with_examples(self, added: Sequence[str]) -> TaskProblem:
        found = self.training_set()
        given = (*found.traces.inputs, *added)
        return replace(self, sampling=None, examples=None, given=given, chosen=found.chosen)

    def as_json(self) -> dict[str, Any]:
        sampling = asdict(self.sampling) if self.sampling else None
        about = {"kind": "task", "name": self.name, "origin": self.origin}
        chosen = {"told_apart": self.told_apart, "examples": self.examples}
        return {**about, "sampling": sampling, "inputs": list(self.given), "chosen": self.chosen, **chosen}


def task_problem(agent: Agent, **settings: Any) -> TaskProblem:
    """The problem of an agent with a task. settings: `TrainingData`"""
    data = TrainingData(**settings)
    if data.language is not None:
        raise InputError(f"{agent.name} is a task and knows its inputs; leave out --language")
    told_apart = data.told_apart
    if told_apart is None and (agent.name in TASKS or data.samples or data.max_digits):
        told_apart = 0  # the paper's sets stay as it draws them, and so does what is drawn by hand
    drawing = {name: getattr(data, name) for name in ("samples", "max_digits", "data_seed")}
    changed: dict[str, Any] = {name: value for name, value in drawing.items() if value is not None}
    task, paper = agent.task, TASKS.get(agent.name)
    assert task is not None
    return TaskProblem(
        **about(agent), reference=agent, unit=task.unit, example=task.example,
        sizes=(paper.tested_digits,) if paper else OTHER_SIZES,
        known_size=paper.hidden_size if paper else None,
        sampling=None if data.inputs else replace(usual_sampling(agent), **changed),
        given=data.inputs, told_apart=told_apart, examples=data.examples,
    )  # fmt: skip


def usual_sampling(agent: Agent) -> Sampling:
    """The paper's set for its four tasks; for others every short input and some longer ones."""
    task = agent.task
    assert task is not None
    known = PAPER_SAMPLING | WORD_SAMPLING | NUMBER_SAMPLING | PLANE_SAMPLING
    if task.name in known:
        return known[task.name]
    p, longest = (1, 3) if isinstance(task, NumberTask) else (2, 8)
    short = 2 * task.radix**task.operand_count if isinstance(task, NumberTask) else len(list(task.up_to(p)))
    wanted = short + max(100, 2 * agent.rule_count)
    return Sampling(p, longest, min(task.count_up_to(longest, wanted), wanted))
