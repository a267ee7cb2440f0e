"""The Tower of Hanoi, drawn: a row for each disk, the smallest on top; a column for each peg.

A disk stays in its row whatever peg it is on, so that a move is a step sideways. It is legal where no smaller
disk is on either peg: where both columns are free from the disk's row upwards.
"""

from __future__ import annotations

from dfst.tasks.plane import Rows, plane_task

MOST_DISKS = 20
"""More would take more than a million moves."""


def _refusal(rows: Rows) -> str | None:
    wrong = next((r for r, row in enumerate(rows, 1) if row != "o.."), None)
    if wrong is not None:
        return f"a tower is on the first peg, o.. in every row, found {rows[wrong - 1]} in row {wrong}"
    if len(rows) > MOST_DISKS:
        return f"a tower has at most {MOST_DISKS} disks, found more"
    return None


def tower(disks: int) -> Rows:
    """So many disks, or the nearest number that there is."""
    return ["o.."] * min(max(disks, 1), MOST_DISKS)


def _spelled(text: str) -> str:
    """A number of disks stands for their tower; one row too many is enough to be refused."""
    if not text.isdecimal() or len(text) > 9:
        return text
    return "\n".join(["o.."] * min(int(text), MOST_DISKS + 1))


HANOI = plane_task(
    "hanoi",
    "the tower, or so many disks, moved from the first peg to the third in the fewest legal moves",
    "o.",
    lambda rows: ["..o"] * len(rows),
    "o../o../o..",
    lambda rng, rows, columns: tower(rows),
    lambda length: {"the tower": tower(length)},
    others="<>",
    refusal=_refusal,
    spelled=_spelled,
    shaped=lambda rows, columns: [["o.."] * rows] if columns == 3 and rows <= MOST_DISKS else [],
    most_cells=3 * 10,
)
