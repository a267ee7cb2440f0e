"""How traces lie over the blocks of a cluster in `recur_many.cu`, the sweep for many seeds.

The same sums as `recur.cu` in the same order, so that a seed's bits do not depend on which of the two swept
it; that holds as long as both spread a row over the same number of lanes.
"""

from __future__ import annotations

from dataclasses import dataclass

from dfst.kernels.nvrtc import SHARED_BYTES
from dfst.model.weights import Shape

MAX_THREADS = 1024


@dataclass(frozen=True)
class Grouping:
    """How the work of a cluster is cut; the names in `recur_many.cu` are G, Q, R, N and AHEAD."""

    groups: int
    """One computes while the other waits for messages"""
    traces: int
    """Traces that a group takes in step"""
    rows: int
    """Rows of a matrix for each thread: 1, 2 or 4"""
    shared: int
    """Most traces that share what is read of a matrix: 1, 2 or 4"""
    ahead: int
    """Turns of a row fetched before a message is awaited"""


@dataclass(frozen=True)
class GroupedSpread:
    """A shape over the blocks of a cluster."""

    grouping: Grouping
    rows: int
    """Rows of each matrix in one block"""
    words: int
    """16-byte words from a row to the next"""
    threads: int
    shared_bytes: int


def grouped_spread(
    shape: Shape, longest: int, size: int, lanes: int, grouping: Grouping
) -> GroupedSpread | None:
    """Over a cluster of `size` blocks, several, with `lanes` a row; None where that does not fit."""
    g, r = grouping, grouping.rows
    rows = -(-shape.d // (size * r)) * r
    words = -(-shape.d // (4 * lanes)) * lanes
    # eight lanes of 16 bytes must hit different banks: four of one row, four of the thread's next R rows
    while lanes == 4 and words * r % 8 != 4:
        words += 1
    threads = g.groups * g.traces * -(-rows // r * lanes // 32) * 32
    turns = -(-shape.d // (4 * lanes))
    group = -(-(g.traces * (2 * 16 * words + 12) + 16) // 16) * 16
    tasks = g.groups * longest * (4 * g.traces + 1)
    shared = 16 * shape.symbols * rows * words + g.groups * group + tasks
    if (
        size == 1
        or shape.d <= (size - 1) * rows
        or threads > MAX_THREADS
        or shared > SHARED_BYTES
        or g.ahead > turns
    ):
        return None
    return GroupedSpread(grouping, rows, words, threads, shared)
