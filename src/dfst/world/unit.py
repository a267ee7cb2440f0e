"""Control units: whatever can sit behind the head, be it a table, a DFST or a neural network.

A control unit is told the symbol under the head and answers with a symbol to write and a motion. It knows
nothing of the grid. `ClosedLoop` puts it to work on one, readably, a step at a time; it is what everything
else is compared with. Units whose inside is known also have compiled loops (`CompiledUnit`).

To make one of your own, subclass `ControlUnit` and let `dfst.check_unit` try it.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError, MissingRule, Overflow, Stuck
from dfst.world.grid import MOTION_NAMES, Cell, Grid, Limits, S, first_cell, moved
from dfst.world.run import Difference, Run
from dfst.world.trace import Trace


class ControlUnit(ABC):
    """`reset()`, then `step(symbol) → (symbol, motion)` until the motion is S."""

    name: str
    alphabet: tuple[str, ...]
    blank: int
    """Index of the empty symbol in the alphabet."""
    stuck_rejects: bool = False
    """Whether a run in which it has no answer has rejected its input; otherwise that is an error."""

    @abstractmethod
    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""

    @abstractmethod
    def reset(self) -> None:
        """Forget everything; the next step is the first."""

    @abstractmethod
    def step(self, symbol: int) -> tuple[int, int]:
        """The symbol to write and the motion to make; `Stuck` where it has no answer."""

    @property
    def state(self) -> str | None:
        """The state it is in, where states have names; after a halt, its end, or the state that halted."""
        return None

    @property
    def accepted(self) -> bool | None:
        """After a halt: whether it accepted its input or rejected it, where it says so."""
        return None

    @property
    def hidden(self) -> NDArray[Any] | None:
        """(d,) the numbers it has inside, where it has any."""
        return None

    @property
    def leads(self) -> tuple[float, float] | None:
        """How far the last step's symbol and motion led their runners-up, where it decides by scores."""
        return None

    @property
    def norm(self) -> float | None:
        """How long the hidden state was that took the last step, where it has one."""
        return None

    @property
    def parting_move(self) -> int:
        """How the head still moves in the step that halts: not at all, but for some Turing machines."""
        return S

    def run(self, text: str = "", limits: Limits = Limits()) -> Run:
        """Let it work on an input."""
        return ClosedLoop(self, text, limits).finish()

    def trace(self, text: str = "", limits: Limits = Limits()) -> Trace:
        """What an onlooker sees of that run."""
        seen: list[Action] = []
        ClosedLoop(self, text, limits).finish(seen.append)
        return trace_of(self, text, seen)

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: ControlUnit | None = None
    ) -> Iterator[Run]:
        """Runs on many inputs, in order, each as soon as it is there; who has seen enough looks no further.

        With `against`, a run stops at the first action that is not the expert's.
        """
        for text in texts:
            yield self.run(text, limits) if against is None else hold_against(self, against, text, limits)


def check_input(text: Any) -> None:
    """Refuse an input that is no text."""
    if not isinstance(text, str):
        raise InputError(f"expected an input as a string, found {text!r:.60}; quote it, such as '1+1'")


def check_symbol(symbol: Any, alphabet: tuple[str, ...]) -> None:
    """Refuse what is no index into the alphabet: Python would count a negative one from the end."""
    if isinstance(symbol, str) or not 0 <= symbol < len(alphabet):
        meant = f", such as {alphabet.index(symbol)} for {symbol}" if symbol in alphabet else ""
        most = len(alphabet) - 1
        raise InputError(f"step takes the index of a symbol, 0 to {most}{meant}, found {symbol!r}")


class Action(NamedTuple):
    """One step as an onlooker sees it."""

    step: int
    cell: Cell
    read: int
    written: int
    motion: int


Onlooker = Callable[[Action], None]  # is shown every action of a run, when it has been carried out


class ClosedLoop:
    """A control unit at work on a grid. It can be stopped after any step, looked at, and continued."""

    def __init__(self, unit: ControlUnit, text: str = "", limits: Limits = Limits()) -> None:
        self.began = time.perf_counter()
        check_input(text)
        self.unit, self.text, self.limits = unit, text, limits
        symbols, start = unit.encode(text)
        self.grid = Grid(unit.blank, limits.cells)
        self.grid.lay(symbols, first_cell(symbols, start))
        self.cell: Cell = (0, 0)
        self.steps = 0
        self.halted = False
        self.stuck: MissingRule | None = None
        """The rule that was missing, of a unit that rejects its input by being stuck."""
        self.margin: float | None = None
        """The smallest lead of any decision so far, of a unit that tells its leads."""
        self.norm: float | None = None
        """The norm of the hidden state that took it."""
        unit.reset()

    @property
    def over(self) -> bool:
        return self.halted or self.stuck is not None or self.steps >= self.limits.steps

    def decide(self) -> Action:
        """What the unit does next. Nothing is written yet, but the unit itself has gone on."""
        read = self.grid.read(self.cell)
        try:
            written, motion = self.unit.step(read)
        except Stuck as error:
            raise error.at(self.cell, self.steps) from None
        return Action(self.steps, self.cell, read, written, motion)

    def act(self, action: Action) -> None:
        """Carry out what was decided."""
        leads = self.unit.leads
        if leads is not None and (self.margin is None or min(leads) < self.margin):
            self.margin = min(leads)
            self.norm = self.unit.norm
        self.grid.write(self.cell, action.written, self.steps)
        self.halted = action.motion == S
        self.cell = moved(self.cell, self.unit.parting_move if self.halted else action.motion)
        self.steps += 1

    def advance(self) -> Action | None:
        """One step; None if the run is over."""
        if self.over:
            return None
        try:
            action = self.decide()
        except MissingRule as gap:
            if not self.unit.stuck_rejects:
                raise
            self.stuck = gap
            return None
        self.act(action)
        return action

    def finish(self, onlooker: Onlooker | None = None) -> Run:
        """Go on to the end."""
        while (action := self.advance()) is not None:
            if onlooker:
                onlooker(action)
        return self.outcome()

    def outcome(self, difference: Difference | None = None) -> Run:
        """The run up to here."""
        return Run(
            self.unit.name, self.text, self.unit.alphabet, self.steps, self.halted, self.cell,
            time.perf_counter() - self.began, world=self.grid, margin=self.margin, norm=self.norm,
            difference=difference, ended_in=self.unit.state,
            accepted=False if self.stuck else self.unit.accepted if self.halted else None,
            stuck=self.stuck.gap if self.stuck else None, unit=self.unit,
        )  # fmt: skip


def trace_of(unit: ControlUnit, text: str, actions: list[Action]) -> Trace:
    """The trace that is made of these actions."""
    columns = np.array([action[2:] for action in actions], dtype=np.uint8).reshape(-1, 3)
    x, s, m = (np.ascontiguousarray(columns[:, i]) for i in range(3))
    return Trace(unit.name, text, unit.alphabet, x, s, m)


READABLE_STEPS = 4_000
LONGEST_INPUT = 1_000
"""Characters of an input that the readable loop tries; longer ones take more steps than it may."""
LEAST_CELLS = 1 << 24
"""Cells that so few steps cannot fill, even where whole tiles are counted, as the compiled loops do."""
allowance = SimpleNamespace(steps=READABLE_STEPS)  # what this process may still take readably


class CompiledUnit(ControlUnit):
    """A control unit that has a compiled loop as well: a process takes its first steps readably.

    Loading a compiled loop takes most of a second, building it, once on a machine, ten: a short run is over
    before that. A run that would go on is begun again in the compiled loop. Both take the same steps.
    """

    @abstractmethod
    def run_compiled(self, text: str, limits: Limits) -> Run:
        """`run` at full speed, from the first step on."""

    def trace_compiled(self, text: str, limits: Limits) -> Trace:
        """`trace` at full speed; readably, where no compiled loop records."""
        return ControlUnit.trace(copy(self), text, limits)

    def run(self, text: str = "", limits: Limits = Limits()) -> Run:
        return self._run_readably(text, limits) or self.run_compiled(text, limits)

    def trace(self, text: str = "", limits: Limits = Limits()) -> Trace:
        seen: list[Action] = []
        if self._run_readably(text, limits, seen.append):
            return trace_of(self, text, seen)
        return self.trace_compiled(text, limits)

    def _run_readably(self, text: str, limits: Limits, onlooker: Onlooker | None = None) -> Run | None:
        """The run, if it is over before this process has taken all the readable steps it may.

        A copy works: whoever steps the unit by hand, or runs it in another thread, finds it where it was.
        """
        check_input(text)
        if allowance.steps <= 0 or len(text) > LONGEST_INPUT or limits.cells < LEAST_CELLS:
            return None
        loop = ClosedLoop(copy(self), text, limits)
        while allowance.steps > 0:
            action = loop.advance()
            if action is None:
                return replace(loop.outcome(), unit=self)
            if onlooker:
                onlooker(action)
            allowance.steps -= 1
        return None


NO_RULE = ("no rule", "")  # in place of an action's names: there is none


def hold_against(unit: ControlUnit, expert: ControlUnit, text: str = "", limits: Limits = Limits()) -> Run:
    """Let a unit work until its first action that is not the expert's; the run says which and where.

    A unit whose hidden state overflows just ends there, unfinished.
    """
    loop = ClosedLoop(unit, text, limits)
    # Each keeps its own place, also where both are one.
    expert = copy(expert)
    expert.reset()
    while not loop.over:
        read = loop.grid.read(loop.cell)
        try:
            found = _answer(unit, read)
        except Overflow:
            break
        expected = _answer(expert, read)
        if found is None and expected is None and unit.stuck_rejects:
            loop.advance()  # stuck, as the expert is
            break
        if found is None or found != expected:
            return loop.outcome(difference(expert, loop.steps, loop.cell, read, expected, found))
        loop.act(Action(loop.steps, loop.cell, read, *found))
    return loop.outcome()


def difference(
    expert: ControlUnit, step: int, cell: Cell, read: int, *actions: tuple[int, int] | None
) -> Difference:
    """In names. actions: that of the expert, and the other that was found; None where there is no rule"""
    names = expert.alphabet
    told = [NO_RULE if done is None else (names[done[0]], MOTION_NAMES[done[1]]) for done in actions]
    return Difference(step, cell, names[read], *told)


def _answer(unit: ControlUnit, symbol: int) -> tuple[int, int] | None:
    try:
        return unit.step(symbol)
    except MissingRule:
        return None
