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
        return f"a tower has at most {MOST_DISKS} disks, found {len(rows):,}"
    return None


def tower(disks: int) -> Rows:
    return ["o.."] * min(max(disks, 1), MOST_DISKS)


HANOI = plane_task(
    "hanoi",
    "the tower, or so many disks, moved from the first peg to the third in the fewest legal moves",
    "o.",
    lambda rows: ["..o"] * len(rows),
    "3",
    lambda rng, rows, columns: tower(rows),
    lambda length: {"the tower": tower(length)},
    others="<>",
    refusal=_refusal,
    spelled=lambda text: "\n".join(["o.."] * min(int(text), MOST_DISKS + 1)) if text.isdecimal() else text,
    shaped=lambda rows, columns: [["o.."] * rows] if columns == 3 and rows <= MOST_DISKS else [],
    most_cells=3 * 10,
)
