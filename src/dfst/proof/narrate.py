"""An abstract path in words, for people who want to know why a pair stayed open."""

from __future__ import annotations

from dfst.counted import counted
from dfst.machines.agent import Agent
from dfst.proof.closure import Closure, Configuration
from dfst.proof.stacks import Column

LAST_STEPS = 12


def open_path(machine: Agent, closure: Closure) -> tuple[str, ...]:
    """The last steps to the first open pair, one line each: left side, [head's column], right side, state."""
    (state, symbol), configuration = next(iter(closure.open_pairs.items()))
    path = closure.path_to(configuration)
    lines = [_line(machine, closure, c) for c in path[-LAST_STEPS:]]
    if len(path) > LAST_STEPS:
        lines.insert(0, f"… {counted(len(path) - LAST_STEPS, 'step')} before …")
    return (*lines, f"no rule for ({machine.states[state]}, {machine.alphabet[symbol]})")


def _line(machine: Agent, closure: Closure, configuration: Configuration) -> str:
    def cell(symbols: int) -> str:
        named = [s for k, s in enumerate(machine.alphabet) if symbols >> k & 1]
        return f"{named[0]}-{named[-1]}" if len(named) > 3 else "|".join(named)

    def told(column: Column, count: int = 1, more: bool = False) -> str:
        """Cells from the top row to the lowest."""
        return "/".join(map(cell, reversed(column))) + (f"^{count}{'+' * more}" if more or count > 1 else "")

    a, state, row, column, b = configuration
    left = " ".join(told(*item) for item in reversed(closure.left.stacks[a].items))
    right = " ".join(told(*item) for item in closure.right.stacks[b].items)
    place = f"{machine.states[state]}, row {closure.rows[0] + row}"
    return f"{left} [{told(column)}] {right}   {place}".strip()
