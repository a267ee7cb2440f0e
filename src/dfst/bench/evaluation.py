"""25 inputs compared with the expert, action by action: compiled on all cores, against a plain PyTorch loop.

The loop would take minutes, so it takes some thousand steps of one input; its time for all of them is
computed from that.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from dfst.bench.rollouts import TORCH_STEPS, TorchUnit, long_inputs, turned
from dfst.bench.timing import Row, steps_a_second
from dfst.experts import expert
from dfst.model.compile import compile_agent
from dfst.model.rollout.compiled import Rollout
from dfst.paper import TASKS
from dfst.world.grid import Limits

INPUTS = 25


def row(task: str, steps: int, seconds: float, loop: float) -> Row:
    """steps: of all runs; loop: steps a second of the plain way"""
    plain = steps / loop
    return {
        "task": task,
        "inputs": INPUTS,
        "steps": steps,
        "seconds": seconds,
        "torch loop": plain,
        "over loop": plain / seconds,
    }


def measure(task: str, repeats: int = 3) -> Row:
    """Evaluate an expert compiled into dense weights."""
    agent = expert(task)
    weights = turned(compile_agent(agent, d=TASKS[task].hidden_size), np.random.default_rng(0))
    rollout, unit, texts = Rollout(weights), TorchUnit(weights), long_inputs(agent, INPUTS)
    steps, seconds = 0, np.inf
    for _ in range(repeats + 1):
        began = time.perf_counter()
        steps = sum(run.steps for run in rollout.run_each(texts, Limits(), agent))
        seconds = min(seconds, time.perf_counter() - began)
    with torch.no_grad():
        (loop,) = steps_a_second([lambda: unit.run(texts[0], Limits(steps=TORCH_STEPS))], 1)
    return row(task, steps, seconds, loop)
