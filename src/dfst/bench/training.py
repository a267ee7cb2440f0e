"""One training step (forward, backward, Adam) at the paper's four shapes: ours, a torch loop, torch's LSTM.

All three train on the same 32 traces of an expert at the longest inputs of the paper's training sets, in
float32 on the same number of threads, and take turns, so that whatever else the machine does hits them alike.
The least time counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from dfst.agents import Agent, expert
from dfst.learning.engine_cpu import CpuEngine
from dfst.learning.recipe import PAPER_D, Recipe
from dfst.learning.state import initial_state
from dfst.model.dfst import DFST
from dfst.model.weights import Shape
from dfst.traces.traceset import TraceSet, gather

BATCH = 32
DIGITS = {"add2": 3, "add10": 3, "mult2": 5, "mult10": 5}
"""Digits of the longest operands in the paper's training sets."""
BARS = {"add2": (15, 2), "add10": (15, 2), "mult2": (15, 2), "mult10": (15, 1)}
"""How many times faster than the loop and than the LSTM a step must be."""
RATE = 1e-5
"""Small enough that the models stay where they are: the time of a step must not depend on what was learnt."""


@dataclass(frozen=True)
class TrainingSpeed:
    """One shape, in milliseconds a step."""

    task: str
    d: int
    steps: int
    """of the longest trace"""
    ours: float
    loop: float
    lstm: float

    @property
    def over_loop(self) -> float:
        return self.loop / self.ours

    @property
    def over_lstm(self) -> float:
        return self.lstm / self.ours

    @property
    def passes(self) -> bool:
        loop, lstm = BARS[self.task]
        return self.over_loop >= loop and self.over_lstm >= lstm

    def cells(self) -> dict[str, object]:
        loop, lstm = BARS[self.task]
        return {
            "task": self.task,
            "d": self.d,
            "steps": self.steps,
            "ours": self.ours,
            "torch loop": self.loop,
            "torch LSTM": self.lstm,
            "over loop": self.over_loop,
            "bar": loop,
            "over LSTM": self.over_lstm,
            "LSTM bar": lstm,
            "passes": self.passes,
        }


def longest_traces(agent: Agent, task: str, rng: np.random.Generator) -> TraceSet:
    """A batch of the agent's traces on operands of full length."""
    sign = "+" if task.startswith("add") else "×"
    radix = int(task.removeprefix("add").removeprefix("mult"))

    def operand() -> str:
        digits = rng.integers(0, radix, DIGITS[task])
        digits[0] = rng.integers(1, radix)
        return "".join(map(str, digits))

    traces = [agent.trace(operand() + sign + operand()) for _ in range(BATCH)]
    return gather(traces, agent.name, agent.alphabet)


def padded(traces: TraceSet) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """x, s, m (b, T) and lengths (b,) as torch likes them."""
    fields = np.zeros((3, len(traces), int(traces.lengths.max())), dtype=np.int64)
    for i in range(len(traces)):
        trace = traces[i]
        fields[:, i, : len(trace)] = trace.x, trace.s, trace.m
    x, s, m = torch.from_numpy(fields)
    return x, s, m, torch.from_numpy(traces.lengths)


class Recurrent(nn.Module):
    """torch.nn.LSTM as wide as the DFST, with one linear read-out of symbol and motion."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.symbols, self.motions = shape.symbols, shape.motions
        self.lstm = nn.LSTM(shape.symbols, shape.d, batch_first=True)
        self.read_out = nn.Linear(shape.d, shape.symbols + shape.motions)

    def loss(self, x: Tensor, s: Tensor, m: Tensor, lengths: Tensor) -> Tensor:
        hidden, _ = self.lstm(nn.functional.one_hot(x, self.symbols).float())
        target = torch.cat(
            [nn.functional.one_hot(s, self.symbols), nn.functional.one_hot(m, self.motions)], 2
        )
        away = (self.read_out(hidden) - target).square().sum(2)
        inside = torch.arange(x.shape[1]) < lengths[:, None]
        return ((away * inside).sum(1) / (2 * lengths)).mean()


def torch_step(model: DFST | Recurrent, data: tuple[Tensor, Tensor, Tensor, Tensor]) -> Callable[[], None]:
    """A training step of any module with a loss."""
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)

    def step() -> None:
        optimiser.zero_grad()
        model.loss(*data).backward()
        optimiser.step()

    return step


def our_steps(shape: Shape, traces: TraceSet, threads: int, count: int) -> Callable[[], None]:
    """`count` training steps of ours."""
    engine = CpuEngine(shape, traces, Recipe("bench", iterations=10**9, rate=RATE, batch=BATCH), threads)
    state = initial_state(shape, [0], np.float32)

    def steps() -> None:
        engine.advance(state, count)

    return steps


def seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(task: str, threads: int = 2, repeats: int = 5) -> TrainingSpeed:
    """Time a step at one of the paper's shapes."""
    agent = expert(task)
    shape = Shape(len(agent.alphabet), 5, PAPER_D[task])
    traces = longest_traces(agent, task, np.random.default_rng(0))
    count = max(1, 2_000_000 // (shape.d * traces.tokens))
    data = padded(traces)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = our_steps(shape, traces, threads, count)
        loop, lstm = torch_step(DFST(shape), data), torch_step(Recurrent(shape), data)
        for work in (ours, loop, lstm):
            work()
        turns = [
            (seconds(ours) / count, seconds(loop), min(seconds(lstm) for _ in range(3)))
            for _ in range(repeats)
        ]
    finally:
        torch.set_num_threads(before)
    our, loops, lstms = (1e3 * min(times) for times in zip(*turns, strict=True))
    return TrainingSpeed(task, shape.d, int(traces.lengths.max()), our, loops, lstms)
