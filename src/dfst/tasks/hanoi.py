"""The Tower of Hanoi, drawn: a row for each disk, the smallest on top; a column for each peg.

A disk stays in its row whatever peg it is on, so that a move is a step sideways. It is legal where no smaller
disk is on either peg: where both columns are free from the disk's row upwards.
"""

from dfst.tasks.plane import Rows, plane_task

MOST_DISKS = 20  # more would take more than a million moves


def tower(disks: int) -> Rows:
    """So many disks, or the nearest number that there is."""
    return ["o.."] * min(max(disks, 1), MOST_DISKS)


HANOI = plane_task(
    "hanoi",
    "the tower, or so many disks, moved from the first peg to the third in the fewest legal moves",
    "o.",
    lambda rows: ["..o"] * len(rows),
    "o../o../o..",
    lambda rng, rows, columns: tower(rows),
    lambda length: {"the tower": tower(length)},
    others="<>",
    row="o..",
    most_rows=MOST_DISKS,
    unit="disks",
    shaped=lambda rows, columns: [["o.."] * rows] if columns == 3 and rows <= MOST_DISKS else [],
)
