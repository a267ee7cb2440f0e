"""What each launch of a training step takes on the GPU, by task and number of seeds.

Every launch alone, repeated in a CUDA graph, on traces of full length: what a step spends between launches,
on drawing batches and in Adam is not here (`training_gpu` times whole steps). Medians, after warming up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from dfst.agents import expert
from dfst.bench.training import longest_traces
from dfst.bench.training_gpu import milliseconds
from dfst.bench.turns import Row
from dfst.kernels.gpu import Batches, Recurrence, upload
from dfst.learning.state import initial_state
from dfst.model.weights import Shape
from dfst.paper import BATCH, TASKS

REPEATS = 10


def row(task: str, seeds: int, launches: dict[str, float]) -> Row:
    """In milliseconds, each launch for all seeds."""
    return {"task": task, "seeds": seeds, **launches, "all": sum(launches.values())}


def measure(case: str) -> Row:
    """Time a case `task seeds`."""
    task, count = case.split()
    agent, seeds = expert(task), int(count)
    shape = Shape(len(agent.alphabet), 5, TASKS[task].hidden_size)
    traces = upload(longest_traces(agent, np.random.default_rng(0)), shape)
    recurrence = Recurrence(shape, traces, seeds, BATCH, torch.float32)
    plan = Batches(recurrence, 1)
    plan.chosen[0] = torch.arange(BATCH)
    plan.lay_out(1)
    theta = torch.from_numpy(initial_state(shape, list(range(seeds)), np.float32).theta).cuda()
    recurrence.run(theta, plan, 0)
    launches: dict[str, Callable[[], None]] = {
        "forward": lambda: recurrence.forward(theta, plan, 0),
        "read-out": lambda: recurrence.read_out(theta, plan, 0),
        "backward": lambda: recurrence.backward(theta, plan, 0),
        "products": lambda: recurrence.multiply(plan, 0),
        "sums": lambda: recurrence.add_up(plan, 0),
    }
    return row(task, seeds, {name: _alone(launch) for name, launch in launches.items()})


def _alone(launch: Callable[[], None]) -> float:
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(REPEATS):
            launch()
    return milliseconds(graph.replay, 1) / REPEATS
