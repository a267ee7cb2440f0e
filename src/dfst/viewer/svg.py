"""Charts as SVG text, for reports that need no plotting library: lines and heat maps.

Colours come from the page's style (classes and `currentColor`), so that charts follow light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Line:
    """One series; `front` lines are drawn last and strong."""

    x: Sequence[float]
    y: Sequence[float]
    name: str
    front: bool = False


WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 62, 70, 30, 30


def line_chart(lines: Sequence[Line], x_label: str, y_label: str, logarithmic: bool = True) -> str:
    """Lines over a shared x; on a logarithmic y, values of zero and below are left out."""
    kept = [_positive(line) if logarithmic else line for line in lines]
    values = [v for line in kept for v in line.y]
    if not values:
        return '<p class="soft">nothing was measured</p>'
    scale: Callable[[float], float] = log10 if logarithmic else float
    low, high = _range(min(scale(v) for v in values), max(scale(v) for v in values), logarithmic)
    far = max((float(x) for line in kept for x in line.x), default=1.0) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (WIDTH - LEFT - RIGHT) * x / far
        return across, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (scale(y) - low) / (high - low)

    parts = [_frame(low, high, far, logarithmic, x_label, y_label)]
    for line in sorted(kept, key=lambda line: line.front):
        if not line.y:
            continue
        points = [place(x, y) for x, y in zip(line.x, line.y, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        kind = "front" if line.front else "back"
        parts.append(
            f'<polyline class="{kind}" points="{path}"><title>{escape(line.name)}</title></polyline>'
        )
        x, y = points[-1]
        if len(points) == 1:  # a line of one point cannot be seen
            parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
        if line.front:
            parts.append(
                f'<text class="front-text" x="{x + 6:.1f}" y="{y + 4:.1f}">{_number(line.y[-1])}</text>'
            )
    label = escape(f"{y_label} over {x_label}")
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _positive(line: Line) -> Line:
    pairs = [(x, y) for x, y in zip(line.x, line.y, strict=True) if y > 0]
    return Line([x for x, _ in pairs], [y for _, y in pairs], line.name, line.front)


def _range(low: float, high: float, logarithmic: bool) -> tuple[float, float]:
    if logarithmic:
        low, high = floor(low), ceil(high)
    else:
        low = min(0.0, low)
    return (low, high) if high > low else (low, low + 1)


def _frame(low: float, high: float, far: float, logarithmic: bool, x_label: str, y_label: str) -> str:
    parts = []
    for value in _ticks(low, high, logarithmic):
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)
        text = _number(10**value) if logarithmic else _number(value)
        parts.append(f'<line class="rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    base = HEIGHT - BOTTOM + 16
    parts.append(f'<text x="{LEFT}" y="{base}">0</text>')
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{base}" text-anchor="end">{_number(far)} {escape(x_label)}</text>'
    )
    parts.append(f'<text x="{LEFT}" y="{TOP - 14}">{escape(y_label)}</text>')
    return "".join(parts)


def _ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    if logarithmic:
        step = max(1, ceil((high - low) / 6))
        return [float(v) for v in range(int(low), int(high) + 1, step)]
    return [low + (high - low) * i / 4 for i in range(5)]


def _number(value: float) -> str:
    if value == 0 or 0.01 <= abs(value) < 1e7:
        return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:.3g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits.removesuffix('.0')}e{int(power)}"


def heat_map(
    values: NDArray[Any],
    rows: Sequence[str],
    columns: Sequence[str],
    words: str,
    diverging: bool = False,
    says: Sequence[Sequence[str]] | None = None,
) -> str:
    """Cells from pale to strong (0 to 1), or from one colour over nothing to another (-1 to 1).

    `says` is what each cell stands for, in place of its number; those below zero are then marked.
    """
    n, m = values.shape
    side = max(3.0, min(30.0, 420 / max(n, m)))
    named = side >= 14
    left, top = (40, 22) if named else (2, 2)
    reach = float(np.abs(values).max()) or 1.0
    cells = []
    for i in range(n):
        for j in range(m):
            share = float(values[i, j]) / (reach if diverging else 1.0)
            kind = "minus" if share < 0 else "plus"
            text = says[i][j] if says else f"{values[i, j]:.4g}"
            title = f"<title>{escape(rows[i])}, {escape(columns[j])}: {text}</title>" if named else ""
            x, y, opacity = left + j * side, top + i * side, min(1.0, abs(share))
            cells.append(
                f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{side - 0.5:.1f}" '
                f'height="{side - 0.5:.1f}" fill-opacity="{opacity:.3f}">{title}</rect>'
            )
            if says and share < 0:
                at = f'x="{x + side / 2:.1f}" y="{y + 0.68 * side:.1f}"'
                cells.append(f'<text class="cross" {at} text-anchor="middle">×</text>')
    if named:
        for i, name in enumerate(rows):
            y = top + (i + 0.7) * side
            cells.append(f'<text x="{left - 6}" y="{y:.1f}" text-anchor="end">{escape(name)}</text>')
        for j, name in enumerate(columns):
            x = left + (j + 0.5) * side
            cells.append(f'<text x="{x:.1f}" y="{top - 7}" text-anchor="middle">{escape(name)}</text>')
    width, height = left + m * side, top + n * side
    return (
        f'<svg class="heat" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" '
        f'aria-label="{escape(words)}">{"".join(cells)}</svg>'
    )
