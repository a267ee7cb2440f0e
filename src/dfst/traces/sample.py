"""The paper's training sets: the sampler DS(R, task, p, q, N), and the sets that follow its plan.

DS takes every pair of numbers with at most p digits (that is R²(R^p - 1)²/(R - 1)² of them, leading zeros
included, since a number here is a digit string), then the R² pairs of q-digit numbers made of one repeated
digit, and then, if N asks for more, random pairs of up to q digits, all different, until there are N.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from dfst.agents.agent import Agent
from dfst.agents.compiled import record
from dfst.agents.task import Task
from dfst.errors import DfstError, InputError
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import MOTION_NAMES, MOTIONS, Limits, N
from dfst.world.trace import Trace


@dataclass(frozen=True)
class Sampling:
    """What to draw: DS(R, task, p, q, N), R and the task given by the agent."""

    p: int
    """Every operand with at most p digits is there."""
    q: int
    """The longest operand has q digits."""
    n: int
    """How many inputs in all."""
    data_seed: int = 0
    """Draws the random inputs."""

    def __post_init__(self) -> None:
        if not 1 <= self.p <= self.q:
            raise InputError(f"sampling takes 1 ≤ p ≤ q, found p={self.p}, q={self.q}")
        if self.n < 1 or self.data_seed < 0:
            raise InputError(
                f"sampling takes n ≥ 1 and data-seed ≥ 0, found n={self.n}, data-seed={self.data_seed}"
            )


PAPER_SAMPLING = {
    "add2": Sampling(p=1, q=3, n=20, data_seed=1970),
    "add10": Sampling(p=1, q=3, n=225, data_seed=4530),
    "mult2": Sampling(p=1, q=5, n=750, data_seed=21),
    "mult10": Sampling(p=1, q=5, n=10_000),
}
"""The sets of the paper, each with a data seed that shows every rule of our expert."""


def operands_up_to(task: Task, p: int) -> list[str]:
    """Every digit string of length 1 to p."""
    return ["".join(s) for length in range(1, p + 1) for s in product(task.digits, repeat=length)]


def count_exhaustive(task: Task, p: int) -> int:
    """How many inputs DS takes in its first stage."""
    return (task.radix * (task.radix**p - 1) // (task.radix - 1)) ** task.operand_count


def sample_inputs(task: Task, sampling: Sampling) -> list[tuple[str, ...]]:
    """The operands of every input, in the order DS draws them."""
    arity = task.operand_count
    chosen = dict.fromkeys(product(operands_up_to(task, sampling.p), repeat=arity))
    repeated = [digit * sampling.q for digit in task.digits]
    chosen.update(dict.fromkeys(product(repeated, repeat=arity)))
    possible = count_exhaustive(task, sampling.q)
    if sampling.n > possible:
        raise InputError(
            f"{task.name} has {possible:,} different inputs of up to {sampling.q} digits, "
            f"found n={sampling.n:,}; ask for fewer or raise q"
        )
    if sampling.n < len(chosen):
        raise InputError(
            f"DS for {task.name} with p={sampling.p}, q={sampling.q} starts from {len(chosen)} inputs, "
            f"found n={sampling.n}; ask for at least that many"
        )
    for operands in _random_inputs(task, sampling):
        if len(chosen) >= sampling.n:
            break
        chosen.setdefault(operands)
    return list(chosen)


def _random_inputs(task: Task, sampling: Sampling) -> Iterator[tuple[str, ...]]:
    """An endless stream: each operand's length uniform in 1 … q, then its digits uniform."""
    rng = np.random.default_rng(sampling.data_seed)
    digits = np.array(task.digits)
    while True:
        lengths = rng.integers(1, sampling.q + 1, size=task.operand_count)
        yield tuple("".join(digits[rng.integers(0, task.radix, size=n)]) for n in lengths)


def sample_traces(agent: Agent, sampling: Sampling, limits: Limits = Limits()) -> TraceSet:
    """DS: the traces of the agent on the sampled inputs."""
    if agent.task is None:
        raise InputError(f"{agent.name} has no task to draw inputs from; give the inputs instead")
    task = agent.task
    inputs = [task.write(operands) for operands in sample_inputs(task, sampling)]
    return record_all(agent, inputs, limits)


def record_all(agent: Agent, inputs: list[str], limits: Limits = Limits()) -> TraceSet:
    """The traces of an agent on the given inputs."""
    return gather_traces(agent, [record(agent, text, limits) for text in inputs])


def draw_inputs(
    agent: Agent, rng: np.random.Generator, count: int, longest: int, limits: Limits
) -> list[str]:
    """Different random inputs for an agent without a task, on which it halts; the shortest first.

    Symbols are drawn from its alphabet without the blank; the empty input is always tried.
    """
    symbols = [s for i, s in enumerate(agent.alphabet) if i != agent.blank]
    gap = " " if any(len(s) > 1 for s in symbols) else ""
    tried: set[str] = set()
    found: list[str] = []
    for _ in range(20 * count):
        length = int(rng.integers(0, longest + 1)) if tried else 0
        text = gap.join(symbols[i] for i in rng.integers(0, len(symbols), size=length)) if symbols else ""
        if text in tried:
            continue
        tried.add(text)
        try:
            if agent.run(text, limits).halted:
                found.append(text)
        except DfstError:
            continue
        if len(found) == count:
            break
    return sorted(found, key=lambda text: (len(text), text))


def gather_traces(agent: Agent, traces: list[Trace]) -> TraceSet:
    motions = MOTION_NAMES if any((trace.m == N).any() for trace in traces) else MOTIONS
    return gather(traces, agent.name, agent.alphabet, motions)
