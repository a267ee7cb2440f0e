"""Small pictures of runs for the gallery of the site, as SVG: a board at work, or a tape line by line."""

from __future__ import annotations

from html import escape

from dfst.viewer.payload import Subject
from dfst.viewer.terminal import WatchedLoop
from dfst.world.grid import Limits

WIDTH, HEIGHT = 240, 120
STEPS = 12_000
"""Of a run that is looked at."""
SHARE = 0.6
"""How far a run on a board has come when it is drawn."""
ROWS, COLUMNS = 60, 120
"""Moments of a tape, one below the other, and cells of it."""
CHALK, SLATE, HEAD, STONE = "#f3f1e7", "#2f3d39", "#ffd45e", "#77857d"
PAINTS = (CHALK, "#7fb3dc", "#f0907f", "#9ccc9f", "#c79bd6", "#e8b765", "#7fc9bf", "#b0bec5")


def picture(unit: Subject, text: str) -> str:
    """The unit at work on an input: in chalk where it has a task, else in squares."""
    whole = WatchedLoop(unit, text, Limits(steps=STEPS))
    whole.finish()
    left, bottom, right, top = whole.box
    if unit.task is None and top == bottom:
        return _svg(unit.name, _tape(unit, text, whole))
    loop = WatchedLoop(unit, text, Limits(steps=max(1, round(whole.steps * (SHARE if unit.task else 1)))))
    loop.finish()
    left, bottom, right, top = loop.box
    side = min(26.0, WIDTH / (right - left + 3), HEIGHT / (top - bottom + 2))
    x0, y0 = (WIDTH - side * (right - left + 1)) / 2, (HEIGHT - side * (top - bottom + 1)) / 2
    parts, painted = [], []
    for (x, y), symbol in loop.grid.nonblank():
        name = unit.alphabet[symbol]
        if unit.task is None or name == "#":
            painted.append((top - y, x - left, STONE if unit.task else _paint(unit, symbol)))
            continue
        at = x0 + (x - left + 0.5) * side, y0 + (top - y + 0.74) * side
        place = f'x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{0.8 * side:.1f}"'
        parts.append(f'<text {place} class="chalk">{escape(name)}</text>')
    parts.append(_squares(painted, x0, y0, side, side))
    x, y = loop.cell
    at = f'x="{x0 + (x - left) * side:.1f}" y="{y0 + (top - y) * side:.1f}" rx="{side / 6:.1f}"'
    parts.append(f'<rect {at} width="{max(3, side):.1f}" height="{max(3, side):.1f}" class="head"/>')
    return _svg(unit.name, "".join(parts))


def _tape(unit: Subject, text: str, whole: WatchedLoop) -> str:
    """A line for each of some moments, time running down, as busy beavers are drawn."""
    left, _, right, _ = whole.box
    right = min(right, left + COLUMNS - 1)
    loop = WatchedLoop(unit, text, Limits(steps=STEPS))
    every = max(1, whole.steps // ROWS)
    side, high = (WIDTH - 16) / (right - left + 1), (HEIGHT - 16) / min(ROWS, whole.steps + 1)
    painted: list[tuple[int, int, str]] = []
    for row in range(ROWS):
        nonblank = loop.grid.nonblank()
        painted += [(row, x - left, _paint(unit, symbol)) for (x, _), symbol in nonblank if x <= right]
        for _ in range(every):
            loop.advance()
        if loop.over:
            break
    return _squares(painted, 8, 8, side, high)


def _squares(cells: list[tuple[int, int, str]], x: float, y: float, wide: float, high: float) -> str:
    """Cells (row, column, colour) as a path for each colour, neighbours in one piece."""
    paths: dict[str, str] = {}
    pieces: list[tuple[int, int, int, str]] = []
    for row, column, colour in sorted(cells):
        if pieces and pieces[-1][::3] == (row, colour) and sum(pieces[-1][1:3]) == column:
            pieces[-1] = (row, pieces[-1][1], pieces[-1][2] + 1, colour)
        else:
            pieces.append((row, column, 1, colour))
    for row, column, count, colour in pieces:
        corner, across = f"{x + column * wide:.1f} {y + row * high:.1f}", f"{count * wide:.1f}"
        paths[colour] = paths.get(colour, "") + f"M{corner}h{across}v{high + 0.3:.1f}h-{across}z"
    return "".join(f'<path fill="{colour}" d="{path}"/>' for colour, path in paths.items())


def _paint(unit: Subject, symbol: int) -> str:
    return PAINTS[(symbol if symbol <= unit.blank else symbol - 1) % len(PAINTS)]


def _svg(name: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"<title>{escape(name)}</title>"
        f"<style>.chalk {{ fill: {CHALK}; text-anchor: middle; font-family: monospace }} "
        f".head {{ fill: none; stroke: {HEAD}; stroke-width: 2 }}</style>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{SLATE}"/>{content}</svg>'
    )
