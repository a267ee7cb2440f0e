"""Closed loops: compiled rollouts against a plain PyTorch loop, expert tables against plain Python.

The models are the experts as exact DFSTs of the paper's sizes, turned into a random orthogonal basis: every
matrix is then dense and hidden states differ from step to step in their last bits, as in a learnt model.
`repeating` is the expert as it is, in zeros and ones, whose hidden states are looked up as they repeat. On a
GPU, 16 models work on 25 inputs each at once, beside one rollout on a core.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.bench.timing import Row, steps_a_second
from dfst.experts import expert
from dfst.machines import Agent
from dfst.machines.compiled import run
from dfst.model.compile import compile_agent
from dfst.model.dfst import DFST
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Weights
from dfst.paper import TASKS
from dfst.world.grid import Limits
from dfst.world.run import Run
from dfst.world.unit import ClosedLoop, ControlUnit

BARS = {"add2": 250.0, "mult10": 30.0}
"""How many times faster than the PyTorch loop a rollout must be that computes every step."""
TABLE_BAR = 200.0
"""How many times faster than plain Python a table must run."""
BOARD_BAR = 500.0
"""How many times faster than the PyTorch loop a model must be that repeats its states."""
TORCH_STEPS = 4_000
PYTHON_STEPS = 40_000
OUR_STEPS = 400_000
TABLE_STEPS = 20_000_000
MODELS, INPUTS = 16, 25
GPU_STEPS = {"add2": 400_000, "add10": 400_000, "mult2": 400_000, "mult10": 50_000}
"""Of each run on a GPU, at most."""
DIGITS = {"add2": 400, "add10": 400, "mult2": 100, "mult10": 100}
"""Inputs on which every expert takes more steps than are timed here (but for tables, which repeat theirs)."""


class TorchUnit(ControlUnit):
    """The torch module as anyone would let it act: three products a step, two decisions."""

    def __init__(self, weights: Weights) -> None:
        self.name, self.alphabet, self.blank = weights.name, weights.alphabet, weights.blank
        self._encode = weights.encode
        self._motions = weights.motion_codes().tolist()
        self._model = DFST.from_weights(weights)
        self._h: Tensor = self._model.h0

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        return self._encode(text)

    def reset(self) -> None:
        self._h = self._model.h0

    def step(self, symbol: int) -> tuple[int, int]:
        model, h = self._model, self._h
        written = torch.argmax(model.B[symbol] @ h).item()
        motion = torch.argmax(model.C[symbol] @ h).item()
        self._h = model.A[symbol] @ h
        return int(written), self._motions[int(motion)]


def row(task: str, computed: float, repeating: float, loop: float) -> Row:
    """One model, in steps a second: every step computed; before it was turned, with states that repeat; the
    loop."""
    return {
        "task": task,
        "d": TASKS[task].hidden_size,
        "computed": round(computed),
        "repeating": round(repeating),
        "torch loop": round(loop),
        "over loop": computed / loop,
        "bar": BARS.get(task),
        "passes": computed / loop >= BARS.get(task, 0.0),
    }


def table_row(name: str, states: int, table: float, python: float) -> Row:
    """One expert's table, in steps a second."""
    return {
        "expert": name,
        "states": states,
        "table": round(table),
        "plain Python": round(python),
        "over Python": table / python,
        "bar": TABLE_BAR,
        "passes": table / python >= TABLE_BAR,
    }


def turned(weights: Weights, rng: np.random.Generator) -> Weights:
    """The same model in another orthonormal basis: as it acts, but dense, and with other bits."""
    d = weights.shape.d
    T, _ = np.linalg.qr(rng.normal(size=(d, d)))
    wide = weights.astype(np.float64)
    A, B, C, h0 = T @ wide.A @ T.T, wide.B @ T.T, wide.C @ T.T, T @ wide.h0
    return replace(wide, A=A, B=B, C=C, h0=h0).astype(weights.dtype)


def measure(task: str, repeats: int = 5) -> Row:
    """Time one model's closed loop each way."""
    exact = compile_agent(expert(task), d=TASKS[task].hidden_size)
    weights = turned(exact, np.random.default_rng(0))
    (text,) = long_inputs(expert(task))
    unit = TorchUnit(weights)
    ours = Limits(steps=OUR_STEPS)

    def computed() -> Run:
        return Rollout(weights).run(text, ours, remember=False)

    def repeating() -> Run:
        return Rollout(exact).run(text, ours)

    def in_torch() -> Run:
        with torch.no_grad():
            return unit.run(text, Limits(steps=TORCH_STEPS))

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        speeds = steps_a_second([computed, repeating, in_torch], repeats)
    finally:
        torch.set_num_threads(before)
    return row(task, *speeds)


def measure_board(task: str, repeats: int = 5) -> Row:
    """Time a model that repeats its states on a board of 30 × 30, which its expert's table works as well."""
    agent = expert(task)
    exact = compile_agent(agent)
    assert agent.task is not None
    text = agent.task.random_operand(np.random.default_rng(0), 30)
    unit, rollout = TorchUnit(exact), Rollout(exact)

    def in_torch() -> Run:
        with torch.no_grad():
            return unit.run(text, Limits(steps=TORCH_STEPS))

    ways = [lambda: rollout.run(text, against=agent), lambda: run(agent, text), in_torch]
    model, table, loop = steps_a_second(ways, repeats)
    return {
        "task": task,
        "d": len(exact.h0),
        "model": round(model),
        "table": round(table),
        "torch loop": round(loop),
        "over loop": model / loop,
        "bar": BOARD_BAR,
        "passes": model / loop >= BOARD_BAR,
    }


def measure_table(task: str, repeats: int = 5) -> Row:
    """Time one expert's table against the readable simulator."""
    agent = expert(task)
    (text,) = long_inputs(agent)
    many = agent.run(text).steps
    again = max(1, TABLE_STEPS // many)

    def table() -> int:
        return sum(run(agent, text).steps for _ in range(again))

    table_speed, python = steps_a_second(
        [table, lambda: ClosedLoop(agent, text, Limits(steps=PYTHON_STEPS)).finish()], repeats
    )
    return table_row(task, len(agent.states), table_speed, python)


def measure_cuda(task: str) -> Row:
    """Time many rollouts at once, each compared with the expert; every step is computed."""
    from dfst.kernels.gpu.rollout import GpuRollouts

    agent, limits, warm = expert(task), Limits(steps=GPU_STEPS[task]), Limits(steps=1000)
    exact = compile_agent(agent, d=TASKS[task].hidden_size)
    models = [turned(exact, np.random.default_rng(seed)) for seed in range(MODELS)]
    texts = long_inputs(agent, INPUTS)
    rollouts, one = GpuRollouts(models), Rollout(models[0])
    rollouts.run(texts, agent, warm)
    began = time.perf_counter()
    steps = sum(run.steps for runs in rollouts.run(texts, agent, limits) for run in runs)
    together = steps / (time.perf_counter() - began)
    one.run(texts[0], warm, agent, remember=False)
    began = time.perf_counter()
    core = one.run(texts[0], limits, agent, remember=False).steps / (time.perf_counter() - began)
    return {
        "task": task,
        "d": TASKS[task].hidden_size,
        "rollouts": MODELS * INPUTS,
        "GPU": round(together),
        "a core": round(core),
        "over a core": together / core,
    }


def long_inputs(agent: Agent, count: int = 1) -> list[str]:
    """Operands of equal length, of random digits."""
    task, rng = agent.task, np.random.default_rng(0)
    assert task is not None
    return [task.write(task.random_operands(rng, (DIGITS[agent.name],) * 2)) for _ in range(count)]
