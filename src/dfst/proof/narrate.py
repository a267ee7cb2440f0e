"""An abstract path in words, for people who want to know why a pair stayed open."""

from __future__ import annotations

from dfst.counted import counted
from dfst.machines.agent import Agent
from dfst.proof.closure import Closure, Configuration
from dfst.proof.stacks import Column, Items

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
    a, state, row, column, b = configuration
    left = " ".join(reversed(_side(machine, closure.left.stacks[a].items)))
    right = " ".join(_side(machine, closure.right.stacks[b].items))
    place = f"{machine.states[state]}, row {closure.rows[0] + row}"
    return f"{left} [{_column(machine, column)}] {right}   {place}".strip()


def _side(machine: Agent, items: Items) -> list[str]:
    words = []
    for column, count, more in items:
        times = f"^{count}+" if more else f"^{count}" if count > 1 else ""
        words.append(_column(machine, column) + times)
    return words


def _column(machine: Agent, column: Column) -> str:
    """Cells from the top row to the lowest."""
    return "/".join(_cell(machine, cell) for cell in reversed(column))


def _cell(machine: Agent, cell: int) -> str:
    symbols = [s for k, s in enumerate(machine.alphabet) if cell >> k & 1]
    if len(symbols) == 1:
        return symbols[0]
    return f"{symbols[0]}-{symbols[-1]}" if len(symbols) > 3 else "|".join(symbols)
