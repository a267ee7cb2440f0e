"""Curves in one line of text."""

from __future__ import annotations

import math

import pytest

from dfst.cli.narrate import LEVELS, spark


@pytest.mark.parametrize(
    ("values", "width", "logarithmic", "drawn"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], 8, False, LEVELS),
        ([1e0, 1e-1, 1e-7], 8, True, "█▇▁"),
        ([5, 5, 5], 8, True, "▁▁▁"),
        ([1, None, 3], 8, False, "▁ █"),
        ([1, math.nan, math.inf, 3], 8, False, "▁  █"),
        ([0, 9, 1, 9, 2, 9], 3, False, "▁▁▁"),
        ([], 8, True, ""),
        ([1, 2], 0, True, ""),
        ([None, None], 4, True, "  "),
    ],
)
def test_sparks(values: list[float | None], width: int, logarithmic: bool, drawn: str) -> None:
    assert spark(values, width, logarithmic) == drawn
