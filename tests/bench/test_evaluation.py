"""The benchmark of evaluation makes the same runs both ways and tells how long cores waited."""

from __future__ import annotations

from dfst.bench.evaluation import measure, row


def test_a_row_is_measured() -> None:
    found = measure("add2", digits=30, repeats=1)
    assert (found["task"], found["digits"], found["inputs"]) == ("add2", 30, 25)
    assert 0 <= found["idle"] < 1
    assert 0 <= found["idle in fours"] < 1


def test_a_row_tells_idleness() -> None:
    found = row("add2", 30, 25, (2.0, 0.875), (4.0, 0.5))
    assert (found["idle"], found["idle in fours"]) == (0.125, 0.5)
