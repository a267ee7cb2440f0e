"""A layered drawing of a directed graph, with room for the words on its arrows.

Sugiyama's method in four stages: arrows that lead back are turned round, nodes are put into columns so that
every arrow leads on, columns are ordered so that few arrows cross, and everything is moved as near to its
neighbours as it can get. The words on an arrow are a node of their own in a column between, so no two of them
ever lie over each other, nor over a state. Positions are computed here, once; page, replays, notebooks and
figures only draw them, so no layout engine of megabytes has to travel with each.

x runs along the columns, y across them; a place is the middle of a box.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Size = tuple[float, float]
Point = tuple[float, float]

SWEEPS = 12
"""Times that the columns are ordered anew, there and back."""
PASSES = 12
"""Times that everything is moved towards its neighbours, there and back."""
COLUMN_GAP, ROW_GAP = 0.9, 0.5
THREAD = 0.25
"""Room for an arrow that only passes."""
STRAIGHT = 4.0
"""How much more a passing arrow wants to be straight than short."""


@dataclass(frozen=True)
class Arrow:
    """From node to node, with a box of words."""

    start: int
    end: int
    label: Size


@dataclass(frozen=True)
class Route:
    """Where an arrow goes: its corners from border to border, and the middle of its words."""

    points: tuple[Point, ...]
    label: Point


@dataclass(frozen=True)
class Drawing:
    """Places for everything, all within (0, 0) and (width, height)."""

    width: float
    height: float
    nodes: tuple[Point, ...]
    routes: tuple[Route, ...]
    """In the order of the arrows"""


@dataclass
class _Item:
    """What stands in a column: a node, the words of an arrow, or an arrow that passes."""

    size: Size
    column: int
    y: float = 0.0
    above: float = 0.0
    """Room over a node for the words of an arrow that leads to itself"""
    beside: float = 0.0
    """How wide those are"""

    @property
    def block(self) -> float:
        return self.size[1] + self.above


def lay_out(
    sizes: Sequence[Size], arrows: Sequence[Arrow], first: int = 0, downwards: bool = False
) -> Drawing:
    """The drawing of a graph; `first` stands in the first column, or in the first row if it is downwards."""
    if downwards:
        turned = [Arrow(a.start, a.end, _swapped(a.label)) for a in arrows]
        drawn = lay_out([_swapped(size) for size in sizes], turned, first)
        return Drawing(
            drawn.height,
            drawn.width,
            tuple(_swapped(node) for node in drawn.nodes),
            tuple(Route(tuple(map(_swapped, r.points)), _swapped(r.label)) for r in drawn.routes),
        )
    forward = _turned(len(sizes), arrows, first)
    columns_of = _columns(len(sizes), forward)
    items = [_Item(size, 2 * column) for size, column in zip(sizes, columns_of, strict=True)]
    for arrow in arrows:
        if arrow.start == arrow.end:
            items[arrow.start].above += arrow.label[1] + ROW_GAP
            items[arrow.start].beside = arrow.label[0]
    chains, links = _thread(items, arrows, forward)
    order = _order(items, links)
    _place(items, links, order)
    return _drawing(items, order, arrows, chains, len(sizes))


def _swapped(pair: tuple[float, float]) -> tuple[float, float]:
    return pair[1], pair[0]


def _turned(n: int, arrows: Sequence[Arrow], first: int) -> list[tuple[int, int] | None]:
    """Each arrow as (from, to) in the direction in which it leads on; None where it leads nowhere else."""
    following: dict[int, list[int]] = defaultdict(list)
    for arrow in arrows:
        following[arrow.start].append(arrow.end)
    place: dict[int, int] = {}
    open_now: set[int] = set()
    back: set[tuple[int, int]] = set()
    for root in (first, *range(n)):
        if root in place:
            continue
        place[root] = len(place)
        open_now.add(root)
        stack = [(root, iter(following[root]))]
        while stack:
            node, ends = stack[-1]
            for end in ends:
                if end in open_now:
                    back.add((node, end))
                elif end not in place:
                    place[end] = len(place)
                    open_now.add(end)
                    stack.append((end, iter(following[end])))
                    break
            else:
                stack.pop()
                open_now.discard(node)
    found: list[tuple[int, int] | None] = []
    for arrow in arrows:
        pair = (arrow.start, arrow.end)
        found.append(None if arrow.start == arrow.end else pair[::-1] if pair in back else pair)
    return found


def _columns(n: int, forward: Sequence[tuple[int, int] | None]) -> list[int]:
    """The column of each node: after all that lead to it, and as near to them as that allows."""
    edges = sorted({edge for edge in forward if edge is not None})
    waiting = [0] * n
    following: dict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        waiting[b] += 1
        following[a].append(b)
    column, ready, order = [0] * n, [q for q in range(n) if waiting[q] == 0], []
    while ready:
        a = ready.pop()
        order.append(a)
        for b in following[a]:
            column[b] = max(column[b], column[a] + 1)
            waiting[b] -= 1
            if waiting[b] == 0:
                ready.append(b)
    for a in reversed(order):
        led = any(b == a for _, b in edges)
        if following[a] and not led and a != 0:
            column[a] = min(column[b] for b in following[a]) - 1
    return column


def _thread(
    items: list[_Item], arrows: Sequence[Arrow], forward: Sequence[tuple[int, int] | None]
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Put an item into every column that an arrow crosses, its words into the middle one.

    Gives the items of each arrow from left to right, its end nodes included, and all links between them.
    """
    chains: list[list[int]] = []
    links: list[tuple[int, int]] = []
    for arrow, edge in zip(arrows, forward, strict=True):
        if edge is None:
            chains.append([arrow.start])
            continue
        left, right = items[edge[0]].column, items[edge[1]].column
        middle = (left + right) // 2
        middle += 1 - middle % 2
        chain = [edge[0]]
        for column in range(left + 1, right):
            items.append(_Item(arrow.label if column == middle else (0.0, THREAD), column))
            chain.append(len(items) - 1)
        chain.append(edge[1])
        chains.append(chain)
        links += pairwise(chain)
    return chains, links


def _order(items: Sequence[_Item], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The items of each column from top to bottom, with few crossings."""
    order: list[list[int]] = [[] for _ in range(1 + max(item.column for item in items))]
    for i, item in enumerate(items):
        order[item.column].append(i)
    before, after = _neighbours(items, links)
    best, fewest = [list(column) for column in order], _crossings(order, after)
    place = {i: y for column in order for y, i in enumerate(column)}
    for sweep in range(SWEEPS):
        onward = sweep % 2 == 0
        near = before if onward else after

        def middle(i: int, near: dict[int, list[int]] = near) -> float:
            rows = sorted(place[j] for j in near[i])
            return (rows[(len(rows) - 1) // 2] + rows[len(rows) // 2]) / 2 if rows else place[i]

        for column in order if onward else order[::-1]:
            column.sort(key=middle)
            place.update({i: y for y, i in enumerate(column)})
        crossings = _crossings(order, after)
        if crossings < fewest:
            best, fewest = [list(column) for column in order], crossings
    return best


def _neighbours(
    items: Sequence[_Item], links: Sequence[tuple[int, int]]
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for a, b in links:
        before[b].append(a)
        after[a].append(b)
    return before, after


def _crossings(order: Sequence[Sequence[int]], after: dict[int, list[int]]) -> int:
    """How many pairs of links cross."""
    total = 0
    for left, right in pairwise(order):
        place = {i: y for y, i in enumerate(right)}
        seen: list[int] = []
        for i in left:
            ends = sorted(place[j] for j in after[i])
            total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _place(items: Sequence[_Item], links: Sequence[tuple[int, int]], order: Sequence[Sequence[int]]) -> None:
    """Give every item its y: apart from the others of its column, and near to those it is linked with."""
    before, after = _neighbours(items, links)
    for column in order:
        y = 0.0
        for i in column:
            items[i].y = y + items[i].above + items[i].size[1] / 2
            y += items[i].block + ROW_GAP
    for turn in range(2 * PASSES):
        both = turn >= PASSES
        for column in order if turn % 2 == 0 else order[::-1]:
            wanted, weights = [], []
            for i in column:
                near = (before[i] if turn % 2 == 0 or both else []) + (after[i] if turn % 2 or both else [])
                wanted.append(sum(items[j].y for j in near) / len(near) if near else items[i].y)
                weights.append((STRAIGHT if items[i].size[0] == 0 else 1.0) * max(1, len(near)))
            _settle(items, column, wanted, weights)


def _settle(
    items: Sequence[_Item], column: Sequence[int], wanted: Sequence[float], weights: Sequence[float]
) -> None:
    """The nearest places to those wanted, in this order and without overlap (pool adjacent violators)."""
    offset, offsets = 0.0, []
    for k, i in enumerate(column):
        if k:
            last = items[column[k - 1]]
            offset += last.size[1] / 2 + ROW_GAP + items[i].above + items[i].size[1] / 2
        offsets.append(offset)
    pools: list[tuple[float, float, int]] = []
    for k, _ in enumerate(column):
        total, weight, count = (wanted[k] - offsets[k]) * weights[k], weights[k], 1
        while pools and pools[-1][0] / pools[-1][1] >= total / weight:
            more = pools.pop()
            total, weight, count = total + more[0], weight + more[1], count + more[2]
        pools.append((total, weight, count))
    k = 0
    for total, weight, count in pools:
        for _ in range(count):
            items[column[k]].y = total / weight + offsets[k]
            k += 1


def _drawing(
    items: Sequence[_Item],
    order: Sequence[Sequence[int]],
    arrows: Sequence[Arrow],
    chains: Sequence[Sequence[int]],
    n: int,
) -> Drawing:
    middles, x = [], 0.0
    for column in order:
        wide = max((max(items[i].size[0], items[i].beside) for i in column), default=0.0)
        middles.append(x + wide / 2)
        x += wide + COLUMN_GAP
    top = min(item.y - item.size[1] / 2 - item.above for item in items)
    height = max(item.y + item.size[1] / 2 for item in items) - top

    def place(i: int) -> Point:
        return middles[items[i].column], items[i].y - top

    routes = []
    for arrow, chain in zip(arrows, chains, strict=True):
        if len(chain) == 1:
            routes.append(_loop(place(arrow.start), items[arrow.start].size, arrow.label))
            continue
        label = max(chain[1:-1], key=lambda i: items[i].size[0])
        points = [_border(place(chain[0]), items[chain[0]].size, 1)]
        for i in chain[1:-1]:
            (across, down), half = place(i), items[i].size[0] / 2
            points += [(across - half, down), (across + half, down)] if half else [(across, down)]
        points.append(_border(place(chain[-1]), items[chain[-1]].size, -1))
        onward = chain[0] == arrow.start
        routes.append(Route(tuple(points if onward else points[::-1]), place(label)))
    return Drawing(x - COLUMN_GAP, height, tuple(place(q) for q in range(n)), tuple(routes))


def _border(middle: Point, size: Size, side: int) -> Point:
    return middle[0] + side * size[0] / 2, middle[1]


def _loop(middle: Point, size: Size, label: Size) -> Route:
    """From the left of a node's upper border over its words to the right of it."""
    x, y = middle
    top, reach = y - size[1] / 2, min(0.35 * size[0], 0.5)
    points = (
        (x - reach, top),
        (x - reach, top - ROW_GAP * 0.8),
        (x + reach, top - ROW_GAP * 0.8),
        (x + reach, top),
    )
    return Route(points, (x, top - ROW_GAP - label[1] / 2))
