"""The rows of the benchmark of training know their ratios and bars."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training needs torch")

from dfst.bench.training import on_cpu, on_cuda, row  # noqa: E402


def test_a_row_knows_its_ratios_and_its_bars() -> None:
    quick = row("add2", 69, ours={1: 0.5, 16: 0.8}, loop=8.0, lstm=1.5)
    assert (quick["over loop"], quick["over LSTM"], quick["16 seeds"]) == (16.0, 3.0, 0.8)
    assert quick["passes"]
    assert not row("add2", 69, ours={1: 0.5}, loop=7.0, lstm=1.5)["passes"]
    assert not row("add2", 69, ours={1: 0.5}, loop=8.0, lstm=0.9)["passes"]


def test_a_row_is_measured() -> None:
    found = on_cpu("add2", repeats=1)
    assert 0 < found["1 seed"] < found["torch loop"]


@pytest.mark.gpu
def test_on_a_gpu() -> None:
    found = on_cuda("add2", repeats=1)
    assert 0 < found["1 seed"] < found["torch loop"]
