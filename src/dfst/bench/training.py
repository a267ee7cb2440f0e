"""One training step (forward, backward, Adam) at the paper's four shapes: ours, a torch loop, torch's LSTM.

All three train on the same 32 traces of an expert at the longest inputs of the paper's training sets, in
float32 on the same number of threads, and take turns, so that whatever else the machine does hits them alike.
The least time counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from dfst.agents import Agent, expert
from dfst.bench.turns import Row
from dfst.experiments.rivals.network import Actions, action_loss, padded
from dfst.experiments.rivals.recurrent import LSTM
from dfst.learning.engine_cpu import CpuEngine
from dfst.learning.recipe import Recipe
from dfst.learning.state import initial_state
from dfst.model.dfst import DFST
from dfst.model.weights import Shape
from dfst.paper import BATCH, TASKS
from dfst.traces.traceset import TraceSet, gather
from dfst.world.grid import MOTIONS

Batch = tuple[Tensor, Tensor, Tensor, Tensor]
Loss = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
BARS = {"add2": (15, 2), "add10": (15, 2), "mult2": (15, 2), "mult10": (15, 1)}
"""How many times faster than the loop and than the LSTM a step must be."""
RATE = 1e-5
"""Small enough that the models stay where they are: the time of a step must not depend on what was learnt."""


def row(task: str, steps: int, ours: float, loop: float, lstm: float) -> Row:
    """One shape, in milliseconds a step. steps: of the longest trace"""
    bar, lstm_bar = BARS[task]
    return {
        "task": task,
        "d": TASKS[task].hidden_size,
        "steps": steps,
        "ours": ours,
        "torch loop": loop,
        "torch LSTM": lstm,
        "over loop": loop / ours,
        "bar": bar,
        "over LSTM": lstm / ours,
        "LSTM bar": lstm_bar,
        "passes": loop / ours >= bar and lstm / ours >= lstm_bar,
    }


def longest_traces(agent: Agent, rng: np.random.Generator) -> TraceSet:
    """A batch of the agent's traces on operands of full length."""
    task = agent.task
    assert task is not None
    lengths = (TASKS[agent.name].max_digits,) * 2
    traces = [agent.trace(task.write(task.random_operands(rng, lengths))) for _ in range(BATCH)]
    return gather(traces, agent.name, agent.alphabet)


def as_batch(traces: TraceSet, device: str = "cpu") -> Batch:
    """x, s, m (b, T) and lengths (b,) of all traces."""
    return padded(traces, device).batch(np.arange(len(traces)))


def lstm_loss(shape: Shape) -> tuple[nn.Module, Loss]:
    """torch.nn.LSTM as wide as the DFST with one linear read-out, and its loss."""
    network = LSTM(Actions(shape.symbols, MOTIONS[: shape.motions]), shape.d)
    return network, lambda x, s, m, lengths: action_loss(network(x)[0], s, m, lengths, shape.symbols)


def dfst_loss(shape: Shape) -> tuple[nn.Module, Loss]:
    """The DFST as a loop in torch, and its loss."""
    model = DFST(shape)
    return model, model.loss


def torch_step(model: nn.Module, loss: Loss, data: Batch) -> Callable[[], None]:
    """A training step of a module with a loss."""
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)

    def step() -> None:
        optimiser.zero_grad()
        loss(*data).backward()
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


def measure(task: str, threads: int = 2, repeats: int = 5) -> Row:
    """Time a step at one of the paper's shapes."""
    agent = expert(task)
    shape = Shape(len(agent.alphabet), 5, TASKS[task].hidden_size)
    traces = longest_traces(agent, np.random.default_rng(0))
    count = max(1, 2_000_000 // (shape.d * traces.tokens))
    data = as_batch(traces)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = our_steps(shape, traces, threads, count)
        loop, other = torch_step(*dfst_loss(shape), data), torch_step(*lstm_loss(shape), data)
        for work in (ours, loop, other):
            work()
        turns = [
            (seconds(ours) / count, seconds(loop), min(seconds(other) for _ in range(3)))
            for _ in range(repeats)
        ]
    finally:
        torch.set_num_threads(before)
    our, loops, lstms = (1e3 * min(times) for times in zip(*turns, strict=True))
    return row(task, int(traces.lengths.max()), our, loops, lstms)
