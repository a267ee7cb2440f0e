"""The grid agent: a table of rules that takes inputs and runs at full speed.

A Turing machine on the plane, as in the paper's definition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.machines.table import HALT, MAX_STATES, MAX_SYMBOLS, MISSING, Rule, Table, arrays_of
from dfst.tasks.task import Layout, Task
from dfst.world.board import encode_board, lines_of
from dfst.world.compiled_unit import CompiledUnit
from dfst.world.grid import SPACE, Limits
from dfst.world.run import Run
from dfst.world.trace import Trace

__all__ = ["HALT", "MAX_STATES", "MAX_SYMBOLS", "MISSING", "Agent", "Rule", "arrays_of", "encode_plain"]


@dataclass(frozen=True, eq=False)
class Agent(Table, CompiledUnit):
    """A grid agent. Build one with `RuleBook`, or read one from a file."""

    task: Task | None = None
    """What the agent is meant to compute, where that is known."""
    layout: Layout = "first"
    """Where the head starts on the input: its first cell, its last, or the operator."""
    source: str = ""
    """Where the machine was published."""
    sample_inputs: tuple[str, ...] = ()
    """Inputs that came with the machine."""

    def encode(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """An input as symbol indices, and the index of the cell where the head starts."""
        if self.task is not None:
            return self.task.encode(text)
        return encode_plain(text, self.alphabet, self.blank, self.layout, self.name)

    def run_compiled(self, text: str, limits: Limits = Limits()) -> Run:
        from dfst.machines.compiled import run

        return run(self, text, limits)

    def trace_compiled(self, text: str, limits: Limits = Limits()) -> Trace:
        from dfst.machines.compiled import record

        return record(self, text, limits)

    def renamed(self, name: str) -> Agent:
        return replace(self, name=name)


def check_start(name: str, layout: Layout, task: Task | None) -> None:
    """Refuse to start on an operator where no task says which symbol that is."""
    if layout == "operator" and task is None:
        raise InputError(f"{name} starts on the operator but has no task that says which symbol that is")


def encode_plain(
    text: str, alphabet: tuple[str, ...], blank: int, layout: Layout, name: str
) -> tuple[NDArray[np.uint8], int]:
    """A machine's input as symbol indices: each symbol one character, or names parted by spaces.

    A newline, or /, starts the next row of the plane; the head is on the first or the last symbol of all.
    `_` and a space stand for the blank where the alphabet has no such symbol. A text that is a name and could
    be several symbols as well is refused: a space before it says that it is the name.
    """
    index = {symbol: i for i, symbol in enumerate(alphabet)}
    index.setdefault("_", blank)
    index.setdefault(" ", index.get(SPACE, blank))
    longer = any(len(s) > 1 for s in alphabet)
    if len(text) > 1 and text in index and all(character in index for character in text):
        raise InputError(
            f"{name} can read {text!r} as one symbol or as {len(text)}; give {' ' + text!r} or "
            f"{' '.join(text)!r}"
        )
    named = longer and (" " in text.strip() or any(line.strip() in index for line in lines_of(text, index)))
    rows = [line.split() if named else list(line) for line in lines_of(text, index)]
    check_start(name, layout, None)
    symbols = encode_board(rows, index, name, f"its alphabet is {' '.join(alphabet)}")
    return symbols, max(0, symbols.size - 1) if layout == "last" else 0
