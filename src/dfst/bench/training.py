"""One training step (forward, backward, Adam) at the paper's four shapes: ours, a torch loop, an LSTM.

All train on the same 32 traces of an expert at the longest inputs of the paper's training sets, in float32,
and take turns. On a CPU all use two threads. On a GPU the LSTM is cuDNN's, and ours is timed for several
seeds at once.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from dfst.bench.timing import Row, milliseconds, torch_threads
from dfst.counted import counted
from dfst.experiments.baselines.network import LSTM, Actions, action_loss, padded
from dfst.experts import expert
from dfst.machines import Agent
from dfst.model.dfst import DFST
from dfst.model.weights import Shape
from dfst.paper import BATCH, TASKS
from dfst.traces.traceset import TraceSet, gather
from dfst.train.engine_cpu import CpuEngine
from dfst.train.engines import make_engine
from dfst.train.recipe import Recipe
from dfst.train.state import initial_state
from dfst.world.grid import MOTIONS

Batch = tuple[Tensor, Tensor, Tensor, Tensor]
Loss = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
BARS = {"add2": (15, 2), "add10": (15, 2), "mult2": (15, 2), "mult10": (15, 1)}
"""How many times faster than the loop and than the LSTM a step must be."""
RATE = 1e-5  # so small that the weights stay where they are: a step's time must not depend on what was learnt
SEEDS = {"cpu": (1,), "cuda": (1, 4, 16)}


def row(task: str, steps: int, ours: dict[int, float], loop: float, lstm: float) -> Row:
    """In milliseconds a step; steps: of the longest trace; ours: by the number of seeds trained at once."""
    (bar, lstm_bar), over_loop, over_lstm = BARS[task], loop / ours[1], lstm / ours[1]
    return {
        "task": task,
        "d": TASKS[task].hidden_size,
        "steps": steps,
        **{counted(seeds, "seed"): ms for seeds, ms in ours.items()},
        "torch loop": loop,
        "torch LSTM": lstm,
        "over loop": over_loop,
        "bar": bar,
        "over LSTM": over_lstm,
        "LSTM bar": lstm_bar,
        "passes": over_loop >= bar and over_lstm >= lstm_bar,
    }


def longest_traces(agent: Agent, rng: np.random.Generator) -> TraceSet:
    """A batch of the agent's traces on operands of full length."""
    task = agent.task
    assert task is not None
    lengths = (TASKS[agent.name].max_digits,) * 2
    traces = [agent.trace(task.write(task.random_operands(rng, lengths))) for _ in range(BATCH)]
    return gather(traces, agent.name, agent.alphabet)


def torch_step(model: nn.Module, loss: Loss, data: Batch) -> Callable[[], None]:
    """A training step of a module with a loss."""
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)

    def step() -> None:
        optimiser.zero_grad()
        loss(*data).backward()
        optimiser.step()

    return step


def measure(task: str, device: str, threads: int = 2, repeats: int = 5) -> Row:
    """Time a step at one of the paper's shapes."""
    agent = expert(task)
    shape = Shape(len(agent.alphabet), 5, TASKS[task].hidden_size)
    traces = longest_traces(agent, np.random.default_rng(0))
    recipe = Recipe("bench", steps=10**9, learning_rate=RATE, batch_size=BATCH)
    data = padded(traces, device).batch(np.arange(len(traces)))
    count = max(1, 2_000_000 // (shape.d * traces.tokens))
    if device == "cuda":
        count = max(32, 3 * count // 16 * 16)

    def ours(seeds: int) -> Callable[[], object]:
        given = shape, traces, recipe
        engine = make_engine("cuda", *given) if device == "cuda" else CpuEngine(*given, threads)
        state = initial_state(shape, list(range(seeds)), np.float32)
        return lambda: engine.advance(state, count)

    dfst = DFST(shape).to(device)
    lstm = LSTM(Actions(shape.symbols, MOTIONS[: shape.motions]), shape.d).to(device)

    def lstm_loss(x: Tensor, s: Tensor, m: Tensor, lengths: Tensor) -> Tensor:
        return action_loss(lstm(x)[0], s, m, lengths, shape.symbols)

    plain = [(torch_step(dfst, dfst.loss, data), 1), (torch_step(lstm, lstm_loss, data), 3)]
    with torch_threads(threads):
        found = milliseconds([*((ours(n), 1) for n in SEEDS[device]), *plain], repeats, device)
    times = {seeds: ms / count for seeds, ms in zip(SEEDS[device], found, strict=False)}
    return row(task, int(traces.lengths.max()), times, *found[-2:])


on_cpu, on_cuda = partial(measure, device="cpu"), partial(measure, device="cuda")
