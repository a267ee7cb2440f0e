"""Agreement with traces: on how many of them a model does, step by step, what was recorded.

The model reads what the trace reads. Up to its first other action it would have read the same by itself,
since the world is the same, so to agree in every action is to make the same run.
"""

from __future__ import annotations

from dataclasses import dataclass

from dfst.errors import Overflow
from dfst.traces.traceset import TraceSet
from dfst.world.grid import MOTION_NAMES
from dfst.world.trace import Trace
from dfst.world.unit import ControlUnit


@dataclass(frozen=True)
class Parting:
    """The first step at which a model leaves a trace."""

    trace: int
    """Which trace of the set"""
    step: int
    said: str

    def __str__(self) -> str:
        return f"step {self.step:,}: {self.said}"


@dataclass(frozen=True)
class Agreement:
    """How a model did on a set of traces."""

    traces: int
    steps: int
    """Of all traces together"""
    partings: tuple[Parting, ...]
    """One for each trace that it does not follow to the end"""

    @property
    def agreed(self) -> int:
        return self.traces - len(self.partings)

    @property
    def complete(self) -> bool:
        return not self.partings


def agreement(unit: ControlUnit, traces: TraceSet) -> Agreement:
    """Let the unit read every trace of the set."""
    found = (_parting(unit, traces[i], i) for i in range(len(traces)))
    return Agreement(len(traces), traces.tokens, tuple(parting for parting in found if parting))


def _parting(unit: ControlUnit, trace: Trace, number: int) -> Parting | None:
    unit.reset()
    rows = zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True)
    for step, (x, s, m) in enumerate(rows):
        try:
            done = unit.step(x)
        except Overflow:
            return Parting(number, step, "the hidden state overflowed")
        if done != (s, m):
            wanted, did = (f"{trace.alphabet[w]} {MOTION_NAMES[v]}" for w, v in ((s, m), done))
            return Parting(number, step, f"reading {trace.alphabet[x]}, expected {wanted}, found {did}")
    return None
