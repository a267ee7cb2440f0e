"""Closed loops: compiled rollouts against a plain PyTorch loop, expert tables against plain Python.

The models are the experts as exact DFSTs of the paper's sizes, turned into a random orthogonal basis:
every matrix is then dense and hidden states differ from step to step in their last bits, as in a learnt
model. What a memory of hidden states costs there is told beside what it gains in the experts as they are, in
zeros and ones, where states repeat. Each way works on the same input, on one core, in turns; processor time
counts, and the least of several turns, since the machine may be busy with other things.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dfst.agents import Agent, expert
from dfst.agents.compiled import run
from dfst.bench.turns import Row, in_turns
from dfst.model.compile import compile_agent
from dfst.model.dfst import DFST
from dfst.model.weights import Weights
from dfst.paper import TASKS
from dfst.rollout.compiled import Rollout
from dfst.world.grid import Limits
from dfst.world.run import Run
from dfst.world.unit import ClosedLoop, ControlUnit

BARS = {"add2": 250.0, "mult10": 30.0}
"""How many times faster than the PyTorch loop a rollout must be that computes every step."""
TABLE_BAR = 200.0
"""How many times faster than plain Python a table must run."""
TORCH_STEPS = 4_000
PYTHON_STEPS = 40_000
OUR_STEPS = 400_000
TABLE_STEPS = 20_000_000
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


def row(task: str, computed: float, remembering: float, repeating: float, loop: float) -> Row:
    """One model, in steps a second: every step computed; hidden states remembered while that pays; the same
    of the model before it was turned, which repeats them; the loop."""
    return {
        "task": task,
        "d": TASKS[task].hidden_size,
        "computed": round(computed),
        "remembering": round(remembering),
        "kept": remembering / computed,
        "repeating": round(repeating),
        "gained": repeating / computed,
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
    text = long_input(expert(task))
    unit = TorchUnit(weights)

    ours = Limits(steps=OUR_STEPS)

    def computed() -> Run:
        return Rollout(weights).run(text, ours, remember=False)

    def remembering(model: Weights) -> Callable[[], Run]:
        return lambda: Rollout(model).run(text, ours)

    def in_torch() -> Run:
        with torch.no_grad():
            return unit.run(text, Limits(steps=TORCH_STEPS))

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        speeds = in_turns([computed, remembering(weights), remembering(exact), in_torch], repeats)
    finally:
        torch.set_num_threads(before)
    return row(task, *speeds)


def measure_table(task: str, repeats: int = 5) -> Row:
    """Time one expert's table against the readable simulator."""
    agent = expert(task)
    text = long_input(agent)
    many = agent.run(text).steps
    again = max(1, TABLE_STEPS // many)

    def table() -> int:
        return sum(run(agent, text).steps for _ in range(again))

    table_speed, python = in_turns(
        [table, lambda: ClosedLoop(agent, text, Limits(steps=PYTHON_STEPS)).finish()], repeats
    )
    return table_row(task, len(agent.states), table_speed, python)


def long_input(agent: Agent) -> str:
    """Operands of equal length, of random digits."""
    assert agent.task is not None
    operands = agent.task.random_operands(np.random.default_rng(0), (DIGITS[agent.name],) * 2)
    return agent.task.write(operands)
