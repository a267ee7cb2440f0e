"""The benchmark of the recurrence: every way computes the same, and a row is measured."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="most ways are in torch")

from dfst.bench import recurrence  # noqa: E402


def test_ours_and_the_loop_give_the_same_states() -> None:
    ours, loop, _ = recurrence.ways(5, 7, "cpu", train=False)
    torch.testing.assert_close(ours(), loop())


@pytest.mark.parametrize("train", [False, True])
def test_a_row_is_measured(train: bool) -> None:
    row = recurrence.measure("4 70", "cpu", train)
    assert min(row.values()) > 0


@pytest.mark.gpu
@pytest.mark.parametrize("train", [False, True])
def test_on_a_gpu(train: bool) -> None:
    assert recurrence.measure("12 64", "cuda", train)["ours"] > 0
