"""Control units that have a compiled loop as well: a process takes its first steps readably.

Loading a compiled loop takes most of a second, and building it, once on a machine, ten; a short run is over
before that. A run that would go on is begun again in the compiled loop. Both take the same steps.
"""

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from types import SimpleNamespace

from dfst.world.grid import Limits
from dfst.world.run import Run
from dfst.world.trace import Trace
from dfst.world.unit import Action, ClosedLoop, ControlUnit, Onlooker, trace_of

READABLE_STEPS = 4_000
LONGEST_INPUT = 1_000
"""Characters of an input that the readable loop tries; longer ones take more steps than it may."""
LEAST_CELLS = 1 << 24
"""Cells that so few steps cannot fill, even where whole tiles are counted, as the compiled loops do."""


allowance = SimpleNamespace(steps=READABLE_STEPS)  # what this process may still take readably


class CompiledUnit(ControlUnit):
    """A control unit whose runs end in compiled code."""

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
