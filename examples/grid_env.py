"""Any expert as a Gymnasium environment: see what it sees, and be paid for doing what it does.

    env = GridEnv("expert:add2")      or gymnasium.make("grid_env:dfst/Grid-v0", expert="expert:add2")
    symbol, info = env.reset(seed=0)
    symbol, reward, terminated, truncated, info = env.step((written, motion))

observation   the symbol under the head, its number in the alphabet
action        the symbol to write and the motion to make: U D L R S, and N where the expert stays
reward        1 where the action is the expert's, else 0
terminated    the expert halts, or the actor does, or the expert has no answer to where it was led
truncated     too many steps

What the actor does is done, right or wrong, so it sees where its own actions lead; the expert reads along. As
everywhere here, the state of the expert is not shown. `info` holds the input and, for those who learn from
corrections, the expert's action on the symbol that is shown. `Recorder` writes episodes down as traces.

It needs `pip install gymnasium`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import Any, ClassVar, SupportsFloat

import gymnasium
import numpy as np

from dfst.errors import InputError, Stuck
from dfst.machines.agent import MISSING, Agent
from dfst.model.weights import Weights
from dfst.subjects import resolve
from dfst.traces.recording import write_recording
from dfst.world.grid import MOTION_NAMES, MOTIONS, Limits, N, S
from dfst.world.trace import Trace
from dfst.world.unit import Action, ClosedLoop, ControlUnit, trace_of

ID = "dfst/Grid-v0"
MAX_STEPS = 1_000
DIGITS = 3
"""The longest number of the inputs of a task, where none are given."""

Sampler = Callable[[np.random.Generator], str]
"""Draws the input of an episode."""
Subject = Agent | Weights


class GridEnv(gymnasium.Env[int, Any]):
    """An expert's work as an environment; `inputs` are drawn from with equal chances, or by a sampler."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        expert: Subject | str,
        inputs: Sequence[str] | Sampler | None = None,
        max_steps: int = MAX_STEPS,
    ) -> None:
        if max_steps < 1:
            raise InputError(f"max_steps must be at least 1, found {max_steps}")
        self.expert: Subject = copy(resolve(expert) if isinstance(expert, str) else expert)
        self.sampler = _sampler(self.expert, inputs)
        self.limits = Limits(steps=max_steps)
        self.motions = MOTION_NAMES if _stays(self.expert) else MOTIONS
        symbols = len(self.expert.alphabet)
        self.observation_space = gymnasium.spaces.Discrete(symbols)
        self.action_space = gymnasium.spaces.MultiDiscrete([symbols, len(self.motions)])
        self.loop: ClosedLoop | None = None
        self._wanted: tuple[int, int] | None = None
        """What the expert does with the symbol that is shown."""
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin an episode, on `options["input"]` or an input that is drawn."""
        super().reset(seed=seed)
        given = (options or {}).get("input")
        text = self.sampler(self.np_random) if given is None else str(given)
        self.loop = ClosedLoop(self.expert, text, self.limits)
        self._over = False
        return self._look()

    def step(self, action: Any) -> tuple[int, SupportsFloat, bool, bool, dict[str, Any]]:
        """Do it, right or wrong."""
        loop = self.loop
        if loop is None or self._over:
            raise gymnasium.error.ResetNeeded("the episode is over or has not begun; call reset()")
        if not self.action_space.contains(np.asarray(action)):
            raise gymnasium.error.InvalidAction(
                f"expected an action of {self.action_space}, found {action!r}"
            )
        written, motion = (int(part) for part in action)
        wanted = self._wanted
        loop.act(Action(loop.steps, loop.cell, loop.grid.read(loop.cell), written, motion))
        halted = loop.halted or wanted is None or wanted[1] == S
        symbol, info = self._look(halted)
        terminated = self._wanted is None
        truncated = loop.over and not terminated
        self._over = terminated or truncated
        return symbol, float((written, motion) == wanted), terminated, truncated, info

    def _look(self, halted: bool = False) -> tuple[int, dict[str, Any]]:
        """The symbol under the head, and what the expert makes of it: nothing, if it halted or is stuck."""
        assert self.loop is not None
        symbol = self.loop.grid.read(self.loop.cell)
        self._wanted = None
        if not halted:
            with contextlib.suppress(Stuck):
                self._wanted = self.expert.step(symbol)
        info: dict[str, Any] = {"input": self.loop.text}
        if self._wanted is not None:
            info["expert_action"] = np.array(self._wanted, dtype=np.int64)
        return symbol, info


class Recorder(gymnasium.Wrapper[int, Any, int, Any]):
    """Writes down what is done in a `GridEnv`, each episode as a trace; `save` makes a file to learn from."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, GridEnv):
            raise InputError(f"a recorder takes a GridEnv, found {type(env.unwrapped).__name__}")
        self.traces: list[Trace] = []
        """One for each episode that is over, or was given up."""
        self._done: list[Action] = []

    @property
    def grid(self) -> GridEnv:
        found = self.env.unwrapped
        assert isinstance(found, GridEnv)
        return found

    def reset(self, **options: Any) -> tuple[int, dict[str, Any]]:
        self._keep()
        return self.env.reset(**options)

    def step(self, action: Any) -> tuple[int, SupportsFloat, bool, bool, dict[str, Any]]:
        loop = self.grid.loop
        before = None if loop is None else (loop.steps, loop.cell, loop.grid.read(loop.cell))
        symbol, reward, terminated, truncated, info = self.env.step(action)
        assert before is not None
        self._done.append(Action(*before, *(int(part) for part in action)))
        if terminated or truncated:
            self._keep()
        return symbol, reward, terminated, truncated, info

    def _keep(self) -> None:
        loop = self.grid.loop
        if self._done and loop is not None:
            self.traces.append(trace_of(self.grid.expert, loop.text, self._done))
        self._done = []

    def save(self, path: str | Path) -> None:
        """Write every trace as JSON lines (docs/how-to/traces.md); `dfst learn FILE` learns from them."""
        self._keep()
        if not self.traces:
            raise InputError("nothing was recorded yet; act in the environment first")
        write_recording(path, self.grid.expert, self.traces)


def _stays(unit: ControlUnit) -> bool:
    """Whether it ever stays without halting."""
    if isinstance(unit, Agent):
        return bool((unit.action[unit.next != MISSING] == N).any())
    return "N" in getattr(unit, "motions", MOTION_NAMES)


def _sampler(expert: Subject, inputs: Sequence[str] | Sampler | None) -> Sampler:
    """How inputs are drawn: as given, else numbers of a task, else what came with the machine."""
    if callable(inputs):
        return inputs
    task = expert.task
    if inputs is None and task is not None:

        def numbers(rng: np.random.Generator) -> str:
            lengths = rng.integers(1, DIGITS + 1, size=task.operand_count)
            return task.write(task.random_operands(rng, tuple(int(n) for n in lengths)))

        return numbers
    texts = list(getattr(expert, "sample_inputs", ()) if inputs is None else inputs)
    if not texts:
        raise InputError(f"{expert.name} has no task to draw inputs from; give the inputs")
    for text in texts:
        expert.encode(text)
    return lambda rng: texts[int(rng.integers(len(texts)))]


gymnasium.register(id=ID, entry_point="grid_env:GridEnv")
