"""The GPU's other tables can be measured, where there is a GPU."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="these benchmarks need torch")
pytest.importorskip("triton", reason="no Triton for this platform")

pytestmark = pytest.mark.gpu


def test_launches() -> None:
    from dfst.bench.launches import measure

    found = measure("add2 4")
    assert 0 < found["forward"] < found["step"]


def test_rollouts() -> None:
    from dfst.bench.rollouts_gpu import measure

    found = measure("add2")
    assert found["GPU"] > found["each"] > 0


@pytest.mark.parametrize("train", [False, True])
def test_recurrence(train: bool) -> None:
    from dfst.bench.recurrence import measure

    found = measure("12 64", "cuda", train)
    assert found["ours"] > 0
