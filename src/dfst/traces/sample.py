"""The paper's training sets: the sampler DS(R, task, p, q, N), and the sets that follow its plan.

DS takes every pair of numbers with at most p digits (that is R²(R^p - 1)²/(R - 1)² of them, leading zeros
included, since a number here is a digit string), then the R² pairs of q-digit numbers made of one repeated
digit, and then, if N asks for more, random pairs of up to q digits, all different, until there are N.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from dfst.counted import counted
from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.compiled import record
from dfst.paper import TASKS
from dfst.tasks.task import Task
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import Limits
from dfst.world.trace import Trace


@dataclass(frozen=True)
class Sampling:
    """What to draw: DS(R, task, p, q, N), R and the task given by the agent."""

    p: int  # every operand with at most p digits is there
    max_digits: int  # q: digits of the longest operand
    samples: int  # N: how many inputs in all
    data_seed: int = 0  # draws the random inputs
    steps: int = Limits.steps  # where the working of an example is cut off

    def __post_init__(self) -> None:
        if self.p < 1 or self.max_digits < self.p:
            raise InputError(f"max-digits must be at least p={self.p}, found {self.max_digits}")
        if self.samples < 1:
            raise InputError(f"samples must be at least 1, found {self.samples}")
        if self.data_seed < 0:
            raise InputError(f"data-seed must not be negative, found {self.data_seed}")


PAPER_SAMPLING = {name: Sampling(row.p, row.max_digits, row.samples) for name, row in TASKS.items()}
MOST_SYMBOLS = 10_000_000
MOST_STEPS = 20_000_000
"""Largest training set, in symbols of its inputs and in steps of its traces: some hundred megabytes."""
MOST_MISSED = 20_000  # draws in a row that bring nothing new before it is held that there is no more


WORD_SAMPLING = {
    **dict.fromkeys(("parity", "even_pairs", "cycle", "divisible3"), Sampling(3, 12, 60)),
    "modular": Sampling(3, 40, 1_000),
    **dict.fromkeys(("s3", "d4"), Sampling(4, 16, 100)),
    "a5": Sampling(5, 30, 400),
    "s5": Sampling(5, 40, 1_000),
    "reverse": Sampling(2, 7, 300),
    "duplicate": Sampling(2, 6, 150),
    "odds_first": Sampling(2, 7, 300),
    "missing_duplicate": Sampling(4, 10, 150),
    "stack": Sampling(4, 10, 250),
    "modular_brackets": Sampling(3, 39, 1_000),
    "solve": Sampling(3, 39, 1_000),
    "sort": Sampling(2, 7, 500),
}
"""Small sets that show every rule, of inputs no longer than 40 symbols."""
NUMBER_SAMPLING = {
    **{f"{family}2": Sampling(4, 4, 900) for family in ("div", "mod", "gcd")},
    "sum2": Sampling(1, 4, 250),
    **{f"{family}10": Sampling(1, 4, 1_000) for family in ("div", "mod", "gcd")},
    "sum10": Sampling(1, 3, 400),
    "sqrt2": Sampling(4, 4, 30),
    "sqrt10": Sampling(2, 4, 1_000),
}
"""The same for numbers, of at most four digits."""

PLANE_SAMPLING = {
    "maze": Sampling(2, 4, 600),
    "flood": Sampling(2, 4, 200),
    "life": Sampling(2, 5, 600),
    "hanoi": Sampling(6, 6, 6),
    "longmult2": Sampling(2, 4, 100),
    "longmult10": Sampling(1, 4, 3_000),
    "sudoku": Sampling(2, 7, 1_600, steps=250),
}
"""The same for boards, of at most six rows and columns, or numbers of four digits."""


def check_size(samples: int, longest: int) -> None:
    """Refuse to draw more, or longer, inputs than a training set can hold."""
    if samples * longest > MOST_SYMBOLS:
        raise InputError(
            f"{counted(samples, 'sample')} of up to {counted(longest, 'symbol')} "
            f"{'is' if samples == 1 else 'are'} more than a training set can hold; "
            "ask for fewer samples or a smaller max_digits"
        )


def sample_inputs(task: Task, sampling: Sampling) -> list[tuple[str, ...]]:
    """The operands of every input, in the order DS draws them."""
    arity, longest, samples = task.operand_count, sampling.max_digits, sampling.samples
    check_size(max(samples, len(task.alphabet) ** arity), arity * longest)
    chosen = dict.fromkeys(task.up_to(sampling.p))
    chosen.update(dict.fromkeys(task.always(longest)))
    possible = task.count_up_to(longest, samples)
    if samples > possible:
        raise InputError(
            f"{task.name} has {possible:,} different inputs of up to {counted(longest, task.unit)}, "
            f"found {samples:,} samples; ask for fewer or raise max_digits"
        )
    if samples < len(chosen):
        raise InputError(
            f"the training set of {task.name} with p={sampling.p} and inputs of up to "
            f"{counted(longest, task.unit)} starts from {counted(len(chosen), 'input')}, "
            f"found {counted(samples, 'sample')}; ask for at least that many"
        )
    missed = 0
    for operands in _random_inputs(task, sampling):
        if len(chosen) >= samples:
            break
        missed = missed + 1 if operands in chosen else 0
        if missed == MOST_MISSED:  # not all inputs that are meant are drawn
            raise InputError(
                f"only {counted(len(chosen), 'different input')} of {task.name} could be drawn, "
                f"found {samples:,} samples; ask for fewer or raise max_digits"
            )
        chosen.setdefault(operands)
    return list(chosen)


def candidate_inputs(task: Task, usual: Sampling, number: int) -> list[str]:
    """About so many inputs that could be drawn, every short one among them; all where there are no more."""
    if task.count_up_to(usual.max_digits, number) < number:
        found = list(task.up_to(usual.max_digits))
    else:
        drawn = islice(_random_inputs(task, usual), number)
        found = [*task.up_to(usual.p), *task.always(usual.max_digits), *drawn]
    return [task.write(operands) for operands in dict.fromkeys(found)]


def _random_inputs(task: Task, sampling: Sampling) -> Iterator[tuple[str, ...]]:
    """An endless stream: each operand's length uniform in 1 … q, then its digits uniform."""
    rng = np.random.default_rng(sampling.data_seed)
    while True:
        lengths = task.sampled_lengths(rng, sampling.max_digits)
        yield tuple(task.sampled_operand(rng, n) for n in lengths)


def sample_traces(agent: Agent, sampling: Sampling, limits: Limits = Limits()) -> TraceSet:
    """DS: the traces of the agent on the sampled inputs."""
    if agent.task is None:
        raise InputError(f"{agent.name} has no task to draw inputs from; give the inputs instead")
    task = agent.task
    inputs = [task.write(operands) for operands in sample_inputs(task, sampling)]
    limits = replace(limits, steps=min(limits.steps, sampling.steps))
    return record_all(agent, inputs, limits, MOST_STEPS)


def record_all(
    agent: Agent, inputs: list[str], limits: Limits = Limits(), most_steps: int = Limits.steps
) -> TraceSet:
    """The traces of an agent on the given inputs; refused where they take too many steps in all."""
    traces: list[Trace] = []
    left = most_steps
    for text in inputs:
        trace = record(agent, text, replace(limits, steps=min(limits.steps, left + 1)))
        left -= len(trace)
        if left < 0:
            raise InputError(
                f"the traces of {agent.name} on {counted(len(inputs), 'input')} of up to "
                f"{counted(max(map(len, inputs)), 'symbol')} take more than {most_steps:,} steps; "
                "ask for fewer or shorter inputs"
            )
        traces.append(trace)
    return gather(traces, agent.name, agent.alphabet)
