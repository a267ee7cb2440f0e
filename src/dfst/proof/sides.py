"""A side of the head as the checker reads it: an automaton whose nodes stand for stacks of columns.

An edge (node, column, below) says that this column may lie on top of what `below` stands for. A push onto
node u is covered by a node v with an edge of at least that column to u, or to a node that u is inside of. The
checker is told which nodes are inside which, and verifies each by its edges.
"""

import base64
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.proof.reading import Column, covers
from dfst.proof.stacks import Edges

Push = tuple[int, Column, int]  # a node, the column put on top, and the node that is to cover both
Side = tuple[Edges, Iterable[Push], dict[int, list[int]]]
"""Its edges, the pushes onto it, and for each state of the inputs' automaton the nodes laid for it"""


def packed(array: NDArray[Any]) -> dict[str, Any]:
    """An array inside JSON: type, shape, and its bytes, little-endian, compressed. The checker unpacks it."""
    data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
    text = base64.b64encode(zlib.compress(data, 6)).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": text}


class Columns(dict[Column, int]):
    """Columns, numbered as they come."""

    def __missing__(self, column: Column) -> int:
        return self.setdefault(column, len(self))


def packed_invariant(
    rows: tuple[int, int], configurations: Iterable[tuple[int, int, int, Column, int]], sides: Iterable[Side]
) -> dict[str, Any]:
    """The part of a proof file that says where runs may come to, in configurations that no step leaves."""
    columns = Columns()
    found = sorted((a, q, row, columns[c], b) for a, q, row, c, b in configurations)
    left, right = (packed_side(*side, columns) for side in sides)
    listed, invariant = [list(column) for column in columns], _rows(found, 5)
    return {"rows": list(rows), "columns": listed, "left": left, "right": right, "invariant": invariant}


def packed_side(
    edges: Edges, pushes: Iterable[Push], laid: dict[int, list[int]], columns: Columns
) -> dict[str, Any]:
    """One side of a proof file."""
    listed = [(node, columns[column], below) for node in sorted(edges) for column, below in edges[node]]
    places = [(state, node) for state in sorted(laid) for node in laid[state]]
    inside = sorted(inclusions(edges, pushes))
    return {"edges": _rows(listed, 3), "inside": _rows(inside, 2), "laid": _rows(places, 2)}


def _rows(numbers: list[Any], width: int) -> dict[str, Any]:
    return packed(np.array(numbers, dtype=np.int32).reshape(-1, width))


def inclusions(edges: Edges, pushes: Iterable[Push]) -> set[tuple[int, int]]:
    """The (node, node it is inside of) that the pushes rest on, as far as edges show them."""
    choices = [
        [(below, y) for column, y in edges[cover] if covers(column, top)] for below, top, cover in pushes
    ]
    needs: dict[tuple[int, int], list[list[tuple[int, int]]]] = {}
    todo = [pair for pairs in choices for pair in pairs]
    while todo:
        u, v = pair = todo.pop()
        if u == v or pair in needs:
            continue
        needs[pair] = [[(x, y) for d, y in edges[v] if covers(d, c)] for c, x in edges[u]]
        todo += [pair for pairs in needs[pair] for pair in pairs]

    def first(pairs: list[tuple[int, int]]) -> tuple[int, int] | None:
        """One that holds, best of all one that says nothing."""
        return min((p for p in pairs if p[0] == p[1] or p in needs), key=lambda p: p[0] != p[1], default=None)

    while fallen := [pair for pair, wanted in needs.items() if None in map(first, wanted)]:
        for pair in fallen:
            del needs[pair]
    used: set[tuple[int, int]] = set()
    chosen = [first(pairs) for pairs in choices]
    while chosen:
        held = chosen.pop()
        if held is not None and held[0] != held[1] and held not in used:
            used.add(held)
            chosen += map(first, needs[held])
    return used
