"""Closed loops: compiled rollouts against a plain PyTorch loop, expert tables against plain Python.

The models are the experts as exact DFSTs of the paper's sizes, turned into a random orthogonal basis: every
matrix is then dense and hidden states differ from step to step in their last bits, as in a learnt model.
`repeating` is the expert as it is, in zeros and ones, whose hidden states are looked up as they repeat. On a
GPU, 16 models work on 25 inputs each at once, beside one rollout on a core.
"""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.bench.timing import Row, judged, steps_a_second
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
TABLE_BAR = 200.0  # how many times faster than plain Python a table must run
BOARD_BAR = 500.0  # how many times faster than the PyTorch loop a model must be that repeats its states
IN_TORCH, IN_PYTHON, OURS = Limits(steps=4_000), Limits(steps=40_000), Limits(steps=400_000)
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


def turned(weights: Weights, rng: np.random.Generator) -> Weights:
    """The same model in another orthonormal basis: as it acts, but dense, and with other bits."""
    d = weights.shape.d
    T, _ = np.linalg.qr(rng.normal(size=(d, d)))
    wide = weights.astype(np.float64)
    A, B, C, h0 = T @ wide.A @ T.T, wide.B @ T.T, wide.C @ T.T, T @ wide.h0
    return replace(wide, A=A, B=B, C=C, h0=h0).astype(weights.dtype)


def measure(task: str, repeats: int = 5) -> Row:
    """Time one model's closed loop each way: every step computed; with states that repeat; the loop."""
    exact = compile_agent(expert(task), d=TASKS[task].hidden_size)
    weights = turned(exact, np.random.default_rng(0))
    (text,) = long_inputs(expert(task))
    unit = TorchUnit(weights)
    ways: dict[str, Callable[[], Run | int]] = {
        "computed": lambda: Rollout(weights).run(text, OURS, remember=False),
        "repeating": lambda: Rollout(exact).run(text, OURS),
        "torch loop": lambda: unit.run(text, IN_TORCH),
    }
    return judged({"task": task, "d": exact.shape.d}, steps_a_second(ways, repeats), BARS.get(task))


def measure_board(task: str, repeats: int = 5) -> Row:
    """Time a model that repeats its states on a board of 30 × 30, which its expert's table works as well."""
    agent = expert(task)
    exact = compile_agent(agent)
    assert agent.task is not None
    text = agent.task.random_operand(np.random.default_rng(0), 30)
    unit, rollout = TorchUnit(exact), Rollout(exact)
    ways: dict[str, Callable[[], Run | int]] = {
        "model": lambda: rollout.run(text, against=agent),
        "table": lambda: run(agent, text),
        "torch loop": lambda: unit.run(text, IN_TORCH),
    }
    return judged({"task": task, "d": exact.shape.d}, steps_a_second(ways, repeats), BOARD_BAR)


def measure_table(task: str, repeats: int = 5) -> Row:
    """Time one expert's table against the readable simulator."""
    agent = expert(task)
    (text,) = long_inputs(agent)
    again = max(1, TABLE_STEPS // agent.run(text).steps)
    ways: dict[str, Callable[[], Run | int]] = {
        "table": lambda: sum(run(agent, text).steps for _ in range(again)),
        "plain Python": lambda: ClosedLoop(agent, text, IN_PYTHON).finish(),
    }
    return judged({"expert": task, "states": len(agent.states)}, steps_a_second(ways, repeats), TABLE_BAR)


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
    about = {"task": task, "d": exact.shape.d, "rollouts": MODELS * INPUTS}
    return judged(about, {"GPU": together, "a core": core})


def long_inputs(agent: Agent, count: int = 1) -> list[str]:
    """Operands of equal length, of random digits."""
    task, rng = agent.task, np.random.default_rng(0)
    assert task is not None
    return [task.write(task.random_operands(rng, (DIGITS[agent.name],) * 2)) for _ in range(count)]
