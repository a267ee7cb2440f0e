"""A curve in one line of text, for the terminal while a model is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log10

LEVELS = "▁▂▃▄▅▆▇█"
FLOOR = 1e-300


def spark(values: Sequence[float | None], width: int = 24, logarithmic: bool = True) -> str:
    """The values as bars from lowest to highest, at most `width` of them; a gap where there is none.

    More values than bars: each bar stands for a stretch of them and shows its last.
    """
    if width < 1:
        return ""
    count = min(width, len(values))
    picked = [values[(i + 1) * len(values) // count - 1] for i in range(count)]
    heights = [_height(value, logarithmic) for value in picked]
    known = [height for height in heights if height is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return "".join(" " if height is None else _bar(height, low, high) for height in heights)


def _height(value: float | None, logarithmic: bool) -> float | None:
    if value is None or not -inf < value < inf:
        return None
    return log10(max(value, FLOOR)) if logarithmic else float(value)


def _bar(height: float, low: float, high: float) -> str:
    share = (height - low) / (high - low) if high > low else 0.0
    return LEVELS[round(share * (len(LEVELS) - 1))]
