"""Many closed loops at once on the GPU, each held against the expert, beside one of them on a core.

The models are those of `rollouts`, each in a basis of its own; both sides compute every step.
"""

from __future__ import annotations

import time

import numpy as np

from dfst.agents import expert
from dfst.bench.rollouts import DIGITS, turned
from dfst.bench.turns import Row
from dfst.kernels.gpu_rollout import GpuRollouts
from dfst.model.compile import compile_agent
from dfst.paper import TASKS
from dfst.rollout.compiled import Rollout
from dfst.world.grid import Limits

MODELS, INPUTS = 16, 25
STEPS = {"add2": 400_000, "add10": 400_000, "mult2": 400_000, "mult10": 50_000}
"""Of each run, at most."""


def row(task: str, together: float, single: float, core: float) -> Row:
    """In steps a second: all rollouts on the GPU, the longest of them, one rollout on a core."""
    return {
        "task": task,
        "d": TASKS[task].hidden_size,
        "rollouts": MODELS * INPUTS,
        "GPU": round(together),
        "each": round(single),
        "a core": round(core),
        "over a core": together / core,
    }


def measure(task: str) -> Row:
    """Time the rollouts of one task."""
    agent, limits = expert(task), Limits(steps=STEPS[task])
    assert agent.task is not None
    exact = compile_agent(agent, d=TASKS[task].hidden_size)
    models = [turned(exact, np.random.default_rng(seed)) for seed in range(MODELS)]
    rng = np.random.default_rng(0)
    lengths = (DIGITS[task],) * 2
    texts = [agent.task.write(agent.task.random_operands(rng, lengths)) for _ in range(INPUTS)]
    rollouts = GpuRollouts(models)
    rollouts.run(texts, agent, Limits(steps=1000))
    began = time.perf_counter()
    steps = [run.steps for runs in rollouts.run(texts, agent, limits) for run in runs]
    seconds = time.perf_counter() - began
    one = Rollout(models[0])
    one.run(texts[0], Limits(steps=1000), agent, remember=False)
    began = time.perf_counter()
    core = one.run(texts[0], limits, agent, remember=False).steps / (time.perf_counter() - began)
    return row(task, sum(steps) / seconds, max(steps) / seconds, core)
