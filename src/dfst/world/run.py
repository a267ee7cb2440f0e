"""What comes out when a control unit works on an input: a `Run`.

Halted, stuck and out of steps are different outcomes: a run that used up its steps has not failed, it has
not finished; one that is stuck has rejected its input, or it would have been an error. The final grid is
kept, so nothing that can be asked about it is computed in advance.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from dfst.counted import counted
from dfst.world.grid import Cell, read_answer


class World(Protocol):
    """What a run needs from a grid, be it `grid.Grid` or `tiles.TiledGrid`."""

    def nonblank(self) -> Iterable[tuple[Cell, int]]: ...


@dataclass(frozen=True)
class Difference:
    """The first step at which a control unit and its expert part ways."""

    step: int
    cell: Cell
    read: str
    expected: tuple[str, str]  # (symbol, motion) of the expert
    found: tuple[str, str]  # (symbol, motion) of the control unit

    def __str__(self) -> str:
        return (
            f"step {self.step:,} at cell ({self.cell[0]}, {self.cell[1]}) reading {self.read}: "
            f"expected {self.expected[0]} {self.expected[1]}, found {self.found[0]} {self.found[1]}"
        )


@dataclass(frozen=True)
class Run:
    """One control unit, one input, one outcome."""

    subject: str
    """Who worked: the name of the control unit."""
    input: str
    """What was written on the grid at first."""
    alphabet: tuple[str, ...]
    steps: int
    """Actions taken, the halting one included."""
    halted: bool
    """True: it gave the signal to halt. False: it was stuck, or ran out of steps."""
    head: Cell
    """Where the head stands at the end."""
    seconds: float
    world: World = field(repr=False)
    """The grid at the end."""
    margin: float | None = None
    """For a DFST, the smallest gap between the best and the second-best score of any decision."""
    norm: float | None = None
    """The norm of the hidden state at that decision, where it is known."""
    difference: Difference | None = None
    """Where the run first differs from that of the expert it is compared with; it stops there."""
    ended_in: str | None = None
    """The state it ended in, where states have names; where ends have none, the one that halted."""
    accepted: bool | None = None
    """Whether it accepted its input; None where the machine does not say, or has not come to an end."""
    stuck: str | None = None
    """The rule that was missing, where a machine rejects its input by being stuck."""
    unit: object = field(default=None, repr=False, compare=False)
    """Who worked: the control unit itself, where it can be asked again."""

    @property
    def relative_margin(self) -> float | None:
        """The margin divided by the norm: decisions do not change when the hidden state is scaled."""
        return self.margin / self.norm if self.margin is not None and self.norm else None

    @cached_property
    def cells(self) -> list[tuple[Cell, int]]:
        """The cells that are not empty, top row first."""
        return list(self.world.nonblank())

    @property
    def nonblank(self) -> int:
        return len(self.cells)

    @property
    def answer(self) -> str | None:
        """What stands on the grid: one row, or as many as there are where the input is a board.

        None if the run did not halt, or has left several rows of one.
        """
        rows = "\n" in self.input or ("/" in self.input and "/" not in self.alphabet)
        board = rows or getattr(getattr(self.unit, "task", None), "plane", False)
        return read_answer(self.cells, self.alphabet, board) if self.halted else None

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        verdict = {True: "accepted", False: "rejected", None: "halted"}[self.accepted]
        if self.stuck is not None:
            return f"{verdict}: no rule for {self.stuck}"
        if not self.halted:
            return f"did not halt within {counted(self.steps, 'step')}"
        return verdict if self.ended_in is None else f"{verdict} in state {self.ended_in}"

    def as_json(self) -> dict[str, object]:
        names = (
            "subject", "input", "answer", "steps", "halted", "ended_in", "accepted", "ending", "nonblank",
        )  # fmt: skip
        return {**{name: getattr(self, name) for name in names}, "seconds": round(self.seconds, 6)}

    def _repr_html_(self) -> str | None:
        """How a notebook shows it."""
        return None if rich_display is None else rich_display(self)


rich_display: Callable[[Run], str | None] | None = None
"""Draws a run for notebooks. Drawing stands above the world, so `dfst/__init__.py` hangs it in here."""
