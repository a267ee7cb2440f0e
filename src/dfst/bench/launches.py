"""A training step on the GPU by task and number of seeds, and what each of its launches takes.

On the training sets of the paper and of two tasks of the board, whose traces are shorter than the longest
most of the time (`training_gpu` takes traces of full length). The step is the engine's; each launch is timed
alone, repeated in a CUDA graph, on one batch a seed, the longest traces first, as the engine has it. Medians,
after warming up. Settling is that of the preset `descent`; the recipes timed here have none, so it is no part
of the step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from dfst.agents import expert
from dfst.bench.training_gpu import milliseconds, our_step
from dfst.bench.turns import Row
from dfst.kernels.gpu import Batches, Recurrence, upload
from dfst.kernels.gpu_settling import Settling
from dfst.learning.plan import make_plan
from dfst.learning.recipe import find_recipe
from dfst.learning.state import initial_state
from dfst.model.weights import Shape
from dfst.paper import BATCH, TASKS
from dfst.traces.traceset import TraceSet

REPEATS = 10
BARS = {("mult10", 4): 0.5, ("mult10", 16): 1.6, ("mult2", 16): 0.2}
"""ms a step, at most, on one H200."""


def row(task: str, seeds: int, step: float, launches: dict[str, float | None]) -> Row:
    """In milliseconds, for all seeds."""
    bar = BARS.get((task, seeds))
    return {
        "task": task,
        "seeds": seeds,
        "step": step,
        "bar": bar,
        **launches,
        "passes": bar is None or step <= bar,
    }


def measure(case: str) -> Row:
    """Time a case `task seeds`."""
    task, count = case.split()
    seeds, training = int(count), make_plan(expert(task), "paper" if task in TASKS else "quick")
    traces = training.traces()
    shape = training.shape(traces)
    steps = max(32, 6_400_000 // (shape.d * BATCH * int(traces.lengths.mean())) // 16 * 16)
    recurrence = Recurrence(shape, upload(traces, shape), seeds, BATCH, torch.float32)
    plan = Batches(recurrence, 1)
    plan.chosen[0] = torch.from_numpy(batches(traces, seeds))
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
    alone: dict[str, float | None] = {name: _alone(launch) for name, launch in launches.items()}
    alone["settling"] = _settling(task, shape, theta)
    return row(task, seeds, our_step(shape, traces, seeds, steps), alone)


def batches(traces: TraceSet, seeds: int) -> np.ndarray:
    """(seeds, BATCH) random traces, the longest first."""
    drawn = np.random.default_rng(0).integers(0, len(traces), (seeds, BATCH))
    order = np.argsort(-traces.lengths[drawn], axis=1, kind="stable")
    return np.take_along_axis(drawn, order, axis=1)


def _settling(task: str, shape: Shape, theta: torch.Tensor) -> float | None:
    """None where the preset has no settling."""
    recipe, seeds = find_recipe("descent", task), len(theta)
    if not recipe.settle:
        return None
    settling = Settling(
        shape, seeds, recipe.settle_by, recipe.settle_over, recipe.settle_on == "growth", theta
    )
    walks = torch.arange(shape.symbols, dtype=torch.int32, device=theta.device)
    walks = walks.repeat(recipe.settle_over, seeds, 1)
    weight = torch.full((seeds,), recipe.settle, device=theta.device)
    return _alone(lambda: settling.run(theta, walks, weight))


def _alone(launch: Callable[[], None]) -> float:
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(REPEATS):
            launch()
    return milliseconds(graph.replay, 1) / REPEATS
